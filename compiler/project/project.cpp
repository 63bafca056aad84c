// SPDX-License-Identifier: Apache-2.0
#include "project/project.h"

#include "base/file_hash.h"

namespace lathe::project {

Result<ModelReference> referenceTo(const std::filesystem::path& model, const std::function<bool()>& cancelled) {
    const auto hash = hashFile(model, cancelled);
    std::error_code unreadable;
    const auto bytes = std::filesystem::file_size(model, unreadable);
    if (!hash || unreadable) {
        const bool unwanted = cancelled && cancelled();
        Diagnostic problem = unwanted ? error(ErrorKind::Cancelled, "cancelled") : error("the model cannot be read");
        problem.file = model.string();
        return Failure(problem);
    }
    return ModelReference{std::filesystem::absolute(model), static_cast<int64_t>(bytes), toString(*hash)};
}

} // namespace lathe::project
