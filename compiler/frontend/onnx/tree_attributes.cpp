// SPDX-License-Identifier: Apache-2.0
//
// Both forms become a Forest; what is no forest is refused when that is laid out.
#include "frontend/onnx/tree_attributes.h"

#include "frontend/common/emit.h"
#include "model/host_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::frontend::onnx {
namespace {

/// Which outcomes each comparison holds for, in ONNX's order: a value that is no number is unequal to each split.
constexpr std::array<int32_t, 6> holdsFor = {Less | Equal, Less,  Greater | Equal,
                                             Greater,      Equal, Less | Greater | Missing};
constexpr std::array<const char*, 6> modeNames = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                  "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
constexpr int64_t memberMode = 6;

/// False, and a fault, if a list that goes by `count` entries has others.
bool hasEntries(NodeReader& node, const char* name, size_t entries, size_t count) {
    if (entries == count && count <= mostTreeEntries)
        return true;
    node.fail(fmt::format("'{}' has {} entries where {} are needed", name, entries, count), brokenTrees);
    return false;
}

/// Integers, one a node; an absent list is of zeros where it may be absent.
std::optional<Ints> perNode(NodeReader& node, const char* name, size_t count, bool mayLack = false) {
    Ints values = node.integers(name);
    if (values.empty() && mayLack)
        values.assign(count, 0);
    return hasEntries(node, name, values.size(), count) ? std::optional(std::move(values)) : std::nullopt;
}

std::vector<double> treeValues(const model::TensorData& tensor) {
    std::vector<double> values(static_cast<size_t>(tensor.elements()));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = model::elementAsDouble(tensor.dtype, tensor.bytes.view, i);
    return values;
}

/// A tensor's elements; none if it is absent.
std::vector<double> treeTensor(NodeReader& node, const char* name, bool* isDouble = nullptr) {
    const model::TensorPtr tensor = node.tensor(name);
    if (!tensor || tensor->dtype == types::String)
        return {};
    if (isDouble)
        *isDouble = *isDouble || tensor->dtype == types::Float64;
    return treeValues(*tensor);
}

/// A node by the ids that it has.
struct NamedNode {
    int64_t tree, id;
    size_t at;
    auto operator<=>(const NamedNode&) const = default;
};

/// Nodes, by tree and id.
class NamedNodes {
public:
    explicit NamedNodes(std::vector<NamedNode> nodes) : nodes_(std::move(nodes)) { std::ranges::sort(nodes_); }

    bool hasDuplicates() const {
        return std::ranges::adjacent_find(nodes_, [](const NamedNode& a, const NamedNode& b) {
                   return a.tree == b.tree && a.id == b.id;
               }) != nodes_.end();
    }
    std::optional<size_t> find(int64_t tree, int64_t id) const {
        const auto found = std::ranges::lower_bound(nodes_, NamedNode{tree, id, 0});
        return found != nodes_.end() && found->tree == tree && found->id == id ? std::optional(found->at)
                                                                               : std::nullopt;
    }
    const std::vector<NamedNode>& sorted() const { return nodes_; }

private:
    std::vector<NamedNode> nodes_;
};

/// Trees of which each node is a branch or a leaf by its mode.
class NamedForest {
public:
    explicit NamedForest(NodeReader& node) : node_(node) {}

    bool read(TreeTables& tables) {
        modes_ = node_.texts("nodes_modes");
        const size_t count = modes_.size();
        const auto trees = perNode(node_, "nodes_treeids", count), ids = perNode(node_, "nodes_nodeids", count),
                   features = perNode(node_, "nodes_featureids", count),
                   yes = perNode(node_, "nodes_truenodeids", count), no = perNode(node_, "nodes_falsenodeids", count),
                   missing = perNode(node_, "nodes_missing_value_tracks_true", count, true);
        const auto splits = realsOf(node_, "nodes_values", &tables.isDouble);
        if (!trees || !ids || !features || !yes || !no || !missing || !splits ||
            !hasEntries(node_, "nodes_values", splits->size(), count))
            return false;
        std::vector<NamedNode> named;
        for (size_t i = 0; i < count; ++i)
            named.push_back({(*trees)[i], (*ids)[i], i});
        names_ = NamedNodes(std::move(named));
        if (names_.hasDuplicates()) {
            node_.fail("two nodes of a tree have one id", brokenTrees);
            return false;
        }
        if (!number())
            return false;
        isChild_.assign(count, false);
        for (size_t i = 0; i < count; ++i)
            if (children_[i] >= 0 &&
                !addBranch((*trees)[i], (*yes)[i], (*no)[i],
                           {(*features)[i], outcomesOf(modes_[i], (*missing)[i] != 0), 0, 0, (*splits)[i], {}, false}))
                return false;
        findRoots();
        return true;
    }

