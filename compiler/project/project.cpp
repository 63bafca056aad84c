// SPDX-License-Identifier: Apache-2.0
#include "project/project.h"

#include "base/hash.h"

#include <array>
#include <cstdio>

namespace lathe::project {

Result<ModelReference> referenceTo(const std::filesystem::path& model) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(model.c_str(), "rb"), &std::fclose);
    ModelReference reference;
    Hasher hasher;
    std::vector<std::byte> piece(size_t{1} << 20);
    size_t count = 0;
    while (file && (count = std::fread(piece.data(), 1, piece.size(), file.get())) > 0) {
        hasher.addBytes(std::span(piece).first(count));
        reference.bytes += static_cast<int64_t>(count);
    }
    if (!file || std::ferror(file.get())) {
        Diagnostic problem = error("the model cannot be read");
        problem.file = model.string();
        return Failure(problem);
    }
    reference.path = std::filesystem::absolute(model);
    reference.hash = toString(hasher.finish());
    return reference;
}

} // namespace lathe::project
