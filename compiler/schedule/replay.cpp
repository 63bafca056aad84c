// SPDX-License-Identifier: Apache-2.0
//
// Applying a trace to another function of the same structure. Loop numbers of the trace are mapped to those that this
// schedule gives out.
#include "schedule/index_text.h"
#include "schedule/schedule.h"

#include <fmt/format.h>

namespace lathe::schedule {

namespace {

class Replayer {
public:
    explicit Replayer(Schedule& schedule) : schedule_(schedule) {}

    void run(const Step& step) {
        step_ = &step;
        const std::string& name = step.primitive;
        if (name == "loops")
            return gives(schedule_.loops(block()));
        if (name == "split")
            return gives(schedule_.split(loop(), step.numbers));
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
        if (name == "computeAt")
            return schedule_.computeAt(block(), loop());
        if (name == "reverseComputeAt")
            return schedule_.reverseComputeAt(block(), loop());
        if (name == "computeInline")
            return schedule_.computeInline(block());
        if (name == "reverseComputeInline")
            return schedule_.reverseComputeInline(block());
        if (name == "cacheRead")
            return (void)schedule_.cacheRead(block(), index(), scope());
        if (name == "cacheWrite")
            return (void)schedule_.cacheWrite(block(), index(), scope());
        if (name == "setScope")
            return schedule_.setScope(block(), index(), scope());
        if (name == "decomposeReduction")
            return (void)schedule_.decomposeReduction(block(), loop());
        if (name == "rfactor")
            return (void)schedule_.rfactor(loop(), index());
        if (name == "transformLayout")
            return transformLayout();
        throw ScheduleError("there is no such primitive");
    }

private:
    [[noreturn]] static void malformed() { throw ScheduleError("the step is malformed"); }

    BlockRef block() const {
        if (step_->blocks.size() != 1)
            malformed();
        return {step_->blocks[0]};
    }
    LoopRef mapped(int id) const {
        auto it = ids_.find(id);
        if (it == ids_.end())
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
    int index() const {
        if (step_->numbers.empty() || step_->numbers[0] < -64 || step_->numbers[0] > 1'000'000)
            malformed();
        return static_cast<int>(step_->numbers[0]);
    }
    tir::Scope scope() const {
        if (step_->texts.size() != 1 || (step_->texts[0] != "local" && step_->texts[0] != "workspace"))
            malformed();
        return step_->texts[0] == "local" ? tir::Scope::Local : tir::Scope::Workspace;
    }

    void gives(const std::vector<LoopRef>& given) {
        if (given.size() != step_->results.size())
            throw ScheduleError(
                fmt::format("it gives {} loops here, {} in the trace", given.size(), step_->results.size()));
        for (size_t i = 0; i < given.size(); ++i)
            ids_[step_->results[i]] = given[i].id;
    }

    void transformLayout() {
        if (step_->numbers.size() != 2 || step_->numbers[1] < 0 || step_->numbers[1] > 64)
            malformed();
        std::map<std::string, Expr> names;
        for (const tir::Param& param : schedule_.function()->params)
            if (param.scalar)
                names[param.scalar->name] = param.scalar;
        std::vector<arith::Var> vars;
        for (int64_t i = 0; i < step_->numbers[1]; ++i) {
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
    std::map<int, int> ids_; // trace -> schedule
};

} // namespace

Result<void> Schedule::replay(const Trace& trace) {
    Replayer replayer(*this);
    for (size_t i = 0; i < trace.steps.size(); ++i) {
        if (trace.steps[i].primitive == "choose") {
            trace_.steps.push_back(trace.steps[i]); // the other steps follow what was chosen then; pins do not apply
            continue;
        }
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
