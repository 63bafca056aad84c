// SPDX-License-Identifier: Apache-2.0
//
// The machine this runs on: its cpu by LLVM, of which features it has by LLVM on x86-64 and by the runtime elsewhere, which
// asks the kernel; caches by the C library and the kernel.
#include "abi/isa.h"
#include "codegen/lacking.h"
#include "codegen/llvm/subtarget.h"
#include "codegen/target.h"
#include "runtime/lathe_rt.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <thread>
#include <unistd.h>

namespace lathe::codegen {
namespace {

#if defined(__aarch64__)
constexpr Architecture here = Architecture::AArch64;
constexpr auto& isaHere = abi::armIsa;
#elif defined(__riscv)
constexpr Architecture here = Architecture::RiscV64;
constexpr auto& isaHere = abi::riscvIsa;
#else
constexpr Architecture here = Architecture::X86_64;
constexpr auto& isaHere = abi::x86Isa;
#endif

/// The size that the C library reads out of CPUID, else the kernel's own note of it ("2048K"), else `usual`.
int64_t cacheBytes(int name, int level, int64_t usual) {
    if (const long bytes = sysconf(name); bytes > 0)
        return bytes;
    for (int index = 0;; ++index) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
        int itsLevel = 0;
        if (!(std::ifstream(folder + "level") >> itsLevel))
            return usual;
        std::string type;
        int64_t size = 0;
        char unit = 0;
        if (itsLevel == level && std::ifstream(folder + "type") >> type && type != "Instruction" &&
            std::ifstream(folder + "size") >> size >> unit && size > 0)
            return size * (unit == 'M' ? int64_t{1} << 20 : unit == 'K' ? int64_t{1} << 10 : 1);
    }
}

/// As the CPU and the kernel say it.
Required hasHere() {
    Required has{.isa = {}, .vectorBits = lathe_cpu_vector_bits()};
    for (const auto& isa : isaHere)
        if (lathe_cpu_supports(isa.name))
            has.isa.emplace_back(isa.name);
    return has;
}

/// What differs from the cpu's own features, removals first.
std::string hostFeatures([[maybe_unused]] const llvm::MCSubtargetInfo& table) {
    std::vector<std::string> removed, added;
    const auto note = [&](bool there, std::string_view name) {
        (there ? added : removed).push_back(fmt::format("{}{}", there ? '+' : '-', name));
    };
#if defined(__aarch64__)
    for (const abi::ArmIsa& isa : abi::armIsa)
        note(lathe_cpu_supports(isa.name), isa.name);
#elif defined(__riscv)
    for (const abi::RiscvIsa& isa : abi::riscvIsa)
        note(lathe_cpu_supports(isa.name), isa.name);
    for (int bits = 256; bits <= lathe_cpu_vector_bits(); bits *= 2)
        note(true, fmt::format("zvl{}b", bits));
#else
    for (const auto& entry : llvm::sys::getHostCPUFeatures())
        if (contains(table.getAllProcessorFeatures(), std::string_view(entry.getKey())))
            note(entry.getValue(), std::string_view(entry.getKey()));
#endif
    removed.insert(removed.end(), added.begin(), added.end());
    return fmt::format("{}", fmt::join(removed, ","));
}

Target findNative() {
    Target target;
    target.triple = llvm::Triple::normalize(llvm::sys::getProcessTriple());
    target.cpu = llvm::sys::getHostCPUName().str();
    if (auto backend = backendOf(target.triple)) {
        const Subtarget table((*backend)->createMCSubtargetInfo(target.triple, "", ""));
        const std::string features = hostFeatures(*table);
        auto resolved = parseTarget(fmt::format("{}:{}:{}", target.triple, target.cpu, features));
        if (!resolved) // a cpu that LLVM does not know
            resolved = parseTarget(fmt::format("{}:{}:{}", target.triple, baselineTarget().cpu, features));
        if (resolved)
            target = *std::move(resolved);
        if (here == Architecture::AArch64 && target.scalableBits > 0 && target.scalableBits != lathe_cpu_vector_bits())
            target.vectorBits = 128, target.scalableBits = 0; // somebody has set another length
    }
    target.cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    target.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 1, target.l1Bytes);
    target.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, 2, target.l2Bytes);
    target.l3Bytes = cacheBytes(_SC_LEVEL3_CACHE_SIZE, 3, target.l3Bytes);
    return target;
}

} // namespace

Target nativeTarget() {
    static const Target native = findNative();
    return native;
}

Target baselineTarget() {
    static const Target baseline = parseTarget(libraryTriple(here)).value();
    return baseline;
}

Result<void> checkRunsHere(const Target& target) {
    if (target == nativeTarget())
        return {};
    if (target.architecture != here)
        return failure(
            ErrorKind::Usage,
            fmt::format("code for '{}' does not run on this machine, which is {}", toString(target), nameOf(here)),
            "name a device that does: --device ssh:HOST, or --device qemu, which emulates one and whose times say "
            "nothing; or run what `lathe compile` makes on such a machine");
    LATHE_CHECKED(backendOf(target.triple));
    const std::vector<std::string> missing = lacking(target, hasHere());
    if (missing.empty())
        return {};
    return failure(
        ErrorKind::Usage,
        fmt::format("this machine cannot run code for '{}': it has no {}", toString(target), fmt::join(missing, ", ")),
        "compile for it with `lathe compile`, and run the artifact on such a machine");
}

} // namespace lathe::codegen
