// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/passes/pass_picture.h"

#include "views/models/graph/relay_graph.h"
#include "views/models/text/translate.h"

#include <algorithm>
#include <iterator>

namespace lathe::views::models {

namespace {

PassPicture::Side sideOf(RelayGraph& graph) {
    PassPicture::Side side;
    side.cameFrom = std::move(graph.cameFrom);
    for (size_t node = 0; node < side.cameFrom.size(); ++node)
        for (const int from : side.cameFrom[node])
            side.nodesFrom[from].push_back(int(node));
    return side;
}

void makeDistinct(std::vector<int>& numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

} // namespace

std::vector<int> PassPicture::Side::modelNodes(const std::vector<int>& nodes) const {
    std::vector<int> found;
    for (const int node : nodes)
        if (size_t(node) < cameFrom.size())
            std::ranges::copy(cameFrom[size_t(node)], std::back_inserter(found));
    makeDistinct(found);
    return found;
}

std::vector<int> PassPicture::Side::nodesOf(const std::vector<int>& modelNodes) const {
    std::vector<int> found;
    for (const int node : modelNodes)
        if (const auto of = nodesFrom.find(node); of != nodesFrom.end())
            std::ranges::copy(of->second, std::back_inserter(found));
    makeDistinct(found);
    return found;
}

PassPicture picturePass(const driver::Trace& trace, int pass, const QString& function) {
    PassPicture picture;
    const driver::PassRecord* record =
        pass >= 0 && size_t(pass) < trace.passes.size() ? &trace.passes[size_t(pass)] : nullptr;
    if (!record || (!record->before && !record->after)) {
        picture.why = record && record->stage != driver::Stage::Relay && record->stage != driver::Stage::Import
                          ? tr("This pass works on loops, which are no graph: the text shows what it did.")
                          : tr("This pass left no graph: it did not run.");
        return picture;
    }
    const std::string name = function.toStdString();
    picture.alone = !record->before;
    RelayGraph after = record->after ? graphOf(*record->after, name) : RelayGraph();
    if (!record->after) // it failed: what it was given is what there is
        after = graphOf(*record->before, name);
    RelayGraph before = record->before ? graphOf(*record->before, name) : after;
    picture.comparison = compareModels({}, before.graph, after.graph, lathe::graph::NodeNames::Identities);
    picture.before = sideOf(before);
    picture.after = sideOf(after);
    return picture;
}

} // namespace lathe::views::models
