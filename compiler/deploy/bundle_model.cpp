// SPDX-License-Identifier: Apache-2.0
//
// The steps that all forms have.
#include "deploy/planner.h"

#include "abi/abi.h"
#include "arith/analysis.h"
#include "arith/print.h"
#include "base/guarded.h"
#include "base/sha1.h"
#include "base/version.h"
#include "codegen/build_id.h"
#include "codegen/target.h"
#include "deploy/file_digest.h"
#include "deploy/sbom.h"
#include "deploy/texts.h"
#include "inspect/inputs.h"
#include "runtime/artifact_image.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/stat.h>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes longestRun{10}; // an emulator takes its time

/// What is asked for, SOURCE_DATE_EPOCH, or when the model's file was changed: never the time of the export.
Result<int64_t> createdOf(const fs::path& model) {
    if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
        int64_t seconds = 0;
        const std::string_view text(epoch);
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (status != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > latestTime)
            return failure(ErrorKind::Usage, fmt::format("SOURCE_DATE_EPOCH is '{}', no number of seconds", epoch));
        return seconds;
    }
    struct stat facts{};
    if (stat(model.c_str(), &facts) != 0)
        return failure("the model cannot be read");
    return std::clamp<int64_t>(facts.st_mtim.tv_sec, 0, latestTime);
}

constexpr int64_t runtimePages = 65536; // the runtime is linked for these (cmake/runtimes.cmake), programs too

/// The largest pages that the artifact can be loaded with: each of its segments begins at a multiple of them.
int64_t pageSizeOf(const fs::path& artifact) {
    std::ifstream file(artifact, std::ios::binary | std::ios::ate);
    runtime::ArtifactImage image;
    image.size = static_cast<uint64_t>(file.tellg());
    image.read = [&](void* to, size_t bytes, uint64_t offset) {
        file.seekg(static_cast<std::streamoff>(offset));
        return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
    };
    LATHE_ASSERT(!runtime::readHeader(image) && !runtime::readSegments(image), "what was compiled is an artifact");
    uint64_t least = runtimePages;
    for (const Elf64_Phdr& segment : image.segments)
        if (segment.p_type == PT_LOAD)
            least = std::min(least, uint64_t{segment.p_align});
    return static_cast<int64_t>(least);
}

/// "x86-64-v3", "aarch64-cortex-a72": short, and a part of a path. Features beside the cpu's own stand in the manifest.
std::string tagOf(const Target& target) {
    std::string tag(target.cpu);
    if (target.architecture != Architecture::X86_64)
        tag = fmt::format("{}-{}", codegen::nameOf(target.architecture), target.cpu);
    for (char& c : tag)
        if (!isBundlePath(std::string(1, c)) && c != '.')
            c = '-';
    return tag;
}

} // namespace

Result<std::shared_ptr<driver::Trace>> Planner::compileTo(const fs::path& out, driver::Options options,
                                                          const driver::Decisions& decisions, std::string_view what,
                                                          double from, double to) {
    auto trace = std::make_shared<driver::Trace>();
    driver::Progress progress;
    progress.cancelled = progress_.cancelled;
    if (progress_.report)
        progress.report = [&](std::string_view stage, double fraction) {
            progress_.report(fmt::format("{}: {}", what, stage), from + (to - from) * fraction);
        };
    // What is made is named after the bundle, whatever the file is called.
    options.name = options_.name;
    options.offeredAlone = true;
    const driver::ModelSource source{
        model_.string(), [&](relay::Evaluator* evaluator, const frontend::Options& importOptions) {
            frontend::Imported imported = frontend::importFile(model_, evaluator, importOptions);
            if (imported.graph)
                imported.graph->file = options_.name;
            return imported;
        }};
    const auto artifact =
        driver::compile(source, out, driver::forTarget(decisions, options.target), options, *trace, progress);
    for (Diagnostic& diagnostic : trace->diagnostics) {
        if (diagnostic.file == options_.name)
            diagnostic.file = model_.string();
        if (diagnostic.severity != Severity::Error && std::ranges::find(diagnostics_, diagnostic) == diagnostics_.end())
            diagnostics_.push_back(diagnostic);
    }
    if (!artifact) {
        Diagnostic problem = artifact.error();
        if (problem.file == options_.name)
            problem.file = model_.string();
        return Failure(problem);
    }
    return trace;
}

