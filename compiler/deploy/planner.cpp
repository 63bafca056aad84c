// SPDX-License-Identifier: Apache-2.0
//
// The order of the steps, and what several of them do: a compilation under the bundle's name, a file that the plan
// keeps.
#include "deploy/planner.h"

#include "base/guarded.h"
#include "codegen/target.h"
#include "deploy/file_digest.h"
#include "driver/extensions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

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

Result<void> Planner::requirePlugins() {
    std::vector<std::string> missing;
    for (const driver::PluginId& wanted : options_.plugins) {
        const driver::PluginId* there = nullptr;
        if (options_.compile.extensions)
            for (const driver::PluginId& each : options_.compile.extensions->plugins)
                there = each.id == wanted.id ? &each : there;
        if (!there) {
            missing.push_back(fmt::format("{} {}", wanted.id, wanted.version));
        } else if (there->version != wanted.version) {
            Diagnostic note =
                error(fmt::format("the bundle was made with plugin {} {}, and this is {}: the bytes may differ",
                                  wanted.id, wanted.version, there->version));
            note.severity = Severity::Warning;
            diagnostics_.push_back(std::move(note));
        }
    }
    if (missing.empty())
        return {};
    return failure(
        fmt::format("the bundle was made with plugins that are not there, or are off: {}", fmt::join(missing, ", ")),
        "install them, or name their folders by --plugin");
}

Result<PlannedBundle> Planner::plan() {
    LATHE_CHECKED(validate(options_));
    LATHE_CHECKED(requirePlugins());
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
