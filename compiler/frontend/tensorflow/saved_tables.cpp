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
constexpr int64_t farthestLine = int64_t{1} << 62; // that a table counts from

constexpr auto fromConstants = std::to_array<std::string_view>(
    {"InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2"});
constexpr auto fromFile =
    std::to_array<std::string_view>({"InitializeTableFromTextFile", "InitializeTableFromTextFileV2"});

bool fills(std::string_view op) {
    return std::ranges::find(fromConstants, op) != fromConstants.end() ||
           std::ranges::find(fromFile, op) != fromFile.end();
}

template <class T>
model::TensorPtr vectorOf(DataType dtype, const std::vector<T>& elements) {
    model::HostTensor tensor{.dtype = dtype, .shape = {std::ssize(elements)}, .bytes = {}, .strings = {}};
    const auto bytes = std::as_bytes(std::span(elements));
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return model::toData(std::move(tensor));
}

model::TensorPtr vectorOf(std::vector<std::string> strings) {
    const int64_t count = std::ssize(strings);
    return model::toData({.dtype = types::String, .shape = {count}, .bytes = {}, .strings = std::move(strings)});
}

/// Those of these places, in their order, as a vector.
model::TensorPtr elementsAt(const model::TensorData& tensor, const std::vector<size_t>& places) {
    model::HostTensor taken{.dtype = tensor.dtype, .shape = {std::ssize(places)}, .bytes = {}, .strings = {}};
    const auto size = static_cast<size_t>(tensor.dtype.bytes());
    for (const size_t place : places) {
        if (tensor.dtype == types::String) {
            taken.strings.push_back(tensor.strings[place]);
            continue;
        }
        const auto element = tensor.bytes.view.subspan(place * size, size);
        taken.bytes.insert(taken.bytes.end(), element.begin(), element.end());
    }
    return model::toData(std::move(taken));
}

/// The entries by ascending key. A key that is there twice has the value that it had first.
SavedTable sorted(const std::vector<int64_t>& keys, const model::TensorData& values) {
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(keys[i], i); });
    const auto rest = std::ranges::unique(order, {}, [&](size_t i) { return keys[i]; });
    order.erase(rest.begin(), rest.end());
    std::vector<int64_t> ascending;
    for (const size_t i : order)
        ascending.push_back(keys[i]);
    return {vectorOf(types::Int64, ascending), elementsAt(values, order)};
}

template <class T>
std::vector<int64_t> keysOf(const model::TensorData& tensor) {
    std::vector<T> keys(tensor.bytes.view.size() / sizeof(T));
    std::memcpy(keys.data(), tensor.bytes.view.data(), keys.size() * sizeof(T));
    return {keys.begin(), keys.end()};
}

/// A table of these entries.
Result<SavedTable> tableOf(const model::TensorData& keys, const model::TensorData& values) {
    const int64_t count = keys.elements();
    if (count > static_cast<int64_t>(mostTableEntries))
        return failure(ErrorKind::Unsupported,
                       fmt::format("a table has {} entries, more than {}", count, mostTableEntries));
    if (values.elements() != count)
        return failure("a table has other many keys than values", exportTable);
    if (keys.dtype == types::String) {
        std::vector<size_t> all(static_cast<size_t>(count));
        std::iota(all.begin(), all.end(), size_t{0});
        return SavedTable{elementsAt(keys, all), elementsAt(values, all)};
    }
    if (keys.dtype == types::Int64)
        return sorted(keysOf<int64_t>(keys), values);
    if (keys.dtype == types::Int32)
        return sorted(keysOf<int32_t>(keys), values);
    return failure(ErrorKind::Unsupported,
                   fmt::format("a table of keys of type {} is not supported", toString(keys.dtype)));
}

