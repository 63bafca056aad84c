// SPDX-License-Identifier: Apache-2.0
//
// LLVM's table of a triple (MCSubtargetInfo) knows all cpus and features. A target's feature set is that of its cpu with
// the user's changes applied; it is kept as the difference from the cpu's own set, removals first. Applying it gives the
// same set again: removing a feature also removes those that need it, none of which is in the set; adding one also adds
// those that it needs, all of which are.
#include "codegen/target.h"

#include "codegen/llvm/target_machine.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <map>
#include <thread>
#include <unistd.h>

namespace lathe::codegen {
namespace {

using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;

constexpr std::string_view form =
    "use native, a cpu such as haswell or x86-64-v3, or TRIPLE[:CPU[:+FEATURE,-FEATURE…]]";

std::vector<std::string_view> split(std::string_view text, char separator, size_t most = SIZE_MAX) {
    std::vector<std::string_view> parts;
    while (parts.size() + 1 < most && text.find(separator) != std::string_view::npos) {
        parts.push_back(text.substr(0, text.find(separator)));
        text.remove_prefix(parts.back().size() + 1);
    }
    parts.push_back(text);
    return parts;
}

Result<const llvm::Target*> backendOf(const std::string& triple) {
    initialiseTargets();
    const llvm::Triple parsed(triple);
    std::string message;
    const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(triple, message);
    if (!backend || parsed.getArch() != llvm::Triple::x86_64 || parsed.isX32() || !parsed.isOSBinFormatELF() ||
        !parsed.isOSLinux())
        return failure(ErrorKind::Usage, fmt::format("cannot make code for '{}'", triple),
                       "Lathe makes code for Linux on x86_64, for example x86_64-unknown-linux-gnu");
    return backend;
}

template <class Table>
bool contains(const Table& table, std::string_view name) {
    return std::ranges::any_of(table, [&](const auto& entry) { return name == entry.Key; });
}

bool has(const llvm::MCSubtargetInfo& set, std::string_view feature) {
    for (const llvm::SubtargetFeatureKV& entry : set.getAllProcessorFeatures())
        if (feature == entry.Key)
            return set.hasFeature(entry.Value);
    return false;
}

/// What turns the set of `cpu` into `wanted`, in one order.
std::string difference(const llvm::MCSubtargetInfo& cpu, const llvm::MCSubtargetInfo& wanted) {
    std::vector<std::string> removed, added;
    for (const llvm::SubtargetFeatureKV& entry : wanted.getAllProcessorFeatures()) { // sorted by name
        const bool before = cpu.hasFeature(entry.Value), after = wanted.hasFeature(entry.Value);
        if (before != after)
            (after ? added : removed).push_back((after ? "+" : "-") + std::string(entry.Key));
    }
    removed.insert(removed.end(), added.begin(), added.end());
    return fmt::format("{}", fmt::join(removed, ","));
}

/// LLVM stops the process on some of these, and generated code would call functions of libm without the others.
Result<void> checkUsable(const llvm::MCSubtargetInfo& set, const std::string& cpu) {
    for (const char* needed : {"64bit", "64bit-mode", "sse4.1"})
        if (!has(set, needed))
            return failure(ErrorKind::Usage, fmt::format("code for '{}' needs the feature {}", cpu, needed),
                           "use x86-64-v2 or a newer cpu, and do not take features away that it needs");
    for (const char* without : {"soft-float", "32bit-mode", "16bit-mode"})
        if (has(set, without))
            return failure(ErrorKind::Usage, fmt::format("cannot make code with the feature {}", without),
                           "leave it out");
    return {};
}

/// The names of a table that need the fewest edits to become `name`, of those that `usable` takes: at most five, with the
/// least number of edits and one more.
template <class Table, class Usable>
std::string nearest(const Table& table, std::string_view name, Usable usable) {
    std::multimap<unsigned, std::string> byDistance;
    for (const auto& entry : table)
        byDistance.emplace(llvm::StringRef(name).edit_distance(entry.Key), entry.Key);
    constexpr size_t shown = 5;
    std::vector<std::string> names;
    unsigned least = 0;
    for (const auto& [distance, known] : byDistance) {
        if (names.size() == shown || (!names.empty() && distance > least + 1))
            break;
        if (!usable(known))
            continue;
        if (names.empty())
            least = distance;
        names.push_back(known);
    }
    return fmt::format("near it: {}", fmt::join(names, ", "));
}

/// A Target from a triple, a cpu of its table and changes to the cpu's features. The machine is a usual one.
Result<Target> resolve(const std::string& triple, const std::string& cpu, std::string_view features) {
    LATHE_TRY(const llvm::Target* backend, backendOf(triple));
    const Subtarget table(backend->createMCSubtargetInfo(triple, "", ""));
    const auto usable = [&](const std::string& known) {
        return checkUsable(*Subtarget(backend->createMCSubtargetInfo(triple, known, "")), known).has_value();
    };
    const auto any = [](const std::string&) { return true; };
    if (!table->isCPUStringValid(cpu))
        return failure(ErrorKind::Usage, fmt::format("'{}' has no cpu '{}'", triple, cpu),
                       nearest(table->getAllProcessorDescriptions(), cpu, usable));
    for (std::string_view change : features.empty() ? std::vector<std::string_view>() : split(features, ',')) {
        if (change.size() < 2 || (change[0] != '+' && change[0] != '-'))
            return failure(ErrorKind::Usage, fmt::format("malformed feature '{}'", change),
                           "write +NAME or -NAME, several with commas");
        if (!contains(table->getAllProcessorFeatures(), change.substr(1)))
            return failure(ErrorKind::Usage, fmt::format("'{}' has no feature '{}'", triple, change.substr(1)),
                           nearest(table->getAllProcessorFeatures(), change.substr(1), any));
    }
    const Subtarget own(backend->createMCSubtargetInfo(triple, cpu, ""));
    const Subtarget set(backend->createMCSubtargetInfo(triple, cpu, std::string(features)));
    LATHE_CHECKED(checkUsable(*set, cpu));
    Target target;
    target.triple = triple;
    target.cpu = cpu;
    target.features = difference(*own, *set);
    const bool wide = has(*set, "avx512f") && has(*set, "avx512bw") && has(*set, "avx512dq") && has(*set, "avx512vl");
    target.vectorBits = wide && has(*set, "evex512") ? 512 : has(*set, "avx") ? 256 : 128;
    target.vectorRegisters = has(*set, "avx512vl") ? 32 : 16;
    target.hasFma = has(*set, "fma") || has(*set, "fma4");
    target.hasHalfConversion = has(*set, "f16c");
    return target;
}

/// MACHINE of parseTarget.
Result<void> describeMachine(Target& target, std::string_view text) {
    const auto malformed = [&](std::string_view part) {
        return failure(ErrorKind::Usage, fmt::format("malformed '{}' in the target", part),
                       "use cores=N, l1=BYTES, l2=BYTES, l3=BYTES and vector=128, 256 or 512");
    };
    for (std::string_view part : split(text, ',')) {
        const std::vector<std::string_view> sides = split(part, '=', 2);
        int64_t value = 0;
        if (sides.size() != 2)
            return malformed(part);
        const auto [end, status] = std::from_chars(sides[1].data(), sides[1].data() + sides[1].size(), value);
        if (status != std::errc() || end != sides[1].data() + sides[1].size() || value < 1)
            return malformed(part);
        if (sides[0] == "cores" && value <= 1 << 20)
            target.cores = static_cast<int>(value);
        else if (sides[0] == "l1")
            target.l1Bytes = value;
        else if (sides[0] == "l2")
            target.l2Bytes = value;
        else if (sides[0] == "l3")
            target.l3Bytes = value;
        else if (sides[0] == "vector" && (value == 128 || value == 256 || value == 512) && value <= target.vectorBits)
            target.vectorBits = static_cast<int>(value);
        else
            return malformed(part);
    }
    return {};
}

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

std::string hostFeatures(const llvm::MCSubtargetInfo& table) {
    std::vector<std::string> removed, added;
    for (const auto& entry : llvm::sys::getHostCPUFeatures())
        if (contains(table.getAllProcessorFeatures(), entry.getKey()))
            (entry.getValue() ? added : removed).push_back((entry.getValue() ? "+" : "-") + entry.getKey().str());
    removed.insert(removed.end(), added.begin(), added.end());
    return fmt::format("{}", fmt::join(removed, ","));
}

Target findNative() {
    Target target;
    target.triple = llvm::sys::getProcessTriple();
    target.cpu = llvm::sys::getHostCPUName().str();
    if (auto backend = backendOf(target.triple)) {
        const Subtarget table((*backend)->createMCSubtargetInfo(target.triple, "", ""));
        const std::string cpu = table->isCPUStringValid(target.cpu) ? target.cpu : "x86-64";
        if (auto resolved = resolve(target.triple, cpu, hostFeatures(*table)))
            target = *std::move(resolved);
    }
    target.cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    target.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 1, target.l1Bytes);
    target.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, 2, target.l2Bytes);
    target.l3Bytes = cacheBytes(_SC_LEVEL3_CACHE_SIZE, 3, target.l3Bytes);
    return target;
}

} // namespace

