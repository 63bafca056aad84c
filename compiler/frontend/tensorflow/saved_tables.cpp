// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/saved_tables.h"

#include "base/limits.h"
#include "frontend/tensorflow/origins.h"
#include "frontend/tensorflow/types.h"
#include "model/host_tensor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* exportTable = "the model is malformed; export it again";
constexpr int64_t wholeLine = -2, lineNumber = -1; // instead of a column of a file
constexpr size_t mostTableEntries = size_t{1} << 24;

constexpr auto fromConstants = std::to_array<std::string_view>(
    {"InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2"});
constexpr auto fromFile =
    std::to_array<std::string_view>({"InitializeTableFromTextFile", "InitializeTableFromTextFileV2"});

bool fills(std::string_view op) {
    return std::ranges::find(fromConstants, op) != fromConstants.end() ||
           std::ranges::find(fromFile, op) != fromFile.end();
}

model::TensorPtr tensorOfKeys(const std::vector<int64_t>& keys) {
    model::HostTensor tensor{.dtype = types::Int64, .shape = {std::ssize(keys)}, .bytes = {}, .strings = {}};
    const auto bytes = std::as_bytes(std::span(keys));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return model::toData(std::move(tensor));
}

/// The entries by ascending key. A key that is there twice has the value that it had first.
Result<SavedTable> sorted(const std::vector<int64_t>& keys, const model::TensorData& values) {
    if (keys.size() > mostTableEntries)
        return failure(ErrorKind::Unsupported,
                       fmt::format("a table has {} entries, more than {}", keys.size(), mostTableEntries));
    const auto size = static_cast<size_t>(values.dtype.bytes());
    if (values.bytes.view.size() != keys.size() * size)
        return failure("a table has other many keys than values", exportTable);
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(keys[i], i); });
    const auto rest = std::ranges::unique(order, {}, [&](size_t i) { return keys[i]; });
    order.erase(rest.begin(), rest.end());
    std::vector<int64_t> ascending;
    model::HostTensor theirs{.dtype = values.dtype, .shape = {std::ssize(order)}, .bytes = {}, .strings = {}};
    for (const size_t i : order) {
        ascending.push_back(keys[i]);
        const auto value = values.bytes.view.subspan(i * size, size);
        theirs.bytes.insert(theirs.bytes.end(), value.begin(), value.end());
    }
    return SavedTable{tensorOfKeys(ascending), model::toData(std::move(theirs))};
}

template <class T>
std::vector<int64_t> keysOf(const model::TensorData& tensor) {
    std::vector<T> keys(tensor.bytes.view.size() / sizeof(T));
    std::memcpy(keys.data(), tensor.bytes.view.data(), keys.size() * sizeof(T));
    return {keys.begin(), keys.end()};
}

Failure ofStrings() {
    return failure(ErrorKind::Unsupported, "a table of strings is not supported",
                   "look strings up outside of the model, and let it take their numbers");
}

int64_t attributeOf(const BodyNode& node, const std::string& name, int64_t otherwise) {
    const auto found = node.proto->attr().find(name);
    return found == node.proto->attr().end() ? otherwise : found->second.i();
}

template <class T>
bool readNumber(std::string_view text, T& into) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), into);
    return code == std::errc() && end == text.data() + text.size();
}

/// The part of a line that a table takes: all of it, or a column.
std::optional<std::string_view> partOfLine(std::string_view line, int64_t column, char delimiter) {
    for (int64_t i = 0; i < column; ++i) {
        const size_t next = line.find(delimiter);
        if (next == std::string_view::npos)
            return std::nullopt;
        line.remove_prefix(next + 1);
    }
    return column == wholeLine ? line : line.substr(0, line.find(delimiter));
}

} // namespace

SavedTables::SavedTables(const Body& graph, const Library& library, Functions& functions, TensorReader& tensors,
                         std::shared_ptr<const Members> members, std::map<std::string, std::string> assets)
    : graph_(graph), tensors_(tensors), members_(std::move(members)), assets_(std::move(assets)) {
    std::unordered_set<std::string> filling;
    for (const auto& function : library)
        if (std::ranges::any_of(function.node_def(), [](const auto& node) { return fills(node.op()); }))
            filling.insert(function.signature().name());
    for (const BodyNode& node : graph.nodes) {
        if (!node.proto)
            continue;
        const auto called = node.proto->attr().find("f");
        if (called == node.proto->attr().end() || !filling.contains(called->second.func().name()))
            continue;
        if (const auto* function = functions.find(called->second.func().name()))
            trace(*functions.body(*function), graph, &node.inputs);
    }
    trace(graph, graph, nullptr);
}

/// arguments: of a call, what its operands are in the graph; null: the body is the graph.
void SavedTables::trace(const Body& body, const Body& graph, const std::vector<Endpoint>* arguments) {
    const auto nodeAt = [&](const Endpoint& endpoint) -> const BodyNode* {
        const Endpoint origin = originOf(body, endpoint);
        if (!arguments || origin.argument == Endpoint::none)
            return producerAt(body, origin);
        const auto place = static_cast<size_t>(origin.argument);
        return place < arguments->size() ? producerAt(graph, originOf(graph, (*arguments)[place])) : nullptr;
    };
    for (const BodyNode& node : body.nodes) {
        if (!fills(node.op) || node.inputs.empty() || !node.proto)
            continue;
        Filling filling{.node = &node, .operands = {}};
        for (const Endpoint& input : node.inputs)
            filling.operands.push_back(nodeAt(input));
        if (const BodyNode* table = filling.operands[0])
            fillings_.emplace(table->name, std::move(filling));
    }
}