int64_t attributeOf(const BodyNode& node, const std::string& name, int64_t otherwise) {
    const auto found = node.proto->attr().find(name);
    return found == node.proto->attr().end() ? otherwise : found->second.i();
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

/// A file that a table is filled from, as the node that fills it says.
struct TextTable {
    std::string name;
    std::string_view text;
    char delimiter = '\t';
    int64_t lines = 0;  // those that count
    int64_t offset = 0; // of the number of the first one

    /// What a line's part stands for.
    static bool read(std::string_view part, std::string& into) {
        into = part;
        return true;
    }
    template <class T>
    static bool read(std::string_view part, T& into) {
        const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), into);
        return code == std::errc() && end == part.data() + part.size();
    }

    template <class T>
    Result<std::vector<T>> elements(int64_t column) const {
        std::vector<T> all;
        std::string_view left = text;
        for (int64_t line = 0; !left.empty() && line < lines; ++line) {
            const std::string_view row = left.substr(0, left.find('\n'));
            left.remove_prefix(std::min(row.size() + 1, left.size()));
            const std::string number = column == lineNumber ? fmt::format("{}", line + offset) : std::string();
            const auto part =
                column == lineNumber ? std::optional<std::string_view>(number) : partOfLine(row, column, delimiter);
            if (!part || !read(*part, all.emplace_back()))
                return failure(fmt::format("line {} of '{}' does not hold what its table is of", line + 1, name),
                               "export the model again, with its vocabulary");
        }
        return all;
    }

    Result<model::TensorPtr> column(int64_t at, std::optional<DataType> dtype) const {
        if (dtype == types::String) {
            LATHE_TRY(std::vector<std::string> all, elements<std::string>(at));
            return vectorOf(std::move(all));
        }
        const auto numbers = [&]<class T>(T) -> Result<model::TensorPtr> {
            LATHE_TRY(const std::vector<T> all, elements<T>(at));
            return vectorOf(*dtype, all);
        };
        if (dtype == types::Int64)
            return numbers(int64_t());
        if (dtype == types::Int32)
            return numbers(int32_t());
        if (dtype == types::Float32)
            return numbers(float());
        return failure(ErrorKind::Unsupported, "a table of such types from a file is not supported");
    }
};

} // namespace

SavedTables::SavedTables(const Body& graph, const Library& library, Functions& functions, TensorReader& tensors,
                         std::shared_ptr<const Members> members, std::map<std::string, std::string> assets)
    : graph_(graph), tensors_(tensors), members_(std::move(members)), assets_(std::move(assets)) {
    std::unordered_set<std::string> filling;
    for (const auto& function : library)
        if (std::ranges::any_of(function.node_def(), [](const auto& node) { return fills(node.op()); }))
            filling.insert(function.signature().name());
    int traced = 0;
    for (const BodyNode& node : graph.nodes) {
        if (!node.proto)
            continue;
        const auto called = node.proto->attr().find("f");
        if (called == node.proto->attr().end() || !filling.contains(called->second.func().name()))
            continue;
        if (const auto* function = functions.find(called->second.func().name()); function && ++traced <= mostTraced)
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
    return tableOf(*keyTensor, *valueTensor);
}

/// Columns of a text.
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
    LATHE_TRY(const model::Bytes bytes, members_->read("assets/" + asset->second));
    const BodyNode& from = *filling.node;
    const int64_t limit = attributeOf(from, "vocab_size", -1), all = static_cast<int64_t>(mostTableEntries) + 1;
    TextTable file{.name = asset->second,
                   .text = {reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()},
                   .delimiter = '\t',
                   .lines = limit > 0 ? std::min(limit, all) : all,
                   .offset = std::clamp(attributeOf(from, "offset", 0), -farthestLine, farthestLine)};
    const auto named = from.proto->attr().find("delimiter");
    if (named != from.proto->attr().end() && named->second.s().size() == 1)
        file.delimiter = named->second.s()[0];
    LATHE_TRY(const model::TensorPtr keys, file.column(attributeOf(from, "key_index", wholeLine), typeOf("key_dtype")));
    LATHE_TRY(const model::TensorPtr values,
              file.column(attributeOf(from, "value_index", lineNumber), typeOf("value_dtype")));
    return tableOf(*keys, *values);
}

} // namespace lathe::frontend::tensorflow