Result<void> checkRunsHere(const Target& target) {
    if (target == nativeTarget())
        return {};
    LATHE_TRY(const llvm::Target* backend, backendOf(target.triple));
    const Subtarget set(backend->createMCSubtargetInfo(target.triple, target.cpu, target.features));
    const Subtarget own(backend->createMCSubtargetInfo(target.triple, target.cpu, ""));
    const auto here = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> missing;
    for (const llvm::SubtargetFeatureKV& entry : set->getAllProcessorFeatures()) {
        if (!set->hasFeature(entry.Value))
            continue;
        // What LLVM does not look for on this machine is how to tune code, or too new to be here.
        const auto found = here.find(entry.Key);
        if (found != here.end() ? !found->getValue() : !own->hasFeature(entry.Value))
            missing.emplace_back(entry.Key);
    }
    if (missing.empty())
        return {};
    return failure(
        ErrorKind::Usage,
        fmt::format("this machine cannot run code for '{}': it has no {}", toString(target), fmt::join(missing, ", ")),
        "compile for it with `lathe compile`, and run the artifact on such a machine");
}

Target nativeTarget() {
    static const Target native = findNative();
    return native;
}

Result<Target> parseTarget(std::string_view text) {
    if (text == "native")
        return nativeTarget();
    if (text.empty())
        return failure(ErrorKind::Usage, "the target is empty", std::string(form));
    const Target usual;
    const std::vector<std::string_view> parts = split(text, ':', 4);
    if (parts.size() == 1 && llvm::Triple(std::string(text)).getArch() == llvm::Triple::UnknownArch) {
        auto target = resolve(usual.triple, std::string(text), "");
        if (!target) {
            Diagnostic unknown = target.error();
            unknown.what = fmt::format("unknown target '{}'", text);
            unknown.hint += fmt::format("; {}", form);
            return Failure(unknown);
        }
        return target;
    }
    LATHE_TRY(Target target, resolve(std::string(parts[0]), parts.size() > 1 ? std::string(parts[1]) : "x86-64-v2",
                                     parts.size() > 2 ? parts[2] : std::string_view()));
    if (parts.size() > 3)
        LATHE_CHECKED(describeMachine(target, parts[3]));
    return target;
}

} // namespace lathe::codegen