Result<SavedTable> SavedTables::table(const std::string& node) {
    const auto known = known_.find(node);
    if (known != known_.end())
        return known->second;
    const auto read = [&]() -> Result<SavedTable> {
        const auto table = std::ranges::find(graph_.nodes, node, &BodyNode::name);
        const auto filling = fillings_.find(node);
        if (filling == fillings_.end() || table == graph_.nodes.end() || !table->proto)
            return failure(fmt::format("the file does not say what table '{}' holds", node),
                           "name the folder of the SavedModel, or let the model take what it looks up");
        const bool isFile = std::ranges::find(fromFile, filling->second.node->op) != fromFile.end();
        return isFile ? ofFile(filling->second, *table->proto) : ofConstants(filling->second);
    };
    return known_.emplace(node, read()).first->second;
}

Result<SavedTable> SavedTables::ofConstants(const Filling& filling) {
    const auto* keys = filling.operands.size() == 3 ? constantOf(filling.operands[1]) : nullptr;
    const auto* values = keys ? constantOf(filling.operands[2]) : nullptr;
    if (!values)
        return failure(ErrorKind::Unsupported, "a table is filled with what is no constant, which is not supported",
                       "fill it with constants");
    LATHE_TRY(const model::TensorPtr keyTensor, tensors_.read(*keys));
    LATHE_TRY(const model::TensorPtr valueTensor, tensors_.read(*values));
    if (keyTensor->dtype == types::String || valueTensor->dtype == types::String)
        return ofStrings();
    if (keyTensor->dtype == types::Int64)
        return sorted(keysOf<int64_t>(*keyTensor), *valueTensor);
    if (keyTensor->dtype == types::Int32)
        return sorted(keysOf<int32_t>(*keyTensor), *valueTensor);
    return failure(ErrorKind::Unsupported,
                   fmt::format("a table of keys of type {} is not supported", toString(keyTensor->dtype)));
}

/// Numbers in columns of a text; lines count from 0.
Result<SavedTable> SavedTables::ofFile(const Filling& filling, const ::tensorflow::NodeDef& table) {
    const BodyNode* name = filling.operands.size() == 2 ? filling.operands[1] : nullptr;
    // The name is in a variable, which is assigned to before.
    if (name && name->op == "ReadVariableOp" && !name->inputs.empty()) {
        const Endpoint handle = originOf(graph_, name->inputs[0]);
        const auto assigns = [&](const BodyNode& node) {
            return node.op == "AssignVariableOp" && node.inputs.size() == 2 &&
                   originOf(graph_, node.inputs[0]) == handle;
        };
        const auto assigned = std::ranges::find_if(graph_.nodes, assigns);
        name = assigned == graph_.nodes.end() ? nullptr : producerAt(graph_, originOf(graph_, assigned->inputs[1]));
    }
    const auto asset = name ? assets_.find(name->name) : assets_.end();
    if (asset == assets_.end() || !members_)
        return failure("a table is filled from a file that the model does not name", exportTable);
    const auto typeOf = [&](const char* attribute) {
        const auto found = table.attr().find(attribute);
        return found == table.attr().end() ? std::nullopt : fromProto(found->second.type());
    };
    const auto keyType = typeOf("key_dtype"), valueType = typeOf("value_dtype");
    if (keyType == types::String || valueType == types::String)
        return ofStrings();
    if ((keyType != types::Int64 && keyType != types::Int32) ||
        (valueType != types::Int64 && valueType != types::Float32))
        return failure(ErrorKind::Unsupported, "a table of such types from a file is not supported");
    LATHE_TRY(const model::Bytes bytes, members_->read("assets/" + asset->second));
    std::string_view text(reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size());
    const int64_t keyColumn = attributeOf(*filling.node, "key_index", wholeLine),
                  valueColumn = attributeOf(*filling.node, "value_index", lineNumber);
    const auto named = filling.node->proto->attr().find("delimiter");
    const char delimiter =
        named == filling.node->proto->attr().end() || named->second.s().size() != 1 ? '\t' : named->second.s()[0];
    std::vector<int64_t> keys, wholes;
    std::vector<float> reals;
    for (int64_t line = 0; !text.empty() && keys.size() <= mostTableEntries; ++line) {
        const std::string_view row = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(row.size() + 1, text.size()));
        const auto take = [&](int64_t column, auto& into) {
            const auto part =
                column == lineNumber ? std::optional<std::string_view>("") : partOfLine(row, column, delimiter);
            into.emplace_back();
            if (column == lineNumber)
                into.back() = static_cast<typename std::decay_t<decltype(into)>::value_type>(line);
            return part && (column == lineNumber || readNumber(*part, into.back()));
        };
        if (!take(keyColumn, keys) ||
            !(valueType == types::Int64 ? take(valueColumn, wholes) : take(valueColumn, reals)))
            return failure(
                fmt::format("line {} of '{}' does not hold the numbers of its table", line + 1, asset->second),
                "export the model again, with its vocabulary");
    }
    model::HostTensor values{.dtype = *valueType, .shape = {std::ssize(keys)}, .bytes = {}, .strings = {}};
    const auto theirs = valueType == types::Int64 ? std::as_bytes(std::span(wholes)) : std::as_bytes(std::span(reals));
    values.bytes.assign(theirs.begin(), theirs.end());
    return sorted(keys, *model::toData(std::move(values)));
}

} // namespace lathe::frontend::tensorflow
