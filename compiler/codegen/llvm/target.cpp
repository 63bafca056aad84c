// SPDX-License-Identifier: Apache-2.0
//
// LLVM's table of a triple (MCSubtargetInfo) knows all cpus and features. A target's feature set is that of its cpu with
// the user's changes applied; it is kept as the difference from the cpu's own set, removals first. Applying it gives the
// same set again: removing a feature also removes those that need it, none of which is in the set; adding one also adds
// those that it needs, all of which are.
#include "codegen/target.h"

#include "abi/isa.h"
#include "codegen/llvm/subtarget.h"
#include "codegen/llvm/target_machine.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/TargetParser/Triple.h>
#include <map>

namespace lathe::codegen {
namespace {

constexpr std::string_view form =
    "use native, a cpu such as haswell, x86-64-v3, cortex-a72 or rv64gc, or TRIPLE[:CPU[:+FEATURE,-FEATURE…]]";

/// A kind of machine: what its triples are like, and what LLVM stops the process without, or generated code would call
/// functions of libraries for; and what it would do so with.
struct Kind {
    Architecture architecture;
    llvm::Triple::ArchType arch;
    const char* name;
    const char* triple;
    const char* cpu; // where none is named
    std::vector<const char*> needed, refused;
    const char* instead; // of a cpu that lacks something
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {Architecture::X86_64,
         llvm::Triple::x86_64,
         "x86_64",
         "x86_64-unknown-linux-gnu",
         "x86-64-v2",
         {"64bit", "64bit-mode", "sse4.1"},
         {"soft-float", "32bit-mode", "16bit-mode"},
         "use x86-64-v2 or a newer cpu, and do not take features away that it needs"},
        {Architecture::AArch64,
         llvm::Triple::aarch64,
         "aarch64",
         "aarch64-unknown-linux-gnu",
         "generic",
         {"fp-armv8", "neon"},
         {"all"}, // the disassembler's
         "use generic or another cpu with NEON, and do not take features away that it needs"},
        {Architecture::RiscV64,
         llvm::Triple::riscv64,
         "riscv64",
         "riscv64-unknown-linux-gnu",
         "rv64gc",
         {"64bit", "m", "a", "f", "d"},
         {"32bit", "e", "zfinx", "zdinx", "zhinx", "zhinxmin", "save-restore", "forced-sw-shadow-stack", "zcmp",
          "zcmt"},
         "use rv64gc or another cpu that runs Linux, and do not take features away that it needs"},
    };
    return all;
}

const Kind& kindOf(Architecture architecture) {
    return *std::ranges::find(kinds(), architecture, &Kind::architecture);
}

const Kind* kindOf(const llvm::Triple& triple) {
    const auto found = std::ranges::find(kinds(), triple.getArch(), &Kind::arch);
    const bool usable = found != kinds().end() && triple.isOSBinFormatELF() && triple.isOSLinux() && !triple.isX32() &&
                        triple.getEnvironment() != llvm::Triple::GNUILP32;
    return usable ? &*found : nullptr;
}

/// Cpus that LLVM's table has not, by one that it has and features.
struct Preset {
    Architecture architecture;
    const char *name, *cpu, *features;
};
constexpr Preset presets[] = {
    {Architecture::RiscV64, "rv64gc", "generic-rv64", "+m,+a,+f,+d,+c"},
    {Architecture::RiscV64, "rv64gcv", "generic-rv64", "+m,+a,+f,+d,+c,+v"},
};

const Preset* presetOf(const Kind& kind, std::string_view name) {
    const auto found = std::ranges::find_if(
        presets, [&](const Preset& preset) { return preset.architecture == kind.architecture && preset.name == name; });
    return found == std::end(presets) ? nullptr : &*found;
}

/// Cpus whose SVE does more at a time than their NEON. Of others NEON is as fast, and runs at any length of registers.
struct SveLength {
    const char* cpu;
    int bits;
};
constexpr SveLength sveLengths[] = {{"a64fx", 512}};
constexpr int widestVector = 512; // bits, that schedules are made for

std::vector<std::string_view> split(std::string_view text, char separator, size_t most = SIZE_MAX) {
    std::vector<std::string_view> parts;
    while (parts.size() + 1 < most && text.find(separator) != std::string_view::npos) {
        parts.push_back(text.substr(0, text.find(separator)));
        text.remove_prefix(parts.back().size() + 1);
    }
    parts.push_back(text);
    return parts;
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

/// "xtheadba": its maker's own.
bool isOfVendor(std::string_view feature) {
    return feature.starts_with('x');
}

/// That code can be made, and that its CPU can be asked for all that it uses.
Result<void> checkUsable(const Kind& kind, const llvm::MCSubtargetInfo& set, const std::string& cpu) {
    for (const char* needed : kind.needed)
        if (!has(set, needed))
            return failure(ErrorKind::Usage, fmt::format("code for '{}' needs the feature {}", cpu, needed),
                           kind.instead);
    for (const char* without : kind.refused)
        if (has(set, without))
            return failure(ErrorKind::Usage, fmt::format("cannot make code with the feature {}", without),
                           "leave it out");
    if (kind.architecture == Architecture::RiscV64)
        for (const llvm::SubtargetFeatureKV& entry : set.getAllProcessorFeatures())
            if (set.hasFeature(entry.Value) && isOfVendor(entry.Key))
                return failure(
                    ErrorKind::Usage,
                    fmt::format("'{}' has {}, of which no kernel tells whether a CPU has it", cpu, entry.Key),
                    fmt::format("take it away: -{}", entry.Key));
    if (has(set, "zve32x") && !has(set, "v")) // less than what Linux takes for vectors
        return failure(ErrorKind::Usage, fmt::format("vectors of '{}' need the feature v", cpu),
                       "add +v, or use rv64gc");
    return {};
}

/// Names by how many edits they are away from what was written.
using Near = std::multimap<unsigned, std::string>;

template <class Table>
void addNear(Near& near, const Table& table, std::string_view name) {
    for (const auto& entry : table)
        near.emplace(llvm::StringRef(name).edit_distance(entry.Key), entry.Key);
}

/// The nearest that `usable` takes: at most five, with the least number of edits and one more.
template <class Usable>
std::string nearest(const Near& near, Usable usable) {
    constexpr size_t shown = 5;
    std::vector<std::string> names;
    unsigned least = 0;
    for (const auto& [distance, known] : near) {
        if (names.size() == shown || (!names.empty() && distance > least + 1))
            break;
        if (std::ranges::find(names, known) != names.end() || !usable(known))
            continue;
        if (names.empty())
            least = distance;
        names.push_back(known);
    }
    return fmt::format("near it: {}", fmt::join(names, ", "));
}

const llvm::Target& backendOf(const Kind& kind) {
    const auto backend = codegen::backendOf(kind.triple);
    LATHE_ASSERT(backend, "a kind's own triple has a backend");
    return **backend;
}

bool isKnown(const Kind& kind, const std::string& cpu) {
    return presetOf(kind, cpu) ||
           Subtarget(backendOf(kind).createMCSubtargetInfo(kind.triple, "", ""))->isCPUStringValid(cpu);
}

bool isUsable(const Kind& kind, const std::string& cpu) {
    return presetOf(kind, cpu) ||
           (isKnown(kind, cpu) &&
            checkUsable(kind, *Subtarget(backendOf(kind).createMCSubtargetInfo(kind.triple, cpu, "")), cpu)
                .has_value());
}

void addNearCpus(Near& near, const Kind& kind, std::string_view cpu) {
    addNear(near, Subtarget(backendOf(kind).createMCSubtargetInfo(kind.triple, "", ""))->getAllProcessorDescriptions(),
            cpu);
    for (const Preset& preset : presets)
        if (preset.architecture == kind.architecture)
            near.emplace(llvm::StringRef(cpu).edit_distance(preset.name), preset.name);
}

/// Of RISC-V: the least length of vector registers that the features promise; 0 without vectors.
int promisedLength(const llvm::MCSubtargetInfo& set) {
    int bits = 0;
    if (has(set, "v"))
        for (int length = 32; length <= 1 << 16; length *= 2)
            if (has(set, fmt::format("zvl{}b", length)))
                bits = length;
    return bits;
}

/// Of SVE: at 128 bits NEON does the same, at any length of registers.
void setSveLength(Target& target, int bits) {
    target.vectorBits = bits;
    target.scalableBits = bits > 128 ? bits : 0;
}

/// What follows from the features.
void describe(Target& target, const llvm::MCSubtargetInfo& set) {
    switch (target.architecture) {
    case Architecture::X86_64: {
        const bool wide = has(set, "avx512f") && has(set, "avx512bw") && has(set, "avx512dq") && has(set, "avx512vl");
        target.vectorBits = wide && has(set, "evex512") ? 512 : has(set, "avx") ? 256 : 128;
        target.vectorRegisters = has(set, "avx512vl") ? 32 : 16;
        target.hasFma = has(set, "fma") || has(set, "fma4");
        target.hasHalfConversion = has(set, "f16c");
        return;
    }
    case Architecture::AArch64: {
        const auto* known = std::ranges::find(sveLengths, target.cpu, &SveLength::cpu);
        setSveLength(target, known != std::end(sveLengths) && has(set, "sve") ? known->bits : 128);
        target.vectorRegisters = 32;
        target.hasFma = target.hasHalfConversion = true; // in every AArch64 with NEON
        return;
    }
    case Architecture::RiscV64: {
        target.scalableBits = promisedLength(set);
        // Without vectors 4 of the 32 registers of floats are one of 128 bits.
        target.vectorBits = std::clamp(target.scalableBits, 128, widestVector);
        target.vectorRegisters = target.scalableBits > 0 ? 32 : 32 / 4;
        target.hasFma = true; // of F and D
        target.hasHalfConversion = has(set, "zfhmin") && (target.scalableBits == 0 || has(set, "zvfhmin"));
        return;
    }
    }
}

/// A Target from a triple, a cpu of its table and changes to the cpu's features. The machine is a usual one.
Result<Target> resolve(const std::string& given, const std::string& cpu, std::string_view features) {
    const std::string triple = llvm::Triple::normalize(given);
    LATHE_TRY(const llvm::Target* backend, codegen::backendOf(triple));
    const Kind& kind = *kindOf(llvm::Triple(triple));
    const Subtarget table(backend->createMCSubtargetInfo(triple, "", ""));
    const auto any = [](const std::string&) { return true; };
    if (!isKnown(kind, cpu)) {
        Near near;
        addNearCpus(near, kind, cpu);
        return failure(ErrorKind::Usage, fmt::format("'{}' has no cpu '{}'", triple, cpu),
                       nearest(near, [&](const std::string& known) { return isUsable(kind, known); }));
    }
    for (std::string_view change : features.empty() ? std::vector<std::string_view>() : split(features, ',')) {
        if (change.size() < 2 || (change[0] != '+' && change[0] != '-'))
            return failure(ErrorKind::Usage, fmt::format("malformed feature '{}'", change),
                           "write +NAME or -NAME, several with commas");
        if (!contains(table->getAllProcessorFeatures(), change.substr(1))) {
            Near near;
            addNear(near, table->getAllProcessorFeatures(), change.substr(1));
            return failure(ErrorKind::Usage, fmt::format("'{}' has no feature '{}'", triple, change.substr(1)),
                           nearest(near, any));
        }
    }
    Target target;
    target.triple = triple;
    target.architecture = kind.architecture;
    target.cpu = cpu;
    std::string all(features);
    if (const Preset* preset = presetOf(kind, cpu)) {
        target.cpu = preset->cpu;
        all = fmt::format("{}{}{}", preset->features, features.empty() ? "" : ",", features);
    }
    const Subtarget own(backend->createMCSubtargetInfo(triple, target.cpu, ""));
    const Subtarget set(backend->createMCSubtargetInfo(triple, target.cpu, all));
    LATHE_CHECKED(checkUsable(kind, *set, cpu));
    target.features = difference(*own, *set);
    describe(target, *set);
    return target;
}

/// MACHINE of parseTarget.
Result<void> describeMachine(Target& target, std::string_view text) {
    const auto malformed = [&](std::string_view part) {
        return failure(ErrorKind::Usage, fmt::format("malformed '{}' in the target", part),
                       "use cores=N, l1=BYTES, l2=BYTES, l3=BYTES and vector=128, 256 or 512");
    };
    const int widest = target.architecture == Architecture::AArch64 && requiredOf(target).has("sve")
                           ? widestVector
                           : target.vectorBits;
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
        else if (sides[0] == "vector" && (value == 128 || value == 256 || value == 512) && value <= widest) {
            if (target.architecture == Architecture::AArch64)
                setSveLength(target, static_cast<int>(value));
            else
                target.vectorBits = static_cast<int>(value);
        } else
            return malformed(part);
    }
    return {};
}

/// A cpu without a triple: of the first kind of machine whose table has it.
Result<Target> resolveCpu(const std::string& cpu) {
    std::optional<Diagnostic> refused;
    for (const Kind& kind : kinds()) {
        if (!isKnown(kind, cpu))
            continue;
        auto target = resolve(kind.triple, cpu, "");
        if (target)
            return target;
        refused = refused ? refused : target.error();
    }
    Near near;
    for (const Kind& kind : kinds())
        addNearCpus(near, kind, cpu);
    Diagnostic unknown = refused ? *refused : error(ErrorKind::Usage, "", nearest(near, [](const std::string& known) {
                                                        return std::ranges::any_of(kinds(), [&](const Kind& kind) {
                                                            return isUsable(kind, known);
                                                        });
                                                    }));
    unknown.what = refused ? refused->what : fmt::format("unknown target '{}'", cpu);
    unknown.hint += fmt::format("; {}", form);
    return Failure(unknown);
}

} // namespace

