// SPDX-License-Identifier: Apache-2.0
//
// The graph. A small model is drawn node by node; a larger one as its fused functions, which are some times fewer; one that has
// too many of these as well is a list in execution order, folded by the model's own scopes.
#include "base/counted.h"
#include "inspect/provenance.h"
#include "model/names_read.h"
#include "relay/ir.h"
#include "report/graph_picture.h"
#include "report/sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lathe::report {
namespace {

constexpr size_t mostBoxes = 400, mostListed = 4000;
constexpr double fullHeat = 0.6; // so that the text on it stays legible

PictureBox inputBox(const model::Value& value, std::string_view kind) {
    return {value.name,
            model::toString(value.type),
            fmt::format("{} {}: {}", kind, value.name, toString(value.type)),
            {},
            "input",
            0};
}

PictureBox nodeBox(const Facts& facts, const model::Node& node) {
    const std::string name = model::displayName(node);
    PictureBox box{node.op, name, fmt::format("{} {}", model::operatorName(node), name), {}, "node", 0};
    const auto id = static_cast<size_t>(node.id);
    if (id < facts.kernelOfNode.size() && facts.kernelOfNode[id] >= 0) {
        box.link = facts.linkTo(facts.kernelOfNode[id]);
        box.heat = facts.shareOfNode[id];
        box.tooltip +=
            fmt::format("\nkernel {}\n{} of {}", facts.trace.kernels[static_cast<size_t>(facts.kernelOfNode[id])].name,
                        percentText(box.heat), facts.report.profile ? "the time" : "the estimated FLOPs");
    }
    const auto fails = [&](const Diagnostic& problem) {
        return problem.nodeId == node.id && problem.severity == Severity::Error;
    };
    if (std::ranges::any_of(facts.trace.diagnostics, fails))
        box.kind = "failed";
    return box;
}

/// Constants have no boxes: most are weights and sizes.
Picture pictureOfNodes(const Facts& facts) {
    const model::ModelGraph& model = *facts.trace.graph;
    Picture picture;
    std::map<std::string, int, std::less<>> makers;
    const auto add = [&](PictureBox box) {
        picture.boxes.push_back(std::move(box));
        return static_cast<int>(picture.boxes.size()) - 1;
    };
    const auto arrow = [&](const std::string& value, int to) {
        const auto from = makers.find(value);
        if (from != makers.end() && from->second != to &&
            std::ranges::none_of(picture.arrows, [&](const auto& a) { return a.from == from->second && a.to == to; }))
            picture.arrows.push_back({from->second, to});
    };
    for (const model::Value& input : model.graph->inputs)
        makers[input.name] = add(inputBox(input, "input"));
    for (const model::Node& node : model.graph->nodes) {
        if (model::roleOf(model, node).family == model::Family::Constant)
            continue;
        const int box = add(nodeBox(facts, node));
        for (const std::string* input : model::namesRead(node))
            arrow(*input, box);
        for (const std::string& output : node.outputs)
            if (!output.empty())
                makers[output] = box;
    }
    for (const model::Value& output : model.graph->outputs)
        arrow(output.name, add(inputBox(output, "output")));
    return picture;
}

std::string opName(const relay::Binding& binding) {
    if (const auto* call = binding.as<relay::OpCall>())
        return std::string(relay::info(call->op).name);
    return binding.as<relay::If>() ? "if" : binding.as<relay::Loop>() ? "loop" : "";
}

/// The main function as it was left: calls of fused functions, branches and loops. What costs nothing (views, tuples) is
/// passed through.
Picture pictureOfCalls(const Facts& facts, const relay::Module& module) {
    Picture picture;
    std::map<std::string, double, std::less<>> shares;
    for (const size_t kernel : facts.hottest)
        for (const int call : facts.kernels[kernel].calls)
            if (const inspect::ProfileRow* row = facts.rowOf(call))
                shares[row->function] += row->share;
    std::map<uint32_t, std::vector<int>> makers; // of a Var: boxes
    const size_t inputs = relay::inputParams(module.main()).size();
    for (size_t i = 0; i < module.main().params.size(); ++i) {
        const relay::Param& param = module.main().params[i];
        const std::string what = i < inputs ? "input " : "state ";
        picture.boxes.push_back({param.name, relay::toString(param.type), what + param.name, {}, "input", 0});
        makers[param.var.id] = {static_cast<int>(picture.boxes.size()) - 1};
    }
    for (const relay::BindingPtr& binding : module.main().body->bindings) {
        std::vector<int> from;
        for (const relay::Var var : relay::operands(binding->rhs))
            if (const auto found = makers.find(var.id); found != makers.end())
                from.insert(from.end(), found->second.begin(), found->second.end());
        std::ranges::sort(from);
        from.erase(std::ranges::unique(from).begin(), from.end());
        const auto* call = binding->as<relay::FunctionCall>();
        const int kernel = call ? facts.kernelOfFunction(call->callee) : -1;
        if (kernel < 0 && relay::blocksOf(binding->rhs).empty()) {
            makers[binding->var.id] = std::move(from);
            continue;
        }
        const int box = static_cast<int>(picture.boxes.size());
        std::string nodes;
        const auto& ids = module.spans->ids(binding->span);
        for (size_t i = 0; i < std::min<size_t>(3, ids.size()); ++i)
            nodes += (i ? ", " : "") + facts.nameOf(ids[i]);
        picture.boxes.push_back(
            {call ? call->callee : opName(*binding), nodes,
             fmt::format("{}\n{}{}", call ? call->callee : opName(*binding), nodes, ids.size() > 3 ? " …" : ""),
             facts.linkTo(kernel), "node", call ? shares[call->callee] : 0});
        for (const int other : from)
            picture.arrows.push_back({other, box});
        makers[binding->var.id] = {box};
    }
    return picture;
}

/// Folded by scopes: a fold opens where a scope begins and closes where it ends.
void writeList(Html& html, const Facts& facts) {
    const std::vector<model::Node>& nodes = facts.trace.graph->graph->nodes;
    std::vector<std::string> open;
    html.open("div", {{"class", "list"}});
    for (size_t i = 0; i < std::min(mostListed, nodes.size()); ++i) {
        const model::Node& node = nodes[i];
        size_t common = 0;
        while (common < open.size() && common < node.scope.size() && open[common] == node.scope[common])
            ++common;
        for (; open.size() > common; open.pop_back())
            html.close();
        for (; open.size() < node.scope.size(); open.push_back(node.scope[open.size()]))
            html.open("details").element("summary", node.scope[open.size()]);
        const PictureBox box = nodeBox(facts, node);
        html.open("div", {{"class", box.kind}}).text(node.name.empty() ? "" : node.op + " ");
        if (box.link.empty())
            html.text(box.subtitle);
        else
            html.element("a", box.subtitle, {{"href", box.link}});
        html.close();
    }
    for (; !open.empty(); open.pop_back())
        html.close();
    html.close();
    if (nodes.size() > mostListed)
        html.element("p", counted(nodes.size() - mostListed, "more node is", "more nodes are") + " left out.",
                     {{"class", "note"}});
}

/// The hottest box has the full colour.
void scaleHeat(Picture& picture) {
    double most = 1e-9;
    for (const PictureBox& box : picture.boxes)
        most = std::max(most, box.heat);
    for (PictureBox& box : picture.boxes)
        box.heat *= fullHeat / most;
}

} // namespace

void writeGraph(Html& html, const Facts& facts) {
    const std::string colour = facts.report.profile ? " The darker, the larger its share of the time." : "";
    if (facts.trace.graph->graph->nodes.size() <= mostBoxes) {
        openSection(html, "graph", "Graph",
                    "The model as it was imported, without its constants. A click leads to the kernel." + colour);
        Picture picture = pictureOfNodes(facts);
        scaleHeat(picture);
        writePicture(html, picture);
    } else {
        const driver::ModulePtr module = facts.trace.calls.empty() ? nullptr : inspect::lastModule(facts.trace);
        Picture overview;
        if (module && module->main().body->bindings.size() <= 8 * mostBoxes)
            overview = pictureOfCalls(facts, *module);
        const bool drawn = !overview.boxes.empty() && overview.boxes.size() <= mostBoxes;
        openSection(
            html, "graph", "Graph",
            fmt::format("The model has {} nodes: {}", model::countNodes(*facts.trace.graph),
                        drawn ? "here are the fused functions that it became. A click leads to the kernel." + colour
                              : "too many for a picture. Here they are in execution order."));
        scaleHeat(overview);
        if (drawn)
            writePicture(html, overview);
        else
            writeList(html, facts);
    }
    html.close();
}

} // namespace lathe::report