Result<Planner::Compiled> Planner::compile(const Target& target, driver::NumericsLevel numerics,
                                           const driver::Decisions& decisions, std::string_view what, double from,
                                           double to) {
    auto file = std::make_shared<MemoryFile>("lathe-model");
    driver::Options options = options_.compile;
    options.target = target;
    options.numerics = numerics;
    LATHE_TRY(auto trace, compileTo(file->path(), options, decisions, what, from, to));
    return Compiled{std::move(file), std::move(trace)};
}

Result<fs::path> Planner::hold(const fs::path& file) {
    auto held = std::make_shared<MemoryFile>("lathe-file");
    std::ifstream from(file, std::ios::binary);
    std::vector<char> part(filePartBytes);
    while (from) {
        from.read(part.data(), static_cast<std::streamsize>(part.size()));
        LATHE_CHECKED(held->append(std::as_bytes(std::span(part)).first(static_cast<size_t>(from.gcount()))));
    }
    if (!from.eof())
        return failure("what was made cannot be read again", "look at the space in TMPDIR");
    bundle_.held.push_back(held);
    return held->path();
}

Result<void> Planner::findRuntimes() {
    if (!hasVariants(options_.form) && options_.targets.size() > 1)
        return failure(ErrorKind::Usage, "a program is for one target: it has no variants", "name one --target");
    for (const Target& target : options_.targets) {
        LATHE_TRY(RuntimePackage package, findRuntime(target, options_.runtimeFolder));
        packages_.push_back(std::move(package));
    }
    return {};
}

Result<void> Planner::compileVariants() {
    std::set<std::string> tags;
    const auto count = static_cast<double>(options_.targets.size());
    for (size_t i = 0; i < options_.targets.size(); ++i) {
        const Target& target = options_.targets[i];
        if (std::ranges::count(options_.targets, target) > 1)
            return failure(ErrorKind::Usage, fmt::format("the target '{}' is named twice", toString(target)),
                           "name it once");
        std::string tag = tagOf(target);
        for (int n = 2; !tags.insert(tag).second; ++n)
            tag = fmt::format("{}-{}", tagOf(target), n);
        LATHE_TRY(Compiled compiled, compile(target, options_.compile.numerics, options_.decisions, tag,
                                             0.05 + 0.6 * static_cast<double>(i) / count,
                                             0.05 + 0.6 * static_cast<double>(i + 1) / count));
        const std::string path = options_.targets.size() == 1 ? fmt::format("model/{}.so", options_.name)
                                                              : fmt::format("model/{}-{}.so", options_.name, tag);
        ManifestVariant& variant = manifest_.variants.emplace_back();
        variant.path = path;
        variant.tag = tag;
        variant.triple = packages_[i].triple;
        variant.machine = codegen::nameOf(target.architecture);
        variant.target = toString(target);
        variant.cpu = target.cpu;
        codegen::Required needs = codegen::requiredOf(target);
        variant.isa = std::move(needs.isa);
        variant.vectorBits = needs.vectorBits;
        if (options_.form == BundleForm::Folder) {
            variant.glibc = packages_[i].glibc;
            variant.glibcxx = packages_[i].glibcxx;
            variant.maxPageSize = std::min(pageSizeOf(compiled.first->path()), runtimePages);
        } else if (options_.form == BundleForm::Program) {
            variant.maxPageSize = runtimePages;
        }
        if (options_.form == BundleForm::Folder) {
            addCopy(path, FileKind::Artifact, compiled.first->path(), true);
            bundle_.held.push_back(compiled.first);
        }
        variants_.push_back(std::move(compiled));
    }
    trace_ = variants_.front().second;
    for (const ManifestVariant& variant : manifest_.variants)
        bundle_.plan.tag += (bundle_.plan.tag.empty() ? "" : "+") + variant.tag;
    return {};
}

