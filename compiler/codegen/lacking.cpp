// SPDX-License-Identifier: Apache-2.0
#include "codegen/lacking.h"

#include <fmt/format.h>

namespace lathe::codegen {

std::vector<std::string> lacking(const Target& target, const Required& has) {
    const Required needed = requiredOf(target);
    std::vector<std::string> names;
    for (const std::string& isa : needed.isa)
        if (!has.has(isa))
            names.push_back(isa);
    // Code for SVE is right on CPUs with its length alone, code for V on those with longer registers too.
    const bool exactly = target.architecture == Architecture::AArch64;
    if (has.vectorBits > 0 && needed.vectorBits > 0 &&
        (exactly ? has.vectorBits != needed.vectorBits : has.vectorBits < needed.vectorBits))
        names.push_back(fmt::format("vectors of {} bits", needed.vectorBits));
    return names;
}

} // namespace lathe::codegen
