// SPDX-License-Identifier: Apache-2.0
//
// Applying a trace to another function that is alike up to names. Numbers of loops and new blocks in the trace are mapped
// to those that this schedule gives out.
#include "schedule/index_text.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::schedule {

class Replayer {
public:
    explicit Replayer(Schedule& schedule) : schedule_(schedule) {
        for (int i = 0; i < static_cast<int>(schedule.unscheduledBlocks_); ++i)
            blocks_[i] = i;
    }

    void run(const Step& step) {
        step_ = &step;
        const std::string& name = step.primitive;
        if (name == "choose")
            return decide();
        if (name == "loops")
            return gives(schedule_.loops(block()));
        if (name == "split")
            return gives(schedule_.split(loop(), numbers()));
        if (name == "fuse")
            return gives({schedule_.fuse(loops())});
        if (name == "reorder")
            return schedule_.reorder(loops());
        if (name == "parallel")
            return schedule_.parallel(loop());
        if (name == "vectorize")
            return schedule_.vectorize(loop());
        if (name == "unroll")
            return schedule_.unroll(loop());
        if (name == "annotate")
            return schedule_.annotate(loop(), text(), number(0));
        if (name == "computeAt")
            return schedule_.computeAt(block(), loop());
        if (name == "reverseComputeAt")
            return schedule_.reverseComputeAt(block(), loop());
        if (name == "computeInline")
            return schedule_.computeInline(block());
        if (name == "reverseComputeInline")
            return schedule_.reverseComputeInline(block());
        if (name == "cacheRead")
            return makes({schedule_.cacheRead(block(), index(), scope())});
        if (name == "cacheWrite")
            return makes({schedule_.cacheWrite(block(), index(), scope())});
        if (name == "cacheInplace") {
            const Schedule::Inplace made = schedule_.cacheInplace(block(), loop(), scope());
            return makes({made.load, made.store});
        }
        if (name == "prefetch")
            return makes({schedule_.prefetch(block(), index(), loop(), number(1))});
        if (name == "prefetchNext") {
            const std::vector<LoopRef> taken = loops();
            if (taken.size() != 2)
                malformed();
            return makes({schedule_.prefetchNext(block(), index(), taken[0], taken[1])});
        }
        if (name == "storageAlign")
            return schedule_.storageAlign(block(), index(), index(1), number(2), number(3));
        if (name == "setScope")
            return schedule_.setScope(block(), index(), scope());
        if (name == "decomposeReduction")
            return makes({schedule_.decomposeReduction(block(), loop())});
        if (name == "rfactor")
            return makes({schedule_.rfactor(loop(), index())});
        if (name == "transformLayout")
            return transformLayout();
        throw ScheduleError("there is no such primitive");
    }

private:
    [[noreturn]] static void malformed() { throw ScheduleError("the step is malformed"); }