Result<void> Planner::makeCases() {
    LATHE_TRY(const Compiled strict,
              compile(codegen::baselineTarget(), driver::NumericsLevel::Strict, {}, "golden cases", 0.65, 0.9));
    // What is drawn at random is not compared, but stands in the bundle, which is to be the same each time.
    device::RunnerClient runner({.seed = 0, .timeout = longestRun, .cancelled = progress_.cancelled});
    LATHE_TRY(const device::RunnerModel loaded, runner.load(strict.first->path()));
    LATHE_TRY(options_.symbols, bySymbol(loaded, options_.symbols));
    LATHE_TRY(interface_, interfaceOf(options_.name, options_.version, loaded, options_.symbols));
    if (!has(Part::Golden))
        return {};
    LATHE_TRY(cases_, makeGolden({model_, options_, *strict.second->graph, runner}, interface_, bundle_.plan.remarks));
    for (const MadeCase& made : cases_) {
        manifest_.golden.push_back({made.golden.name, made.source});
        for (PlannedFile& file : filesOf(made, interface_))
            bundle_.plan.files.push_back(std::move(file));
    }
    return {};
}

Result<void> Planner::tryHere() {
    const device::Device& device = options_.device;
    // One of one's own choice: what runs on it is tried there, whatever runs here.
    const bool isNamed = device.transport == device::Device::Transport::Ssh || !device.cpu.empty();
    const bool severalMachines = std::ranges::any_of(options_.targets, [&](const Target& target) {
        return target.architecture != options_.targets.front().architecture;
    });
    std::optional<Diagnostic> refused;
    bool tried = false; // on the device that the bundle is for
    for (size_t i = 0; i < variants_.size(); ++i) {
        const bool here = codegen::checkRunsHere(options_.targets[i]).has_value();
        if (!here && device.isLocal())
            bundle_.plan.remarks.push_back(
                fmt::format("{} cannot run on this machine: it was not tried", manifest_.variants[i].tag));
        if (here)
            LATHE_CHECKED(tryOn({}, i));
        if (device.isLocal() || (here && !isNamed))
            continue;
        const auto there = tryOn(device, i);
        // It runs here, and the CPU that was named may be one of another of these machines.
        const bool isOthers = here && severalMachines;
        if (!there && !(isNamed && (isOthers || there.error().kind == ErrorKind::Unsupported)))
            return there;
        tried |= there.has_value();
        if (there)
            continue;
        refused = there.error();
        bundle_.plan.remarks.push_back(
            fmt::format("{} cannot run on {}: {}", manifest_.variants[i].tag, toString(device), there.error().what));
    }
    if (isNamed && !tried && refused)
        return Failure(*refused);
    return {};
}

Result<void> Planner::tryOn(const device::Device& device, size_t variant) {
    std::vector<std::string> names;
    for (const device::RunnerValue& output : interface_.outputs)
        names.push_back(output.name);
    LATHE_TRY(device::RunnerCommand command, device::runnerCommand(device, options_.targets[variant]));
    device::RunnerOptions runnerOptions{.seed = 0, .timeout = longestRun, .cancelled = progress_.cancelled};
    device::useRunner(runnerOptions, std::move(command));
    device::RunnerClient runner(std::move(runnerOptions));
    LATHE_CHECKED(runner.load(variants_[variant].first->path()));
    for (const auto& [golden, source, result] : cases_) {
        for (size_t k = 0; k < golden.inputs.size(); ++k)
            LATHE_CHECKED(runner.setInput(interface_.inputs[k].name, golden.inputs[k]));
        LATHE_CHECKED(runner.run());
        LATHE_TRY(const auto outputs, runner.outputs());
        const std::vector<std::string> wrong = data::compareCase(golden, outputs, names).wrong;
        if (!wrong.empty())
            return failure(
                fmt::format("{}{}, golden case '{}': {}", manifest_.variants[variant].tag,
                            device.isLocal() ? "" : " on " + toString(device), golden.name, wrong.front()),
                "lathe check MODEL says which value diverges first; --tolerance allows more, and --symbol names "
                "the sizes that the model is meant for");
    }
    return {};
}

