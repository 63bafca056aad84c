// SPDX-License-Identifier: Apache-2.0
//
// Loops. One whose rounds are known, and not too many, is evaluated round by round. Else it is built as a loop of Relay: what its
// rounds change is carried, and what a round carries in is joined with what it gives until both are the same kind of thing. A
// list that gets an element in each round becomes a tensor of rows.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr int64_t mostRounds = 512; // that are evaluated one by one
constexpr int mostJoins = 8;

bool areSame(const std::vector<Change>& a, const std::vector<Change>& b) {
    return std::ranges::equal(a, b, [](const Change& x, const Change& y) {
        return x.isOfSame(y) &&
               std::ranges::equal(x.parts, y.parts, [](const Joined& p, const Joined& q) { return isSame(p, q); });
    });
}

size_t slotsOf(const std::vector<Change>& changes) {
    size_t count = 0;
    for (const Change& change : changes)
        for (const Joined& part : change.parts)
            count += change.kind == Change::Kind::Grown ? 0 : slotsOf(part);
    return count;
}

} // namespace

Evaluator::Flow Evaluator::runFor(const Statement& statement) {
    const Term& range = *statement.value;
    if (range.kind != Term::Kind::Call || pathOf(*range.parts[0]) != "range" || range.parts.size() != 2) {
        refuse("a loop goes over something else than range(n)", "save the model again by PyTorch");
        return Flow::Next;
    }
    const ScriptValue count = evaluate(*range.parts[1]);
    const std::optional<Expr> trips = toExpr(count);
    if (!trips && !failed())
        fail(fmt::format("range() of {}", kindOf(count, heap_)));
    if (failed())
        return Flow::Next;
    const std::optional<int64_t> known = arith::asInt(*trips);
    if (!known || *known > mostRounds) {
        const World before = world();
        loop(statement, before, *trips, std::nullopt);
        return Flow::Next;
    }
    for (int64_t i = 0; i < *known && !failed(); ++i) {
        assign(*statement.targets[0], Expr(i));
        if (run(statement.body) == Flow::Return)
            return Flow::Return;
    }
    return Flow::Next;
}

Evaluator::Flow Evaluator::runWhile(const Statement& statement) {
    const World before = world();
    const Trace::Mark mark = trace_.mark();
    for (int64_t round = 0; !failed(); ++round) {
        const std::optional<ScriptValue> condition = truthOf(b_, evaluate(*statement.value));
        if (!condition) {
            if (!failed())
                fail("the condition of a loop is neither true nor false");
            break;
        }
        const bool* known = condition->as<bool>();
        if (known && !*known)
            break;
        if (!known || round > mostRounds) {
            // From the beginning: what the rounds so far made is not used.
            restore(before);
            trace_.backTo(mark);
            loop(statement, before, std::nullopt, truthOf(b_, evaluate(*statement.value)));
            break;
        }
        if (run(statement.body) == Flow::Return)
            return Flow::Return;
    }
    return Flow::Next;
}

/// A loop that is left to run, while it is built.
struct Evaluator::Rounds {
    const Statement& statement;
    const World& before;
    bool isCounted = false; // by a number of rounds; else a condition ends it
    Var tripCount, begins;  // the number, or the condition of the first round
    std::vector<Change> carried{};
    Var goesOn{}; // the condition, after a round

    std::vector<const Change*> grown() const {
        std::vector<const Change*> lists;
        for (const Change& change : carried)
            if (change.kind == Change::Kind::Grown)
                lists.push_back(&change);
        return lists;
    }
};

Evaluator::Flow Evaluator::runRound(Rounds& rounds, Var iteration, const std::vector<Var>& vars) {
    const Statement& statement = rounds.statement;
    restore(rounds.before);
    apply(rounds.carried, vars, false);
    if (rounds.isCounted) {
        const std::vector<Expr> index = b_.symbolic(iteration, "i");
        if (index.size() == 1)
            assign(*statement.targets[0], index[0]);
    }
    const Flow flow = failed() ? Flow::Next : run(statement.body);
    if (!rounds.isCounted && !failed()) {
        const std::optional<ScriptValue> again = truthOf(b_, evaluate(*statement.value));
        rounds.goesOn = again ? toScalarTensor(b_, *again) : Var{};
        if (!again)
            fail("the condition of a loop is neither true nor false");
    }
    if (rounds.isCounted)
        frames_.back()->variables.erase(statement.targets[0]->text);
    return flow;
}

std::vector<Var> Evaluator::firstCarried(const Rounds& rounds) {
    restore(rounds.before);
    return varsOf(rounds.carried);
}