    /// Which leaf a node is; nothing if it is none.
    std::optional<size_t> leafOf(int64_t tree, int64_t id) const {
        const auto at = names_.find(tree, id);
        return at && children_[*at] < 0 ? std::optional(static_cast<size_t>(-1 - children_[*at])) : std::nullopt;
    }

    Forest forest;

private:
    NodeReader& node_;
    std::vector<std::string> modes_;
    NamedNodes names_{{}};
    std::vector<int64_t> children_; // each node as a child
    std::vector<bool> isChild_;

    static int32_t outcomesOf(const std::string& mode, bool missing) {
        const auto which = static_cast<size_t>(std::ranges::find(modeNames, mode) - modeNames.begin());
        return holdsFor[which] | (missing ? Missing : 0);
    }

    bool number() {
        int64_t branches = 0;
        for (const std::string& mode : modes_) {
            const bool isLeaf = mode == "LEAF";
            if (!isLeaf && std::ranges::find(modeNames, mode) == modeNames.end()) {
                node_.fail(fmt::format("the mode '{}' of a node is unknown", mode), brokenTrees);
                return false;
            }
            children_.push_back(isLeaf ? -1 - forest.leaves++ : branches++);
        }
        return true;
    }

    bool addBranch(int64_t tree, int64_t yes, int64_t no, TreeBranch branch) {
        const auto whenTrue = names_.find(tree, yes), whenFalse = names_.find(tree, no);
        if (!whenTrue || !whenFalse) {
            node_.fail(fmt::format("a branch of tree {} leads to a node that there is not", tree), brokenTrees);
            return false;
        }
        branch.whenTrue = children_[*whenTrue];
        branch.whenFalse = children_[*whenFalse];
        isChild_[*whenTrue] = isChild_[*whenFalse] = true;
        forest.branches.push_back(std::move(branch));
        return true;
    }

    /// The nodes that no branch leads to, of each tree the one.
    void findRoots() {
        const auto& nodes = names_.sorted();
        for (size_t begin = 0; begin < nodes.size();) {
            size_t end = begin, roots = 0;
            for (; end < nodes.size() && nodes[end].tree == nodes[begin].tree; ++end)
                if (!isChild_[nodes[end].at] && roots++ == 0)
                    forest.roots.push_back(children_[nodes[end].at]);
            if (roots != 1)
                return node_.fail(fmt::format("tree {} has {} nodes that no branch leads to, where one is its root",
                                              nodes[begin].tree, roots),
                                  brokenTrees);
            begin = end;
        }
    }
};

/// Of those nodes that test for members the sets, each ended by what is no number.
bool giveMembers(NodeReader& node, Forest& forest) {
    const std::vector<double> all = treeTensor(node, "membership_values");
    size_t at = 0;
    for (TreeBranch& branch : forest.branches) {
        if (!branch.ofMembers)
            continue;
        for (; at < all.size() && !std::isnan(all[at]); ++at)
            branch.members.push_back(all[at]);
        if (at++ >= all.size()) {
            node.fail("'membership_values' has too few sets for the nodes that test for members", brokenTrees);
            return false;
        }
    }
    return true;
}

bool readBranches(NodeReader& node, Forest& forest, TreeTables& tables) {
    const std::vector<double> modes = treeTensor(node, "nodes_modes"),
                              splits = treeTensor(node, "nodes_splits", &tables.isDouble);
    const size_t count = modes.size();
    const auto features = perNode(node, "nodes_featureids", count), yes = perNode(node, "nodes_truenodeids", count),
               no = perNode(node, "nodes_falsenodeids", count), trueLeafs = perNode(node, "nodes_trueleafs", count),
               falseLeafs = perNode(node, "nodes_falseleafs", count),
               missing = perNode(node, "nodes_missing_value_tracks_true", count, true);
    if (!features || !yes || !no || !trueLeafs || !falseLeafs || !missing ||
        !hasEntries(node, "nodes_splits", splits.size(), count))
        return false;
    const auto child = [](int64_t at, int64_t isLeaf) { return at < 0 ? at : isLeaf != 0 ? -1 - at : at; };
    for (size_t i = 0; i < count; ++i) {
        const int64_t mode = modes[i] >= 0 && modes[i] <= memberMode ? static_cast<int64_t>(modes[i]) : -1;
        if (mode < 0 || (*yes)[i] < 0 || (*no)[i] < 0) {
            node.fail("a node has an unknown mode, or a child below 0", brokenTrees);
            return false;
        }
        const int32_t outcomes = (mode == memberMode ? 0 : holdsFor[static_cast<size_t>(mode)]) |
                                 ((*missing)[i] != 0 ? static_cast<int32_t>(Missing) : 0);
        forest.branches.push_back({(*features)[i],
                                   outcomes,
                                   child((*yes)[i], (*trueLeafs)[i]),
                                   child((*no)[i], (*falseLeafs)[i]),
                                   splits[i],
                                   {},
                                   mode == memberMode});
    }
    return giveMembers(node, forest);
}

} // namespace