Result<void> Planner::describe() {
    const driver::Trace& trace = *trace_;
    manifest_.form = options_.form;
    bundle_.plan.name = manifest_.name = options_.name;
    manifest_.version = options_.version;
    if (options_.created) {
        manifest_.created = *options_.created;
    } else {
        LATHE_TRY(manifest_.created, createdOf(model_));
    }
    manifest_.latheVersion = base::version();
    manifest_.llvmVersion = codegen::llvmVersion();
    manifest_.abiVersion = LATHE_ABI_VERSION;
    manifest_.numerics = options_.compile.numerics;
    const auto digest = digestOf(model_, progress_.cancelled);
    if (!digest)
        return failure("the model cannot be read again");
    manifest_.model = {.file = model_.filename().string(),
                       .format = trace.graph->format,
                       .sha256 = digest->sha256,
                       .producer = trace.graph->producer,
                       .licence = options_.licence.empty() ? "NOASSERTION" : options_.licence,
                       .versions = trace.graph->versions,
                       .externalData = {}};
    std::error_code ignored;
    for (const fs::path& file : trace.files)
        if (!fs::equivalent(file, model_, ignored))
            if (const auto data = digestOf(file, progress_.cancelled))
                manifest_.model.externalData.push_back({file.filename().string(), data->sha256});
    std::ranges::sort(manifest_.model.externalData, {}, [](const auto& data) { return data.file; });
    manifest_.inputs = manifestValues(interface_.inputs);
    manifest_.outputs = manifestValues(interface_.outputs);
    manifest_.symbols = interface_.ranges;
    if (trace.peakBytes) {
        manifest_.peakBytes = arith::toString(trace.peakBytes);
        manifest_.usualPeakBytes = arith::evaluate(
            trace.peakBytes, inspect::symbolValues(trace.passes.front().after->main(), usualShapes(interface_)));
    }
    manifest_.tolerance = options_.tolerance;
    manifest_.limits = options_.limits;
    return {};
}

void Planner::remarkOnSchedules() {
    std::vector<std::pair<Target, std::string>> owners; // whom schedules may be decided for
    for (size_t i = 0; i < options_.targets.size(); ++i)
        owners.emplace_back(options_.form == BundleForm::CSource ? codegen::cTarget(options_.targets[i])
                                                                 : options_.targets[i],
                            manifest_.variants[i].tag);
    const Target here = codegen::nativeTarget();
    if (std::ranges::find(owners, here, &std::pair<Target, std::string>::first) == owners.end())
        owners.emplace_back(here, here.cpu);
    const auto remark = [&](size_t count, const std::string& owner) {
        std::vector<std::string> others;
        for (const ManifestVariant& variant : manifest_.variants)
            if (variant.tag != owner)
                others.push_back(options_.form == BundleForm::CSource ? "C source" : variant.tag);
        if (count > 0 && !others.empty())
            bundle_.plan.remarks.push_back(fmt::format("{} decided schedule{} for {}: {} {} the default ones", count,
                                                       count == 1 ? " is" : "s are", owner, fmt::join(others, ", "),
                                                       others.size() == 1 ? "has" : "have"));
    };
    size_t left = options_.decisions.kernels.size();
    for (const auto& [target, owner] : owners) {
        const size_t own = driver::forTarget(options_.decisions, target).kernels.size();
        remark(own, owner);
        left -= own;
    }
    remark(left, "other targets");
}

