// SPDX-License-Identifier: Apache-2.0
//
// What makes a plan of a bundle, step by step: runtimes and compilations (plan_variants.cpp), golden cases
// (plan_cases.cpp), remarks (plan_remarks.cpp), documents and manifest (plan_documents.cpp). Which files there are
// beside these depends on the bundle's form: plan_folder.cpp, plan_linked.cpp, plan_c_source.cpp. planner.cpp has the
// order.
#pragma once

#include "base/guarded.h"
#include "deploy/bundle_model.h"
#include "deploy/golden.h"
#include "deploy/model_interface.h"
#include "deploy/runtime_package.h"
#include "driver/compile.h"

#include <map>

namespace lathe::deploy {

/// Makes a plan step by step.
class Planner {
public:
    Planner(const std::filesystem::path& model, const BundleOptions& options, std::vector<Diagnostic>& diagnostics,
            const driver::Progress& progress)
        : model_(model), options_(options), diagnostics_(diagnostics), progress_(progress) {}

    Result<PlannedBundle> plan();

private:
    using Compiled = std::pair<std::shared_ptr<const MemoryFile>, std::shared_ptr<driver::Trace>>;
    using Words = std::map<std::string, std::string>; // of texts.h

    void step(std::string_view what, double fraction) const {
        if (progress_.cancelled && progress_.cancelled())
            throw Cancelled{};
        if (progress_.report)
            progress_.report(what, fraction);
    }
    /// Under the bundle's name, to `out`. from, to: of the progress.
    Result<std::shared_ptr<driver::Trace>> compileTo(const std::filesystem::path& out, driver::Options options,
                                                     const driver::Decisions& decisions, std::string_view what,
                                                     double from, double to);
    /// The artifact in memory.
    Result<Compiled> compile(const Target& target, driver::NumericsLevel numerics, const driver::Decisions& decisions,
                             std::string_view what, double from, double to);
    /// Fails with those of BundleOptions::plugins that are not there.
    Result<void> requirePlugins();
    Result<void> findRuntimes();
    Result<void> compileVariants();
    Result<void> makeCases();
    /// Artifacts that this machine, or the device, can run must agree with the golden cases.
    Result<void> tryHere();
    Result<void> tryOn(const device::Device& device, size_t variant);
    Result<void> describe();
    /// That the compilations go back to, by id.
    std::vector<driver::PluginId> plugins() const;
    /// What whoever exports may not have thought of.
    void addRemarks();
    /// Which of the decided schedules are not for all targets.
    void remarkOnSchedules();
    /// Nor that examples are chosen, and none can be made.
    void remarkOnExamples();
    void addDocuments(const Words& words);
    Words words() const;
    // The folder that works as it is.
    void addPackages();
    void addFolderTexts(const Words& words);
    // A static library of the model, and a program.
    Result<void> link();
    void addLinkedTexts(const Words& words);
    std::string linkCommand() const; // as it was run, for the README
    // C source.
    Result<void> writeSource();
    void addSourceTexts(const Words& words);
    std::string sourceCase(const MadeCase& made) const; // lines of a Makefile
    Result<void> addManifest();

    void add(std::string path, FileKind kind, std::string text, bool program = false) {
        bundle_.plan.files.push_back({std::move(path), kind, std::move(text), {}, program});
    }
    void addCopy(std::string path, FileKind kind, std::filesystem::path from, bool program = false) {
        bundle_.plan.files.push_back({std::move(path), kind, {}, std::move(from), program});
    }
    /// A copy of the file in memory, which the plan keeps; its path.
    Result<std::filesystem::path> hold(const std::filesystem::path& file);
    bool has(Part part) const { return options_.parts.contains(part); }

    const std::filesystem::path& model_;
    BundleOptions options_;
    std::vector<Diagnostic>& diagnostics_;
    const driver::Progress& progress_;
    PlannedBundle bundle_;
    Manifest& manifest_ = bundle_.manifest;
    std::vector<RuntimePackage> packages_; // by variant; two may be one
    std::vector<Compiled> variants_;
    std::shared_ptr<driver::Trace> trace_; // of the first that was compiled
    ModelInterface interface_;
    std::vector<MadeCase> cases_;
    std::string use_; // of the README: how whoever has this form checks and uses it
};

} // namespace lathe::deploy