/// Finds what the loop carries: a round is attempted with what is known of it, until that is what it gives.
void Evaluator::settle(Rounds& rounds) {
    bool isSettled = false;
    for (int joins = 0; joins < mostJoins && !isSettled && !failed(); ++joins) {
        Var iteration;
        std::vector<Var> values;
        const std::vector<Var> init = firstCarried(rounds);
        const Ended ended = attempt(
            rounds.before, [&] { return runRound(rounds, iteration, values); },
            [&](const Block& block) {
                b_.loop(rounds.tripCount, rounds.begins, init, 0, [&](Var index, const std::vector<Var>& now) {
                    iteration = index;
                    values = now;
                    block();
                    return std::vector<Var>();
                });
            });
        if (ended.raises)
            return raise(ended.message);
        if (ended.flow == Flow::Return)
            return refuse("a loop that is left to run returns from its function",
                          "save the model by a newer version of PyTorch");
        if (failed())
            return;
        std::vector<Change> found = ended.changes;
        std::erase_if(found, [&](const Change& change) {
            return change.kind == Change::Kind::Variable && !rounds.before.variables.contains(change.name);
        });
        // What comes in at the first round, what goes round, and what comes out.
        std::vector<Change> old;
        for (const Change& change : found)
            old.push_back(unchanged(change, rounds.before));
        std::vector<Change> next = joinAll(old, found, rounds.before);
        if (!failed())
            next = joinAll(rounds.carried, next, rounds.before);
        requireOutliving(next, rounds.before);
        isSettled = !failed() && areSame(next, rounds.carried);
        rounds.carried = std::move(next);
    }
    if (!isSettled && !failed())
        refuse(fmt::format("what a loop carries is still of another kind after {} rounds", mostJoins),
               "let the program carry tensors of one type");
}

/// What a round gives: whether another one follows, what is carried, an element for each list that grows.
std::vector<Var> Evaluator::resultsOf(const Rounds& rounds) {
    std::vector<Var> results = rounds.isCounted ? std::vector<Var>{} : std::vector<Var>{rounds.goesOn};
    for (const Var value : varsOf(rounds.carried))
        results.push_back(value);
    for (const Change* change : rounds.grown())
        if (const ListCell* list = std::get_if<ListCell>(&heap_.at(change->cell));
            list && !list->items.empty() && list->items.back().as<TensorRef>())
            results.push_back(memory_.read(list->items.back().as<TensorRef>()->place));
        else
            refuse("a list gets something else than a tensor in each round of a loop that is left to run",
                   "let the program append tensors");
    if (!failed() && !results.empty())
        results.back() = checked(results.back());
    return results;
}

void Evaluator::loop(const Statement& statement, const World& before, const std::optional<Expr>& trips,
                     const std::optional<ScriptValue>& condition) {
    if (failed())
        return;
    Rounds rounds{.statement = statement,
                  .before = before,
                  .isCounted = trips.has_value(),
                  .tripCount = trips ? b_.scalarOf(*trips) : Var{},
                  .begins = condition ? toScalarTensor(b_, *condition) : Var{}};
    settle(rounds);
    if (failed() || rounds.carried.empty())
        return;
    std::vector<std::shared_ptr<const model::Graph>> graphs;
    std::set<Place> written = written_;
    const std::vector<const Change*> grown = rounds.grown();
    const std::vector<Var> init = firstCarried(rounds);
    enter("prim.Loop", nullptr, {});
    const model::Span span = b_.span();
    const Trace::Mark mark = trace_.mark();
    ++unknown_;
    const auto body = [&](Var index, const std::vector<Var>& now) {
        trace_.backTo(mark); // the body may be built again
        trace_.open();
        runRound(rounds, index, now);
        std::vector<Var> results = resultsOf(rounds);
        written.insert(written_.begin(), written_.end());
        graphs = {trace_.close()};
        b_.setSpan(span);
        return results;
    };
    const Var result = b_.loop(rounds.tripCount, rounds.begins, init, static_cast<int>(grown.size()), body);
    --unknown_;
    restore(before);
    written_ = std::move(written);
    addBlocks(std::move(graphs), span);
    if (failed())
        return;
    const size_t count = slotsOf(rounds.carried);
    std::vector<Var> vars;
    for (size_t i = 0; i < count + grown.size() && !failed(); ++i)
        vars.push_back(b_.project(result, static_cast<int>(i)));
    apply(rounds.carried, vars, true);
    for (size_t i = 0; i < grown.size() && !failed(); ++i) {
        ListCell list = std::get<ListCell>(before.heap.at(grown[i]->cell));
        list.items.emplace_back(Rows{vars[count + i]});
        heap_.set(grown[i]->cell, std::move(list));
    }
}

} // namespace lathe::frontend::torch::script