void Planner::addRemarks() {
    std::vector<std::string>& remarks = bundle_.plan.remarks;
    remarkOnSchedules();
    for (const auto& [name, range] : interface_.ranges)
        if (!range.most)
            remarks.push_back(fmt::format(
                "size '{}' has no upper bound, nor has the memory of a run: --symbol {}=1..MOST", name, name));
    const Limits& limits = options_.limits;
    if (limits.p50Ms > 0 || limits.p99Ms > 0 || limits.loadMs > 0 || limits.residentBytes > 0)
        remarks.push_back("limits of time and memory are not measured here: lathe bundle check and ./check hold them");
    if (options_.form == BundleForm::CSource)
        return;
    if (options_.form == BundleForm::Folder && options_.targets.size() == 1 &&
        codegen::requiredOf(options_.targets.front()).has("avx512f"))
        remarks.push_back(
            "it needs AVX-512, which many machines lack: --target x86-64-v4 --target x86-64-v3 serves both");
    std::error_code failed;
    uint64_t model = fs::file_size(model_, failed);
    for (const fs::path& file : trace_->files)
        if (!fs::equivalent(file, model_, failed))
            model += fs::file_size(file, failed);
    const uint64_t artifact = fs::file_size(variants_.front().first->path(), failed);
    constexpr uint64_t small = uint64_t{1} << 20;
    if (!failed && artifact > small && artifact * 2 > model * 3)
        remarks.push_back(fmt::format("the artifact takes {} bytes, the model {}: weights are stored in forms that are "
                                      "faster and larger (docs/deployment.md says how to trade that)",
                                      artifact, model));
}

void Planner::remarkOnExamples() {
    if (has(Part::Examples) && hasChoice(options_.form, Part::Examples) &&
        std::ranges::find(bundle_.plan.files, FileKind::Example, &PlannedFile::kind) == bundle_.plan.files.end())
        bundle_.plan.remarks.push_back("there are no examples: each runs a golden case, from C and C++ or from Python");
}

Planner::Words Planner::words() const {
    std::string machines;
    for (const ManifestVariant& variant : manifest_.variants)
        if (!machines.contains(variant.machine))
            machines += (machines.empty() ? "" : ", ") + variant.machine;
    std::string upper = options_.name;
    for (char& c : upper)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return {{"NAME", options_.name},
            {"UPPER", upper},
            {"TRIPLE", manifest_.variants.front().triple},
            {"VERSION", options_.version},
            {"MACHINES", machines},
            {"LATHE", manifest_.latheVersion},
            // What examples say, which run the first case.
            {"RIGHT", cases_.empty() ? "" : cases_.front().result.verdict("outputs as expected")},
            {"CREATED", std::to_string(manifest_.created)}};
}

void Planner::addDocuments(const Words& words) {
    add("README.md", FileKind::Document, readmeOf(manifest_, use_));
    add("licenses/Apache-2.0.txt", FileKind::Licence, std::string(textOf("Apache-2.0.txt")));
    add("licenses/THIRD_PARTY.md", FileKind::Licence, thirdPartyText(manifest_));
    // A library is linked with the C and C++ libraries of whoever takes it, and C source has no runtime.
    if (!packages_.empty())
        for (const std::string& file : packages_.front().files)
            if (file.starts_with("licenses/") &&
                (options_.form != BundleForm::Library || file == "licenses/xxhash.txt"))
                addCopy(file, FileKind::Licence, packages_.front().folder / file);
    if (has(Part::Reproduce)) {
        add("reproduce/reproduce.sh", FileKind::Reproduce, filled("reproduce.sh", words), true);
        add("reproduce/options.json", FileKind::Reproduce, toJson(options_));
        add("reproduce/decisions.json", FileKind::Reproduce, driver::toJson(options_.decisions) + "\n");
        // As sha256sum prints it, but for the name, which may be any bytes.
        add("reproduce/model.sha256", FileKind::Reproduce, manifest_.model.sha256 + "  -\n");
    }
}