Result<const llvm::Target*> backendOf(const std::string& triple) {
    initialiseTargets();
    std::string message;
    const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(triple, message);
    if (!backend || !kindOf(llvm::Triple(triple)))
        return failure(ErrorKind::Usage, fmt::format("cannot make code for '{}'", triple),
                       "Lathe makes code for Linux on x86_64, aarch64 and riscv64, for example aarch64-linux-gnu");
    return backend;
}

bool has(const llvm::MCSubtargetInfo& set, std::string_view feature) {
    for (const llvm::SubtargetFeatureKV& entry : set.getAllProcessorFeatures())
        if (feature == entry.Key)
            return set.hasFeature(entry.Value);
    return false;
}

std::string_view nameOf(Architecture architecture) {
    return kindOf(architecture).name;
}

std::string libraryTriple(Architecture architecture) {
    return fmt::format("{}-linux-gnu", nameOf(architecture));
}

Required requiredOf(const Target& target) {
    Required required;
    required.vectorBits = target.scalableBits;
    const auto backend = backendOf(target.triple);
    if (!backend)
        return required;
    const Subtarget set((*backend)->createMCSubtargetInfo(target.triple, target.cpu, target.features));
    const auto add = [&](const auto& table) {
        for (const auto& isa : table)
            if (has(*set, isa.name))
                required.isa.emplace_back(isa.name);
    };
    switch (target.architecture) {
    case Architecture::X86_64:
        add(abi::x86Isa);
        break;
    case Architecture::AArch64:
        add(abi::armIsa);
        break;
    case Architecture::RiscV64:
        add(abi::riscvIsa);
        break;
    }
    return required;
}

Result<Target> parseTarget(std::string_view text) {
    if (text == "native")
        return nativeTarget();
    if (text.empty())
        return failure(ErrorKind::Usage, "the target is empty", std::string(form));
    const std::vector<std::string_view> parts = split(text, ':', 4);
    if (parts.size() == 1 && llvm::Triple(std::string(text)).getArch() == llvm::Triple::UnknownArch)
        return resolveCpu(std::string(text));
    const std::string triple(parts[0]);
    const Kind* kind = kindOf(llvm::Triple(llvm::Triple::normalize(triple)));
    LATHE_TRY(Target target, resolve(triple,
                                     parts.size() > 1 ? std::string(parts[1])
                                     : kind           ? kind->cpu
                                                      : "",
                                     parts.size() > 2 ? parts[2] : std::string_view()));
    if (parts.size() > 3)
        LATHE_CHECKED(describeMachine(target, parts[3]));
    return target;
}

} // namespace lathe::codegen
