// SPDX-License-Identifier: Apache-2.0
//
// ONNX's parser reads what anybody wrote: how deep it goes is bounded before it starts, and what it throws is caught.
#include "frontend/onnx/body_text.h"

#include "frontend/onnx/graph_reader.h"

#include <onnx/defs/parser.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lathe::frontend::onnx {
namespace {

constexpr int bracketNesting = 64;
constexpr size_t bodiesInFile = 1000;

/// The parser calls itself at each bracket.
bool isTooDeep(std::string_view text) {
    int depth = 0, most = 0;
    bool isQuoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isQuoted && c == '\\')
            ++i;
        else if (c == '"')
            isQuoted = !isQuoted;
        else if (c == '#' && !isQuoted)
            i = std::min(text.find('\n', i), text.size());
        if (isQuoted || i == text.size())
            continue;
        depth += c == '{' || c == '(' || c == '[';
        depth -= c == '}' || c == ')' || c == ']';
        most = std::max(most, depth);
    }
    return most > bracketNesting;
}

Failure malformed(const std::string& plugin, const std::string& file, const std::string& what) {
    Diagnostic fault = error(fmt::format("plugin {}: {}", plugin, what), "correct the file, or remove the plugin");
    fault.file = file;
    return Failure(std::move(fault));
}

void noteAttributesRead(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes,
                        std::set<std::string>& read) {
    for (const ::onnx::NodeProto& node : nodes)
        for (const ::onnx::AttributeProto& attribute : node.attribute()) {
            if (!attribute.ref_attr_name().empty())
                read.insert(attribute.ref_attr_name());
            if (attribute.has_g())
                noteAttributesRead(attribute.g().node(), read);
        }
}

} // namespace

Result<std::vector<BodyRow>> readBodies(std::string_view text, const std::string& plugin, const std::string& file) {
    if (isTooDeep(text))
        return malformed(plugin, file, fmt::format("brackets are nested more than {} deep", bracketNesting));
    std::vector<BodyRow> rows;
    ::onnx::OnnxParser parser(text);
    try {
        while (!parser.EndOfInput()) {
            ::onnx::FunctionProto body;
            if (const auto status = parser.Parse(body); !status.IsOK())
                return malformed(plugin, file, status.ErrorMessage());
            if (body.domain().empty() || body.name().empty())
                return malformed(plugin, file, fmt::format("function '{}' names no domain", body.name()));
            if (rows.size() == bodiesInFile)
                return malformed(plugin, file, fmt::format("more than {} functions", bodiesInFile));
            rows.push_back({plugin, canonicalDomain(body.domain()), body.name(), body.SerializeAsString()});
        }
    } catch (const std::exception& problem) { // a number out of range
        return malformed(plugin, file, problem.what());
    }
    return rows;
}

Result<std::shared_ptr<::onnx::FunctionProto>> bodyOf(const BodyRow& row) {
    auto body = std::make_shared<::onnx::FunctionProto>();
    if (!body->ParseFromString(row.bytes))
        return failure(fmt::format("plugin {} gives {} a body that is none", row.plugin, row.name));
    return body;
}

Result<void> checkCall(const ::onnx::NodeProto& call, const ::onnx::FunctionProto& body, const std::string& plugin) {
    const std::string hint = "export the model without it";
    const std::string own = fmt::format("{} of plugin {}", call.op_type(), plugin);
    if (call.input_size() > body.input_size())
        return failure(ErrorKind::Unsupported,
                       fmt::format("{} takes {} inputs, the node has {}", own, body.input_size(), call.input_size()),
                       hint);
    if (call.output_size() > body.output_size())
        return failure(
            ErrorKind::Unsupported,
            fmt::format("{} gives {} results, the node wants {}", own, body.output_size(), call.output_size()), hint);
    std::set<std::string> read;
    noteAttributesRead(body.node(), read);
    for (const ::onnx::AttributeProto& given : call.attribute()) {
        const auto byDefault =
            std::ranges::find(body.attribute_proto(), given.name(), [](const auto& each) { return each.name(); });
        const bool hasDefault = byDefault != body.attribute_proto().end();
        if (!hasDefault && std::ranges::find(body.attribute(), given.name()) == body.attribute().end())
            return failure(ErrorKind::Unsupported, fmt::format("{} has no attribute '{}'", own, given.name()), hint);
        if (read.contains(given.name()))
            continue;
        if (!hasDefault || given.SerializeAsString() != byDefault->SerializeAsString())
            return failure(ErrorKind::Unsupported,
                           fmt::format("{} takes attribute '{}' only at its default", own, given.name()), hint);
    }
    return {};
}

} // namespace lathe::frontend::onnx