Result<void> Planner::addManifest() {
    std::vector<PlannedFile>& files = bundle_.plan.files;
    const auto note = [&](size_t from) -> Result<void> {
        for (size_t i = from; i < files.size(); ++i) {
            const PlannedFile& file = files[i];
            LATHE_ASSERT(isBundlePath(file.path), "paths of a bundle are good ones");
            const auto digest = file.from.empty() ? FileDigest{sha256(file.text), file.text.size()}
                                                  : digestOf(file.from, progress_.cancelled);
            if (!digest) {
                Diagnostic unread = error("the file cannot be read");
                unread.file = file.from.string();
                return Failure(unread);
            }
            manifest_.files.push_back({file.path, digest->bytes, digest->sha256, std::string(toString(file.kind))});
        }
        std::ranges::sort(manifest_.files, {}, &ManifestFile::path);
        return {};
    };
    LATHE_CHECKED(note(0));
    if (has(Part::Sbom)) {
        const size_t before = files.size();
        std::map<std::string, std::string> sha1s;
        for (const PlannedFile& file : files) {
            const auto hash = file.from.empty() ? sha1(file.text) : sha1Of(file.from, progress_.cancelled);
            sha1s[file.path] = hash.value_or(std::string()); // it was read a moment ago
        }
        const Sbom sbom = sbomOf(manifest_, sha1s);
        add("sbom.spdx.json", FileKind::Sbom, sbom.spdx);
        add("sbom.cdx.json", FileKind::Sbom, sbom.cycloneDx);
        LATHE_CHECKED(note(before));
    }
    std::string sums;
    for (const ManifestFile& file : manifest_.files)
        sums += file.sha256 + "  " + file.path + "\n";
    manifest_.bundleId = bundle_.plan.bundleId = sha256(sums);
    const std::string manifest = toJson(manifest_);
    add("manifest.json", FileKind::Document, manifest);
    const std::string line = sha256(manifest) + "  manifest.json\n";
    size_t at = 0; // the lines are sorted by path
    for (const ManifestFile& file : manifest_.files)
        if (file.path < "manifest.json")
            at += file.sha256.size() + 2 + file.path.size() + 1;
    add("SHA256SUMS", FileKind::Check, sums.insert(at, line));
    std::ranges::sort(files, {}, &PlannedFile::path);
    for (const ManifestFile& file : manifest_.files)
        bundle_.plan.bytes += file.bytes;
    bundle_.plan.bytes += manifest.size() + sums.size();
    if (manifest_.limits.sizeBytes > 0 && bundle_.plan.bytes > static_cast<uint64_t>(manifest_.limits.sizeBytes))
        return failure(fmt::format("the bundle takes {} bytes, and at most {} were asked for", bundle_.plan.bytes,
                                   manifest_.limits.sizeBytes),
                       "leave out parts by --without, or allow more by --limit size=");
    return {};
}

Result<PlannedBundle> Planner::plan() {
    LATHE_CHECKED(validate(options_));
    if (options_.name.empty())
        options_.name = modelNameOf(model_);
    if (options_.targets.empty())
        options_.targets.push_back(codegen::nativeTarget());
    options_.compile.bytesPerMultiplyAdd.reset(); // nothing that was measured here decides what runs elsewhere
    step("runtime packages", 0);
    if (options_.form == BundleForm::CSource) {
        LATHE_CHECKED(writeSource());
        LATHE_CHECKED(makeCases());
    } else {
        LATHE_CHECKED(findRuntimes());
        LATHE_CHECKED(compileVariants());
        LATHE_CHECKED(makeCases());
        step("trying it", 0.9);
        LATHE_CHECKED(tryHere());
        if (options_.form != BundleForm::Folder)
            LATHE_CHECKED(link());
    }
    step("files", 0.95);
    LATHE_CHECKED(describe());
    addRemarks();
    const Words known = words();
    if (options_.form == BundleForm::CSource) {
        addSourceTexts(known);
    } else if (options_.form == BundleForm::Folder) {
        addPackages();
        addFolderTexts(known);
    } else {
        addLinkedTexts(known);
    }
    remarkOnExamples();
    addDocuments(known);
    LATHE_CHECKED(addManifest());
    step("planned", 1);
    return std::move(bundle_);
}

Result<PlannedBundle> planBundle(const fs::path& model, const BundleOptions& options,
                                 std::vector<Diagnostic>& diagnostics, const driver::Progress& progress) {
    return guarded([&] { return Planner(model, options, diagnostics, progress).plan(); });
}

} // namespace lathe::deploy
