// SPDX-License-Identifier: Apache-2.0
#include "driver/session.h"

#include <algorithm>

namespace lathe::driver {

/// What was imported last, and for what.
struct Session::Kept {
    Target target; // folding may compile
    std::vector<std::pair<std::string, int64_t>> symbols;
    Shapes shapes;
    model::SizeNames sizeNames;
    Shapes sizesBesideNames;
    std::string signature;
    model::Cut cut;
    std::vector<std::pair<std::string, DataType>> types;
    std::vector<std::pair<std::string, std::string>> arguments;
    std::shared_ptr<const frontend::AddedOperators> added;
    frontend::Imported model; // only copied from
    Budget::Amounts spent;    // by the import

    bool standsFor(const Target& wanted, const frontend::Options& options) const {
        return target == wanted && symbols == options.symbols && shapes == options.shapes &&
               sizeNames == options.sizeNames && sizesBesideNames == options.sizesBesideNames &&
               signature == options.signature && cut == options.cut && types == options.types &&
               arguments == options.arguments && added == options.added &&
               std::ranges::all_of(model.files, [](const auto& file) { return identityOf(file.first) == file.second; });
    }
};

Session::Session(std::filesystem::path model) : model_(std::move(model)) {}
Session::~Session() = default;

ModelSource Session::source(const Options& options) {
    return {model_.string(), [this, &options](relay::Evaluator* evaluator, const frontend::Options& importOptions) {
                if (kept_ && kept_->standsFor(options.target, importOptions)) {
                    importOptions.budget->spend(kept_->spent); // so that passes find what they find after an import
                    return kept_->model;
                }
                kept_.reset(); // its memory is needed for the next
                const Budget::Amounts before = importOptions.budget->left();
                frontend::Imported imported = frontend::importFile(model_, evaluator, importOptions);
                if (!imported.module)
                    return imported;
                const Budget::Amounts after = importOptions.budget->left();
                kept_ = std::make_unique<Kept>(options.target, importOptions.symbols, importOptions.shapes,
                                               importOptions.sizeNames, importOptions.sizesBesideNames,
                                               importOptions.signature, importOptions.cut, importOptions.types,
                                               importOptions.arguments, importOptions.added, imported,
                                               Budget::Amounts{.nodes = before.nodes - after.nodes,
                                                               .bytes = before.bytes - after.bytes,
                                                               .steps = before.steps - after.steps});
                return imported;
            }};
}

Result<void> Session::open(const Options& options, Trace& trace, const Progress& progress) {
    LATHE_CHECKED(importModel(source(options), options, trace, progress));
    return {};
}

Result<Artifact> Session::compile(const std::filesystem::path& out, const Decisions& decisions, const Options& options,
                                  Trace& trace, const Progress& progress) {
    return driver::compile(source(options), out, decisions, options, trace, progress);
}

} // namespace lathe::driver