    BlockRef block() const {
        if (step_->blocks.size() != 1)
            malformed();
        auto it = blocks_.find(step_->blocks[0]);
        if (it == blocks_.end())
            throw ScheduleError(fmt::format("there is no block #{}", step_->blocks[0]));
        BlockRef found{schedule_.blockNames_[static_cast<size_t>(it->second)]};
        if (schedule_.numberOf(found) != it->second)
            throw ScheduleError(fmt::format("block #{} does not exist any more", step_->blocks[0]));
        return found;
    }
    LoopRef mapped(int id) const {
        auto it = loops_.find(id);
        if (it == loops_.end())
            throw ScheduleError(fmt::format("loop #{} was not given out before", id));
        return {it->second};
    }
    LoopRef loop() const {
        if (step_->loops.size() != 1)
            malformed();
        return mapped(step_->loops[0]);
    }
    std::vector<LoopRef> loops() const {
        std::vector<LoopRef> result;
        for (int id : step_->loops)
            result.push_back(mapped(id));
        return result;
    }
    Number resolved(const StepNumber& number) const {
        if (const auto* literal = std::get_if<int64_t>(&number))
            return *literal;
        const auto& ref = std::get<DecisionRef>(number);
        const auto decided = std::ranges::find_if(
            schedule_.decisions_, [&](const Decision& decision) { return decision.question.name == ref.decision; });
        if (decided == schedule_.decisions_.end() || static_cast<size_t>(ref.part) >= decided->answer.size())
            throw ScheduleError(fmt::format("${} was not decided before", ref.decision));
        return {decided->answer[static_cast<size_t>(ref.part)], ref};
    }
    std::vector<Number> numbers() const {
        std::vector<Number> result;
        for (const StepNumber& number : step_->numbers)
            result.push_back(resolved(number));
        return result;
    }
    Number number(size_t at) const {
        if (at >= step_->numbers.size())
            malformed();
        return resolved(step_->numbers[at]);
    }
    const std::string& text() const {
        if (step_->texts.size() != 1)
            malformed();
        return step_->texts[0];
    }
    /// A place in a list: always a literal.
    int index(size_t at = 0) const {
        const auto* literal = step_->numbers.size() <= at ? nullptr : std::get_if<int64_t>(&step_->numbers[at]);
        if (literal == nullptr || *literal < -64 || *literal > 1'000'000)
            malformed();
        return static_cast<int>(*literal);
    }
    tir::Scope scope() const {
        if (text() != "local" && text() != "workspace")
            malformed();
        return text() == "local" ? tir::Scope::Local : tir::Scope::Workspace;
    }

    void gives(const std::vector<LoopRef>& given) {
        if (given.size() != step_->gives.size())
            throw ScheduleError(
                fmt::format("it gives {} loops here, {} in the trace", given.size(), step_->gives.size()));
        for (size_t i = 0; i < given.size(); ++i)
            loops_[step_->gives[i]] = given[i].id;
    }
    void makes(const std::vector<BlockRef>& made) {
        if (step_->makes.size() != made.size())
            malformed();
        for (size_t i = 0; i < made.size(); ++i)
            blocks_[step_->makes[i]] = schedule_.numberOf(made[i]);
    }

    void decide() {
        auto decision = decisionOf(*step_);
        if (!decision)
            throw ScheduleError(decision.error().what);
        for (const Decision& before : schedule_.decisions_)
            if (before.question.name == decision->question.name && before.answer != decision->answer)
                throw ScheduleError(fmt::format("{} was decided otherwise before", before.question.name));
        (void)schedule_.record(*std::move(decision));
    }

    void transformLayout() {
        const auto* count = step_->numbers.size() == 2 ? std::get_if<int64_t>(&step_->numbers[1]) : nullptr;
        if (count == nullptr || *count < 0 || *count > 64)
            malformed();
        std::map<std::string, Expr> names;
        for (const arith::Var& scalar : scalarsOf(*schedule_.function()))
            names[fmt::format("s{}", names.size())] = scalar;
        std::vector<arith::Var> vars;
        for (int64_t i = 0; i < *count; ++i) {
            vars.push_back(arith::var(fmt::format("d{}", i)));
            names[vars.back()->name] = vars.back();
        }
        std::vector<Expr> map;
        for (const std::string& text : step_->texts) {
            auto expr = parseIndex(text, names);
            if (!expr)
                throw ScheduleError(expr.error().what);
            map.push_back(*expr);
        }
        schedule_.transformLayout(block(), index(), vars, map);
    }

    Schedule& schedule_;
    const Step* step_ = nullptr;
    std::map<int64_t, int> loops_, blocks_; // trace -> schedule
};

Result<void> Schedule::replay(const ScheduleTrace& trace) {
    Replayer replayer(*this);
    for (size_t i = 0; i < trace.steps.size(); ++i) {
        auto result = apply(*this, [&](Schedule&) { replayer.run(trace.steps[i]); });
        if (!result) {
            Diagnostic why = result.error();
            why.what = fmt::format("step {} ({}) cannot be applied: {}", i + 1, trace.steps[i].primitive, why.what);
            return std::unexpected(std::move(why));
        }
    }
    return {};
}

} // namespace lathe::schedule
