// SPDX-License-Identifier: Apache-2.0
//
// Branches that elements decide, which are left to run. Each block is evaluated once to see what it changes, forgotten, and
// evaluated again with that for its results.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr const char* attempted = "a block is attempted";

} // namespace

Evaluator::Ended Evaluator::attempt(const World& before, const std::function<Flow()>& run,
                                    const std::function<void(const Block& block)>& within) {
    Ended ended;
    bool isDone = false;
    const Trace::Mark mark = trace_.mark();
    ++unknown_;
    within([&]() -> Var {
        ended.flow = run();
        if (failed())
            return {};
        ended.changes = changesSince(before);
        isDone = !failed();
        b_.disagree(attempted);
        return {};
    });
    --unknown_;
    if (!isDone && raised_ && b_.disagreed()) {
        ended.raises = true;
        ended.message = *std::exchange(raised_, std::nullopt);
    }
    if (isDone || ended.raises)
        b_.takeBack();
    restore(before);
    trace_.backTo(mark);
    return ended;
}

Var Evaluator::side(const World& before, const std::vector<Statement>& block, const std::vector<Change>& changes,
                    std::vector<std::shared_ptr<const model::Graph>>& graphs) {
    restore(before);
    trace_.open();
    run(block);
    std::vector<Var> vars = varsOf(changes);
    if (!failed() && !vars.empty())
        vars[0] = checked(vars[0]);
    graphs.push_back(trace_.close());
    return failed() ? Var{} : vars.size() == 1 ? vars[0] : b_.tuple(vars);
}

Evaluator::Flow Evaluator::branch(const Statement& statement, const ScriptValue& condition) {
    const World before = world();
    const Var decides = toScalarTensor(b_, condition);
    const auto runs = [&](const std::vector<Statement>& block) { return [&] { return run(block); }; };
    const auto none = [&] { return b_.scalarInt(0); };
    const Ended whenTrue =
        attempt(before, runs(statement.body), [&](const Block& block) { b_.ifElse(decides, block, none); });
    if (failed())
        return Flow::Next;
    const Ended whenFalse =
        attempt(before, runs(statement.otherwise), [&](const Block& block) { b_.ifElse(decides, none, block); });
    if (failed())
        return Flow::Next;
    if (whenTrue.raises || whenFalse.raises) {
        if (whenTrue.raises && whenFalse.raises)
            raise(whenTrue.message);
        else if (whenTrue.raises)
            require(*callNumberFunction(b_, "aten.__not__", {condition}), whenTrue.message);
        else
            require(condition, whenFalse.message);
        return failed() ? Flow::Next : run(whenTrue.raises ? statement.otherwise : statement.body);
    }
    if (whenTrue.flow == Flow::Return || whenFalse.flow == Flow::Return) {
        refuse("a branch that is left to run returns from its function",
               "save the model by a newer version of PyTorch");
        return Flow::Next;
    }
    // A list that both append to is one of more elements.
    const auto asContent = [](std::vector<Change> all) {
        for (Change& change : all)
            if (change.kind == Change::Kind::Grown) {
                change.kind = Change::Kind::Content;
                change.parts = std::exchange(change.all, {});
            }
        return all;
    };
    std::vector<Change> changes = joinAll(asContent(whenTrue.changes), asContent(whenFalse.changes), before);
    // What is set in one branch alone is read in no other.
    std::erase_if(changes, [&](const Change& change) {
        const auto isSet = [&](const Ended& ended) {
            return std::ranges::any_of(ended.changes, [&](const Change& one) { return one.isOfSame(change); });
        };
        return change.kind == Change::Kind::Variable && !before.variables.contains(change.name) &&
               (!isSet(whenTrue) || !isSet(whenFalse));
    });
    requireOutliving(changes, before);
    if (!failed() && !changes.empty())
        merge(before, statement, condition, changes);
    return Flow::Next;
}

void Evaluator::merge(const World& before, const Statement& statement, const ScriptValue& condition,
                      const std::vector<Change>& changes) {
    enter("prim.If", nullptr, {});
    const model::Span span = b_.span();
    const Var decides = toScalarTensor(b_, condition);
    std::vector<std::shared_ptr<const model::Graph>> graphs;
    std::set<Place> written = written_;
    size_t count = 0;
    for (const Change& change : changes)
        for (const Joined& part : change.parts)
            count += slotsOf(part);
    const auto build = [&](const std::vector<Statement>& block) {
        return [&] {
            const Var result = side(before, block, changes, graphs);
            written.insert(written_.begin(), written_.end());
            b_.setSpan(span);
            return result;
        };
    };
    ++unknown_;
    const Var result = count == 0 ? Var{} : b_.ifElse(decides, build(statement.body), build(statement.otherwise));
    --unknown_;
    restore(before);
    written_ = std::move(written);
    addBlocks(std::move(graphs), span);
    std::vector<Var> vars;
    for (size_t i = 0; i < count && !failed(); ++i)
        vars.push_back(count == 1 ? result : b_.project(result, static_cast<int>(i)));
    if (!failed())
        apply(changes, vars, true);
}

} // namespace lathe::frontend::torch::script
