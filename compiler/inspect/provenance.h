// SPDX-License-Identifier: Apache-2.0
//
// One node of the model through all levels, and back: its bindings in the graph IR, the calls of fused functions that compute
// it, the statements of their kernels; or the pass that removed it. Tables made once from a Trace, which says nothing twice:
// a node's place in a kernel is an origin, and a statement that was inlined counts to those that it was inlined into.
#pragma once

#include "driver/trace.h"

#include <map>
#include <memory>
#include <span>

namespace lathe::inspect {

/// The graph as the last pass over it left it; null: there is none.
driver::ModulePtr lastModule(const driver::Trace& trace);

/// A binding of the module that kernels were made of.
struct BindingPlace {
    std::string function; // "main", "fused_conv_relu_3"
    relay::Var var;
};

/// Where a node is computed.
struct NodeUse {
    int call = 0;             // in Trace::calls
    std::vector<int> origins; // of the call's kernel: those whose statements do it, ascending
};

class Provenance {
public:
    /// The Trace may end at any pass: levels that it did not reach are empty.
    explicit Provenance(std::shared_ptr<const driver::Trace> trace);

    const driver::Trace& trace() const { return *trace_; }
    std::span<const BindingPlace> bindingsOf(int node) const;
    /// The calls that work for a node, ascending. Several if its work is done in parts, none if it is a constant.
    std::span<const NodeUse> usesOf(int node) const;
    /// What of the model the statements of an origin compute, ascending: the origin's own nodes and those inlined there.
    /// Origin -1: of the whole call, which are those that it works for.
    std::vector<int> nodesOf(int call, int origin) const;
    /// The first node that a call works for (driver::homeOf); -1: none.
    int homeOf(int call) const;
    /// The origins of a call that stand for a node: its own, and those whose statements do it now. Ascending.
    std::vector<int> originsOf(int call, int node) const;
    /// The origins that stand for the same work as this one at any level: itself, those whose statements do it now, and those
    /// that were inlined there. Ascending.
    std::vector<int> alike(int call, int origin) const;
    /// "fold constants", "import" (folded while importing), "lower" (a view, a value that is known when the model is
    /// loaded); empty if code computes the node, or the Trace ends before.
    std::string_view removedBy(int node) const;
    /// In Trace::kernels; -1 if there is none of the call's name.
    int kernelOf(int call) const;

private:
    /// For each origin of a kernel those that have statements in its loops and do what it did.
    using Doers = std::vector<std::vector<int>>;

    std::shared_ptr<const driver::Trace> trace_;
    std::vector<std::vector<BindingPlace>> bindings_; // by node
    std::vector<std::vector<NodeUse>> uses_;          // by node
    std::vector<std::string_view> removed_;           // by node
    std::map<std::string, int, std::less<>> kernels_;
    std::vector<Doers> doers_; // by kernel
};

} // namespace lathe::inspect
