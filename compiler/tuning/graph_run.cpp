// SPDX-License-Identifier: Apache-2.0
//
// One walk along the calls of the model, producers first: each belongs to the site that it computes, or to one whose result
// comes down to it.
#include "tuning/graph_run.h"

#include "arith/analysis.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::tuning {
namespace {

using Names = std::set<std::string>;

class Walk {
public:
    Walk(const driver::Trace& trace, const relay::Module& module, GraphRun& run)
        : trace_(trace), module_(module), run_(run) {
        walk(*module.main().body);
    }

    std::map<std::string, std::string> owners; // of functions

private:
    void walk(const relay::Block& block) {
        for (const relay::BindingPtr& binding : block.bindings) {
            Names reach = reaching(relay::operands(binding->rhs));
            for (const relay::BlockPtr& nested : relay::blocksOf(binding->rhs)) {
                walk(*nested);
                reach.merge(reaching({nested->result}));
            }
            if (const auto* call = binding->as<relay::FunctionCall>())
                take(*call, *binding, reach);
            reach_[binding->var.id] = std::move(reach);
        }
    }

    Names reaching(const std::vector<relay::Var>& vars) const {
        Names names;
        for (const relay::Var var : vars)
            if (const auto found = reach_.find(var.id); found != reach_.end())
                names.insert(found->second.begin(), found->second.end());
        return names;
    }

    /// After it, `reach` is what comes down from the call.
    void take(const relay::FunctionCall& call, const relay::Binding& binding, Names& reach) {
        const auto function = module_.functions.find(call.callee);
        if (function == module_.functions.end())
            return;
        std::string computed, moved; // sites
        for (const relay::BindingPtr& inner : function->second->body->bindings) {
            const auto* op = inner->as<relay::OpCall>();
            if (const std::string site = op ? siteOf(inner->span) : std::string(); !site.empty())
                (info(op->op).layouts.converts ? moved : computed) = site;
        }
        const std::string& site = computed.empty() ? moved : computed;
        if (site.empty()) {
            if (!reach.empty())
                owners[call.callee] = *reach.rbegin();
            return;
        }
        owners[call.callee] = site;
        SiteRun& at = run_.sites.at(site);
        for (const std::string& other : reach)
            if (other != site)
                at.reads.insert(other);
        if (!computed.empty()) {
            at.stored = relay::toString(binding.type);
            at.bytes = bytesOf(binding.type);
        }
        reach = {site};
    }

    /// The last node of the Span that has a choice.
    std::string siteOf(model::Span span) const {
        std::string found;
        for (const int32_t id : module_.spans->ids(span))
            if (const auto at = static_cast<size_t>(id); at < trace_.graph->nodes.size() && trace_.graph->nodes[at])
                if (std::string name = model::displayName(*trace_.graph->nodes[at]); run_.sites.contains(name))
                    found = std::move(name);
        return found;
    }

    static double bytesOf(const relay::Type& type) {
        const relay::TensorType* tensor = relay::asTensor(type);
        double bytes = tensor ? tensor->dtype.bytes() : 0;
        for (const arith::Expr& dim : tensor ? tensor->shape : std::vector<arith::Expr>())
            bytes *= static_cast<double>(arith::asInt(dim).value_or(0));
        return bytes;
    }

    const driver::Trace& trace_;
    const relay::Module& module_;
    GraphRun& run_;
    std::map<uint32_t, Names> reach_; // Var -> sites whose results come down to it
};

} // namespace

std::string toString(const SiteOption& option) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    for (const driver::VariantDecision& each : option.variants)
        add(each.variant);
    for (const driver::LayoutDecision& each : option.layouts)
        add(fmt::format("{} {}", driver::toString(each.part), each.width));
    return text;
}

std::map<std::string, SiteOption> optionsOf(const GraphChoices& choices) {
    std::map<std::string, SiteOption> options;
    for (const driver::VariantRecord& record : choices.variants)
        options[record.chosen.of.node].variants.push_back(record.chosen);
    for (const driver::LayoutRecord& record : choices.layouts)
        options[record.chosen.of.node].layouts.push_back(record.chosen);
    return options;
}

GraphRun graphRunOf(const driver::Trace& trace, const inspect::Profile& profile, double scale) {
    GraphRun run;
    for (const auto& [site, option] : optionsOf({trace.variants, trace.layouts}))
        run.sites[site].option = option;
    run.fusion = trace.fusion;
    const auto fused = std::ranges::find(trace.passes, "primitive functions", &driver::PassRecord::name);
    LATHE_ASSERT(fused != trace.passes.end() && fused->after, "what ran was compiled whole");
    const Walk walk(trace, *fused->after, run);
    for (const inspect::ProfileRow& row : profile.rows) {
        const Taken taken{row.ms * scale, row.spread * scale};
        run.functions[row.function] += taken;
        run.ms += taken.ms;
        if (const auto owner = walk.owners.find(row.function); owner != walk.owners.end())
            run.sites.at(owner->second).taken += taken;
    }
    return run;
}

} // namespace lathe::tuning
