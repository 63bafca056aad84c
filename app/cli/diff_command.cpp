// SPDX-License-Identifier: Apache-2.0
//
// `lathe diff`: what is different in two models, or in two artifacts. A project stands for its model; of two projects, what
// was decided and set is compared too, and whether their models were the same file.
#include "app/cli/common_options.h"
#include "app/cli/prepare.h"
#include "app/cli/print_line.h"
#include "base/json.h"
#include "inspect/artifact_diff.h"
#include "inspect/computation_diff.h"
#include "project/file.h"
#include "project/graph_choice.h"
#include "project/project_diff.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace lathe::cli {
namespace {

/// 1 says "different", so whatever prevented the comparison is 2, or 3 if it is Lathe's fault.
int fail(const std::vector<Diagnostic>& diagnostics, const Common& common) {
    return std::max(2, report(diagnostics, common));
}

std::string kindOf(bool before, bool after) {
    return !before ? "added" : !after ? "removed" : "changed";
}

std::string nameOf(const model::Node& node) {
    return fmt::format("{} ({})", model::displayName(node), node.op);
}

nlohmann::json asJson(const graph::NodeChange& change) {
    nlohmann::json json{{"node", change.after ? model::displayName(*change.after) : model::displayName(*change.before)},
                        {"change", change.changes.empty() && change.before && change.after
                                       ? "kept"
                                       : kindOf(change.before, change.after)},
                        {"operator", (change.after ? change.after : change.before)->op}};
    if (change.renamed)
        json["renamed_from"] = model::displayName(*change.before);
    if (change.moved)
        json["moved"] = true;
    if (!change.changes.empty())
        json["changes"] = change.changes;
    return json;
}

void print(const graph::NodeChange& change) {
    if (!change.before || !change.after) {
        printLine("{} {}", change.after ? "+" : "-", nameOf(change.after ? *change.after : *change.before));
        return;
    }
    std::string line = nameOf(*change.after);
    if (change.renamed)
        line += fmt::format(", renamed from {}", model::displayName(*change.before));
    if (change.moved)
        line += ", moved";
    printLine("{} {}", change.changes.empty() ? " " : "~", line);
    for (const std::string& text : change.changes)
        printLine("    {}", text);
}

/// A change of what has a name and a text; `what` and `name` may be empty, but not both.
void print(std::string_view what, const std::string& name, const std::string& before, const std::string& after) {
    const std::string subject = fmt::format("{}{}{}", what, what.empty() || name.empty() ? "" : " ", name);
    if (before.empty() || after.empty())
        printLine("{} {}: {}{}", after.empty() ? "-" : "+", subject, before, after);
    else
        printLine("~ {}: {} → {}", subject, before, after);
}

/// A model, or what a project says of its own.
struct Side {
    std::string model;
    std::optional<project::Project> project;
};

Result<Side> sideOf(const std::string& path, const Common& common) {
    if (std::filesystem::path(path).extension() != ".lathe")
        return Side{path, {}};
    LATHE_TRY(project::Project project, project::File::peek(path));
    report(project.warnings, common);
    if (const auto now = project::referenceTo(project.model.path);
        now && !project.model.hash.empty() && now->hash != project.model.hash) {
        Diagnostic changed =
            error("the model has changed since the project was written", "what is compared is the model as it is now");
        changed.severity = Severity::Warning;
        changed.file = project.model.path.string();
        report({changed}, common);
    }
    return Side{project.model.path.string(), std::move(project)};
}

/// Asks for the graph that the work is about.
Result<void> askAsIn(const project::Project& project, driver::Options& options) {
    const auto kept = project.kept.find(project::settingsKey);
    const auto settings = kept == project.kept.end() ? std::nullopt : parseJson(kept->second);
    if (!settings || !settings->is_object() || !settings->contains(project::graphKey))
        return {};
    LATHE_TRY(const project::GraphChoice choice, project::GraphChoice::fromJson(dump((*settings)[project::graphKey])));
    return choice.addTo(options);
}

/// What two projects say of their work that is not the same.
struct WorkDiff {
    size_t decided = 0; // decisions and settings
    bool contents = false;
};

WorkDiff diffWork(const Side& before, const Side& after, const Common& common) {
    WorkDiff diff;
    if (!before.project || !after.project)
        return diff;
    const std::vector<project::ProjectChange> changes = project::diffProjects(*before.project, *after.project);
    for (const project::ProjectChange& change : changes) {
        if (change.what == "model")
            diff.contents = true;
        else
            ++diff.decided;
        if (common.json)
            fmt::print("{}\n", dump({{change.what, change.name},
                                     {"change", kindOf(!change.before.empty(), !change.after.empty())},
                                     {"before", change.before},
                                     {"after", change.after}}));
        else
            print(change.what, change.name, change.before, change.after);
    }
    return diff;
}

int diffTwoModels(const DiffArgs& args, const driver::Options& options, const Common& common) {
    inspect::ImportedModel models[2];
    Side sides[2];
    for (const size_t i : {0, 1}) {
        auto side = sideOf(i == 0 ? args.before : args.after, common);
        if (!side)
            return fail({side.error()}, common);
        sides[i] = *std::move(side);
        driver::Trace trace;
        driver::Options own = options;
        if (sides[i].project)
            if (const auto asked = askAsIn(*sides[i].project, own); !asked)
                return fail({inFile(asked.error(), i == 0 ? args.before : args.after)}, common);
        const auto imported = driver::importFile(sides[i].model, own, trace);
        // A model that is refused has a graph nevertheless, if it can be read at all; arguments that do not fit have none.
        if (!trace.graph ||
            std::ranges::find(trace.diagnostics, ErrorKind::Usage, &Diagnostic::kind) != trace.diagnostics.end())
            return fail(trace.diagnostics, common);
        models[i] = {trace.graph, imported ? *imported : nullptr};
    }
    const WorkDiff work = diffWork(sides[0], sides[1], common);
    const auto compared = inspect::diffImported(models[0], models[1]);
    if (!compared)
        return fail({compared.error()}, common);
    const graph::ModelDiff& diff = *compared;
    const bool byComputation = inspect::areOfTwoFormats(models[0], models[1]);
    const bool isEqual = diff.sameStructure() && work.decided == 0 && !work.contents;
    const auto count = [&](const auto& is) { return std::ranges::count_if(diff.nodes, is); };
    const auto added = count([](const auto& change) { return !change.before; });
    const auto removed = count([](const auto& change) { return !change.after; });
    const auto changed = count([](const auto& change) { return !change.changes.empty(); });
    const auto renamed = count([](const auto& change) { return change.renamed; });
    const auto moved = count([](const auto& change) { return change.moved; });
    for (const graph::ValueChange& change : diff.values) {
        const char* what = change.output ? "output" : "input";
        if (common.json)
            fmt::print("{}\n", dump({{what, change.name},
                                     {"change", kindOf(!change.before.empty(), !change.after.empty())},
                                     {"before", change.before},
                                     {"after", change.after}}));
        else
            print(what, change.name, change.before, change.after);
    }
    for (const graph::NodeChange& change : diff.nodes) {
        if (common.json)
            fmt::print("{}\n", dump(asJson(change)));
        else
            print(change);
    }
    if (common.json)
        fmt::print("{}\n", dump({{"equal", isEqual},
                                 {"added", added},
                                 {"removed", removed},
                                 {"changed", changed},
                                 {"renamed", renamed},
                                 {"moved", moved},
                                 {"same", diff.equal.size()},
                                 {"compared_by", byComputation ? "computation" : "nodes"},
                                 {"decided", work.decided}}));
    else if (!common.quiet)
        printLine("{}{}{}: {} added, {} removed, {} changed, {} renamed, {} moved, {} the same{}",
                  !diff.sameStructure() ? "different"
                  : byComputation       ? "equal in what they compute"
                                        : "equal structure",
                  work.decided ? ", decided otherwise" : "", work.contents ? ", of other files" : "", added, removed,
                  changed, renamed, moved, diff.equal.size(),
                  work.decided ? fmt::format("; {} of decisions and settings differ", work.decided) : "");
    return isEqual ? 0 : 1;
}

int diffTwoArtifacts(const DiffArgs& args, const Common& common) {
    device::RunnerClient runner;
    const auto before = inspect::readFacts(args.before, runner);
    if (!before)
        return fail({before.error()}, common);
    const auto after = inspect::readFacts(args.after, runner);
    if (!after)
        return fail({after.error()}, common);
    const std::vector<inspect::ArtifactChange> changes = inspect::diffArtifacts(*before, *after);
    for (const inspect::ArtifactChange& change : changes) {
        if (common.json)
            fmt::print("{}\n", dump({{"what", change.what},
                                     {"name", change.name},
                                     {"change", kindOf(!change.before.empty(), !change.after.empty())},
                                     {"before", change.before},
                                     {"after", change.after}}));
        else
            print(change.what, change.name, change.before, change.after);
    }
    const artifact::Parts &a = before->parts, &b = after->parts;
    const bool onlyName = changes.size() == 1 && changes.front().what == "name";
    if (common.json)
        fmt::print("{}\n", dump({{"equal", changes.empty()},
                                 {"changes", changes.size()},
                                 {"code_bytes", {a.codeBytes, b.codeBytes}},
                                 {"constant_bytes", {a.constantBytes, b.constantBytes}}}));
    else if (!common.quiet)
        printLine("{}: code {} → {} bytes, constants {} → {} bytes",
                  onlyName          ? "different in the name alone, kernels and constants are equal"
                  : changes.empty() ? "equal"
                                    : "different",
                  a.codeBytes, b.codeBytes, a.constantBytes, b.constantBytes);
    return changes.empty() ? 0 : 1;
}

} // namespace

