// SPDX-License-Identifier: Apache-2.0
#include "inspect/provenance.h"

#include "arith/expr.h"
#include "relay/visit.h"
#include "tir/visit.h"

#include <algorithm>
#include <set>

namespace lathe::inspect {
namespace {

/// What the statements of a function write and read, by origin.
struct Dataflow {
    std::map<int, std::set<const tir::Buffer*>> written;
    std::map<const tir::Buffer*, std::set<int>> readers;
};

Dataflow dataflowOf(const tir::PrimFunc& function) {
    Dataflow flow;
    tir::visitStmts(function.body, [&](const tir::Stmt& stmt) {
        if (const auto* store = stmt->as<tir::Store>()) {
            flow.written[stmt->origin].insert(store->buffer.get());
            for (const arith::Expr& expr : tir::exprsOf(*stmt))
                arith::visit(expr, [&](const arith::Expr& part) {
                    if (part.kind() == arith::ExprKind::Load)
                        flow.readers[&tir::bufferOf(part)].insert(stmt->origin);
                    return true;
                });
        }
        return true;
    });
    return flow;
}

/// Origins of statements that do something; loops and memory are for their sake.
std::set<int> presentIn(const tir::PrimFunc& function) {
    std::set<int> origins;
    tir::visitStmts(function.body, [&](const tir::Stmt& stmt) {
        if (stmt->as<tir::Store>() || stmt->as<tir::Evaluate>() || stmt->as<tir::Check>())
            origins.insert(stmt->origin);
        return true;
    });
    return origins;
}

/// The origins of `present` that do what `origin` did in the computation: itself, else the next readers of what it wrote.
void findDoers(int origin, const Dataflow& flow, const std::set<int>& present, std::set<int>& seen,
               std::set<int>& doers) {
    if (!seen.insert(origin).second)
        return;
    if (present.contains(origin)) {
        doers.insert(origin);
        return;
    }
    const auto written = flow.written.find(origin);
    if (written == flow.written.end())
        return;
    for (const tir::Buffer* buffer : written->second)
        if (const auto readers = flow.readers.find(buffer); readers != flow.readers.end())
            for (const int reader : readers->second)
                findDoers(reader, flow, present, seen, doers);
}

} // namespace

driver::ModulePtr lastModule(const driver::Trace& trace) {
    const auto last = std::ranges::find_if(trace.passes.rbegin(), trace.passes.rend(),
                                           [](const driver::PassRecord& pass) { return pass.after != nullptr; });
    return last == trace.passes.rend() ? nullptr : last->after;
}

Provenance::Provenance(std::shared_ptr<const driver::Trace> trace) : trace_(std::move(trace)) {
    if (!trace_->graph)
        return;
    const auto nodes = static_cast<size_t>(trace_->graph->nodeCount);
    const model::SpanTable& spans = *trace_->graph->spans;
    bindings_.resize(nodes);
    uses_.resize(nodes);
    removed_.resize(nodes);
    for (const driver::Removed& removed : trace_->removed)
        removed_[static_cast<size_t>(removed.node)] = removed.pass;
    if (const driver::ModulePtr last = lastModule(*trace_))
        for (const auto& [name, function] : last->functions)
            relay::visitBindings(*function, [&](const relay::Binding& binding) {
                for (const int32_t node : spans.ids(binding.span))
                    bindings_[static_cast<size_t>(node)].push_back({name, binding.var});
            });
    for (size_t i = 0; i < trace_->kernels.size(); ++i)
        kernels_.emplace(trace_->kernels[i].name, static_cast<int>(i));
    std::vector<size_t> origins(trace_->kernels.size(), 0);
    for (size_t call = 0; call < trace_->calls.size(); ++call)
        if (const int kernel = kernelOf(static_cast<int>(call)); kernel >= 0)
            origins[static_cast<size_t>(kernel)] =
                std::max(origins[static_cast<size_t>(kernel)], trace_->calls[call].origins.size());
    for (size_t i = 0; i < trace_->kernels.size(); ++i) {
        Doers& doers = doers_.emplace_back(origins[i]);
        const auto& stages = trace_->kernels[i].stages;
        if (stages.empty())
            continue;
        const Dataflow flow = dataflowOf(*stages.front().second);
        const std::set<int> present = presentIn(*stages.back().second);
        for (size_t origin = 0; origin < doers.size(); ++origin) {
            std::set<int> seen, found;
            findDoers(static_cast<int>(origin), flow, present, seen, found);
            doers[origin].assign(found.begin(), found.end());
        }
    }
    for (size_t call = 0; call < trace_->calls.size(); ++call) {
        std::map<int, std::set<int>> origins; // of each node
        const driver::CallRecord& record = trace_->calls[call];
        const int kernel = kernelOf(static_cast<int>(call));
        for (size_t origin = 0; origin < record.origins.size(); ++origin)
            for (const int32_t node : spans.ids(record.origins[origin])) {
                std::set<int>& places = origins[node];
                if (kernel >= 0)
                    for (const int doer : doers_[static_cast<size_t>(kernel)][origin])
                        places.insert(doer);
            }
        for (const auto& [node, places] : origins)
            uses_[static_cast<size_t>(node)].push_back({static_cast<int>(call), {places.begin(), places.end()}});
    }
}

std::span<const BindingPlace> Provenance::bindingsOf(int node) const {
    return node >= 0 && static_cast<size_t>(node) < bindings_.size() ? bindings_[static_cast<size_t>(node)]
                                                                     : std::span<const BindingPlace>();
}

std::span<const NodeUse> Provenance::usesOf(int node) const {
    return node >= 0 && static_cast<size_t>(node) < uses_.size() ? uses_[static_cast<size_t>(node)]
                                                                 : std::span<const NodeUse>();
}

std::vector<int> Provenance::nodesOf(int call, int origin) const {
    if (call < 0 || static_cast<size_t>(call) >= trace_->calls.size())
        return {};
    const driver::CallRecord& record = trace_->calls[static_cast<size_t>(call)];
    if (origin < 0)
        return trace_->graph->spans->ids(record.span);
    const int kernel = kernelOf(call);
    std::vector<int> nodes;
    for (size_t i = 0; i < record.origins.size(); ++i) {
        const bool counts = static_cast<int>(i) == origin ||
                            (kernel >= 0 && std::ranges::binary_search(doers_[static_cast<size_t>(kernel)][i], origin));
        if (counts) {
            const auto& ids = trace_->graph->spans->ids(record.origins[i]);
            nodes.insert(nodes.end(), ids.begin(), ids.end());
        }
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

int Provenance::homeOf(int call) const {
    return call >= 0 && static_cast<size_t>(call) < trace_->calls.size()
               ? driver::homeOf(trace_->calls[static_cast<size_t>(call)], *trace_->graph->spans)
               : -1;
}

std::vector<int> Provenance::originsOf(int call, int node) const {
    const int kernel = kernelOf(call);
    std::set<int> found;
    if (kernel >= 0) {
        const driver::CallRecord& record = trace_->calls[static_cast<size_t>(call)];
        for (size_t i = 0; i < record.origins.size(); ++i)
            if (std::ranges::binary_search(trace_->graph->spans->ids(record.origins[i]), node)) {
                found.insert(static_cast<int>(i));
                const std::vector<int>& doers = doers_[static_cast<size_t>(kernel)][i];
                found.insert(doers.begin(), doers.end());
            }
    }
    return {found.begin(), found.end()};
}

std::vector<int> Provenance::alike(int call, int origin) const {
    const int kernel = kernelOf(call);
    std::set<int> found;
    if (kernel >= 0) {
        const Doers& doers = doers_[static_cast<size_t>(kernel)];
        for (size_t i = 0; i < doers.size(); ++i) {
            if (static_cast<int>(i) == origin)
                found.insert(doers[i].begin(), doers[i].end());
            if (static_cast<int>(i) == origin || std::ranges::binary_search(doers[i], origin))
                found.insert(static_cast<int>(i));
        }
    }
    return {found.begin(), found.end()};
}

std::string_view Provenance::removedBy(int node) const {
    return node >= 0 && static_cast<size_t>(node) < removed_.size() ? removed_[static_cast<size_t>(node)]
                                                                    : std::string_view();
}

int Provenance::kernelOf(int call) const {
    if (call < 0 || static_cast<size_t>(call) >= trace_->calls.size())
        return -1;
    const auto found = kernels_.find(trace_->calls[static_cast<size_t>(call)].kernel);
    return found == kernels_.end() ? -1 : found->second;
}

} // namespace lathe::inspect
