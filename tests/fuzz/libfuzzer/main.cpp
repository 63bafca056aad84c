// SPDX-License-Identifier: Apache-2.0
//
// The targets under libFuzzer, one program for all: lathe-fuzz --target=NAME [options of libFuzzer] [CORPUS…].
#include "fuzz/targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace {

const lathe::fuzz::Target* chosen = nullptr;

} // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    constexpr std::string_view option = "--target=";
    for (int i = 1; i < *count; ++i)
        if (const std::string_view argument = (*arguments)[i]; argument.starts_with(option))
            for (const lathe::fuzz::Target& target : lathe::fuzz::targets())
                if (target.name == argument.substr(option.size()))
                    chosen = &target;
    if (chosen)
        return 0;
    std::fprintf(stderr, "lathe-fuzz --target=NAME, which is one of:");
    for (const lathe::fuzz::Target& target : lathe::fuzz::targets())
        std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
    std::fprintf(stderr, "\n");
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    chosen->run({reinterpret_cast<const char*>(data), size}); // what it throws ends the process, which is a finding
    return 0;
}

/// Half of the changes keep the form, where the target has such.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    lathe::fuzz::Random random(seed);
    if (!chosen->mutate || random() % 2)
        return LLVMFuzzerMutate(data, size, most);
    const std::string changed = chosen->mutate({reinterpret_cast<const char*>(data), size}, random);
    const size_t kept = std::min(changed.size(), most);
    std::memcpy(data, changed.data(), kept);
    return kept;
}