void addDiffOptions(CLI::App& app, DiffArgs& args, Common& common) {
    app.add_option("before", args.before, "a model, a project or an artifact")->required();
    app.add_option("after", args.after, "another one")->required();
    addThreads(app, common, "threads to import with (0: all)");
    addShapes(app, common);
    addCut(app, common);
    for (const char* option : {"--threads", "--shape"}) // artifacts are not imported
        ofCompiling(app.get_option(option), common);
    addPrinting(app, common);
}

int diffCommand(const DiffArgs& args, const Common& common) {
    const auto options = makeOptions(common);
    if (!options)
        return fail({options.error()}, common);
    const bool isArtifact = artifact::partsOf(args.before).has_value();
    if (isArtifact != artifact::partsOf(args.after).has_value())
        return fail({error(ErrorKind::Usage,
                           fmt::format("'{}' is an artifact, '{}' is none", isArtifact ? args.before : args.after,
                                       isArtifact ? args.after : args.before),
                           "compare two models, or two artifacts")},
                    common);
    if (!isArtifact)
        return diffTwoModels(args, *options, common);
    if (const auto plain = needsNoCompiling(args.before, common); !plain)
        return fail({plain.error()}, common);
    return diffTwoArtifacts(args, common);
}

} // namespace lathe::cli
