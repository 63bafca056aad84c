// SPDX-License-Identifier: Apache-2.0
#include "project/project.h"

#include "base/file_hash.h"

namespace lathe::project {

Result<ModelReference> referenceTo(const std::filesystem::path& model, const std::function<bool()>& cancelled) {
    const auto content = contentOf(model, cancelled);
    if (!content) {
        const bool unwanted = cancelled && cancelled();
        Diagnostic problem = unwanted ? error(ErrorKind::Cancelled, "cancelled") : error("the model cannot be read");
        problem.file = model.string();
        return Failure(problem);
    }
    return ModelReference{std::filesystem::absolute(model), content->bytes, toString(content->hash)};
}

} // namespace lathe::project
