// SPDX-License-Identifier: Apache-2.0
#include "inspect/pass_figures.h"

#include "relay/cost.h"
#include "relay/visit.h"
#include "tir/visit.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

namespace lathe::inspect {
namespace {

Figures figuresOf(const relay::Module& module) {
    double bindings = 0;
    relay::visitBindings(module, [&](const relay::Binding&) { ++bindings; });
    const relay::Cost cost = relay::costOf(module);
    return {bindings, std::nullopt, cost.flops, cost.bytes, cost.peakBytes};
}

double statementsOf(const tir::PrimFunc& function) {
    double count = 0;
    tir::visitStmts(function.body, [&](const tir::Stmt&) {
        ++count;
        return true;
    });
    return count;
}

std::optional<double> difference(const std::optional<double>& after, const std::optional<double>& before) {
    return after && before ? std::optional(*after - *before) : std::nullopt;
}

/// Of modules and loops, each once: a pass's "before" is the one before's "after".
class Counter {
public:
    explicit Counter(const driver::Trace& trace) : trace_(trace) {}

    PassFigures of(const driver::PassRecord& record) {
        PassFigures figures;
        if (record.after) {
            figures.after = of(record.after);
            if (record.before && record.changed) {
                const Figures before = of(record.before);
                figures.delta = {difference(figures.after.bindings, before.bindings), std::nullopt,
                                 difference(figures.after.flops, before.flops),
                                 difference(figures.after.bytes, before.bytes),
                                 difference(figures.after.peakBytes, before.peakBytes)};
            }
        } else if (record.stage == driver::Stage::Tir && record.changed) {
            double before = 0, after = 0;
            for (const driver::KernelRecord& kernel : trace_.kernels)
                for (size_t i = 1; i < kernel.stages.size(); ++i)
                    if (kernel.stages[i].first == record.name) {
                        before += of(kernel.stages[i - 1].second);
                        after += of(kernel.stages[i].second);
                    }
            figures.after.statements = after;
            figures.delta.statements = after - before;
        } else {
            figures.after.flops = record.flops;
            if (record.peakBytes)
                figures.after.peakBytes = static_cast<double>(*record.peakBytes);
        }
        return figures;
    }

private:
    Figures of(const driver::ModulePtr& module) {
        const auto found = modules_.find(module.get());
        return found != modules_.end() ? found->second
                                       : modules_.emplace(module.get(), figuresOf(*module)).first->second;
    }
    double of(const tir::PrimFuncPtr& function) {
        const auto found = functions_.find(function.get());
        return found != functions_.end() ? found->second
                                         : functions_.emplace(function.get(), statementsOf(*function)).first->second;
    }

    const driver::Trace& trace_;
    std::unordered_map<const relay::Module*, Figures> modules_;
    std::unordered_map<const tir::PrimFunc*, double> functions_;
};

} // namespace

std::vector<PassFigures> passFigures(const driver::Trace& trace, const std::function<bool()>& cancelled) {
    Counter counter(trace);
    std::vector<PassFigures> all;
    for (const driver::PassRecord& record : trace.passes) {
        if (cancelled && cancelled())
            return {};
        all.push_back(counter.of(record));
    }
    return all;
}

std::string deltaText(const std::optional<double>& delta) {
    if (!delta)
        return {};
    constexpr std::array prefixes{"", " k", " M", " G", " T"};
    double value = std::abs(*delta);
    size_t prefix = 0;
    for (; value >= 999.5 && prefix + 1 < prefixes.size(); ++prefix) // it would be rounded to 1000
        value /= 1000;
    const int digits = prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fmt::format("{}{:.{}f}{}", *delta > 0 ? "+" : *delta < 0 ? "-" : "", value, digits, prefixes[prefix]);
}

} // namespace lathe::inspect