std::optional<std::vector<double>> realsOf(NodeReader& node, const std::string& name, bool* isDouble) {
    const std::string asTensor = name + "_as_tensor";
    if (!node.has(asTensor))
        return node.reals(name);
    if (node.has(name)) {
        node.fail(fmt::format("both '{}' and '{}' are given", name, asTensor), brokenTrees);
        return std::nullopt;
    }
    return treeTensor(node, asTensor.c_str(), isDouble);
}

std::optional<TreeTables> readEnsemble(NodeReader& node, int64_t targets) {
    TreeTables tables;
    Forest forest;
    const Ints ids = node.integers("leaf_targetids");
    const std::vector<double> weights = treeTensor(node, "leaf_weights", &tables.isDouble);
    if (!hasEntries(node, "leaf_weights", weights.size(), ids.size()))
        return std::nullopt;
    std::vector<TreeVote> votes;
    for (size_t i = 0; i < ids.size(); ++i)
        votes.push_back({i, ids[i], weights[i], i});
    forest.leaves = static_cast<int64_t>(ids.size());
    forest.roots = node.integers("tree_roots");
    if (std::ranges::any_of(forest.roots, [](int64_t root) { return root < 0; })) {
        node.fail("'tree_roots' has an entry below 0", brokenTrees);
        return std::nullopt;
    }
    if (!readBranches(node, forest, tables))
        return std::nullopt;
    return laidOut(node, forest, std::move(votes), targets, std::move(tables));
}

std::optional<TreeTables> readNamedTrees(NodeReader& node, const std::string& votes, int64_t targets) {
    TreeTables tables;
    NamedForest named(node);
    if (!named.read(tables) || node.failed())
        return std::nullopt;
    const Ints ids = node.integers(votes + "_ids");
    const auto trees = perNode(node, (votes + "_treeids").c_str(), ids.size()),
               nodes = perNode(node, (votes + "_nodeids").c_str(), ids.size());
    const auto weights = realsOf(node, votes + "_weights", &tables.isDouble);
    if (!trees || !nodes || !weights || !hasEntries(node, (votes + "_weights").c_str(), weights->size(), ids.size()))
        return std::nullopt;
    std::vector<TreeVote> all;
    for (size_t i = 0; i < ids.size(); ++i)
        if (const auto leaf = named.leafOf((*trees)[i], (*nodes)[i])) // votes of a branch are never counted
            all.push_back({*leaf, ids[i], (*weights)[i], i});
    return laidOut(node, named.forest, std::move(all), targets, std::move(tables));
}

} // namespace lathe::frontend::onnx
