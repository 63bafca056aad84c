// SPDX-License-Identifier: Apache-2.0
//
// Tensors first, since nodes name them; then nodes; then what is wrong with tensors goes to the nodes that read them.
#include "frontend/tflite/subgraph.h"

#include "base/limits.h"
#include "frontend/tflite/schema_generated.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::tflite {
namespace {

using IndexVector = flatbuffers::Vector<int32_t>;

constexpr const char* wrongIndex = "the file is damaged or was written wrongly; convert the model again";
constexpr int32_t absentTensor = -1;
// Of one node, and of the tensors of one subgraph: no one reads more, and a file may make millions.
constexpr size_t faultsOfNode = 16, faultsOfTensors = 1000;

std::span<const int32_t> indicesOf(const IndexVector* vector) {
    return vector ? std::span(vector->data(), vector->size()) : std::span<const int32_t>();
}

std::string textOrNothing(const flatbuffers::String* text) {
    return text ? text->str() : std::string();
}

/// The same fault, which says what it is a fault of.
Diagnostic ofTensor(const std::string& name, Diagnostic fault) {
    fault.what = fmt::format("tensor '{}': {}", name, fault.what);
    return fault;
}

/// Nodes have no names. Converters call what they make by where it stood in their source: "model/stem/Relu;model/stem/Conv2D" is
/// made in "model", "stem".
std::vector<std::string> scopeOf(std::string_view tensor) {
    constexpr size_t deepest = 24, longest = 256;
    tensor = tensor.substr(0, tensor.find(';'));
    std::vector<std::string> scope;
    for (size_t slash = tensor.find('/'); slash != std::string_view::npos && scope.size() < deepest;
         slash = tensor.find('/')) {
        if (slash > 0)
            scope.emplace_back(tensor.substr(0, std::min(slash, longest)));
        tensor.remove_prefix(slash + 1);
    }
    return scope;
}

bool hasZeroSize(const ::tflite::Tensor& tensor) {
    const std::span<const int32_t> shape = indicesOf(tensor.shape());
    return std::ranges::find(shape, 0) != shape.end();
}

} // namespace

/// What is known of the tensors of a subgraph, by index.
struct SubgraphReader::Tensors {
    size_t count = 0;
    std::vector<std::string> names;
    std::vector<model::ValueType> types;
    std::vector<bool> isInput, isOutput, isWritten;
    std::vector<std::pair<size_t, Diagnostic>> faults; // by tensor

    bool has(int32_t index) const { return index >= 0 && static_cast<size_t>(index) < count; }
    void mark(std::span<const int32_t> indices, std::vector<bool>& flags) const {
        for (const int32_t at : indices)
            if (has(at))
                flags[static_cast<size_t>(at)] = true;
    }
    void report(size_t at, Diagnostic fault) {
        if (faults.size() < faultsOfTensors)
            faults.emplace_back(at, ofTensor(names[at], std::move(fault)));
    }
    /// Gives the faults to the first nodes that read the tensors.
    void shareOut(Subgraph& subgraph) {
        if (faults.empty())
            return;
        std::unordered_map<std::string, SubgraphNode*> readers;
        for (SubgraphNode& node : subgraph.nodes)
            for (const std::string& name : node.node.inputs)
                readers.emplace(name, &node);
        for (auto& [tensor, fault] : faults) {
            const auto found = readers.find(names[tensor]);
            (found == readers.end() ? subgraph.faults : found->second->faults).push_back(std::move(fault));
        }
    }
};

SubgraphReader::SubgraphReader(OpenModel open, std::shared_ptr<Budget> budget, Signature main)
    : open_(std::move(open)), budget_(std::move(budget)), main_(std::move(main)), tensors_(open_, budget_) {}

void SubgraphReader::take(size_t bytes) {
    taken_ += static_cast<int64_t>(bytes);
    spent_ = spent_ || !budget_->takeBytes(static_cast<int64_t>(bytes));
}

std::string SubgraphReader::metadata(const std::string& name) const {
    const auto* all = open_.model->metadata();
    for (flatbuffers::uoffset_t i = 0; all && i < all->size(); ++i) {
        if (textOrNothing(all->Get(i)->name()) != name)
            continue;
        const Result<model::Bytes> found = tensors_.buffer(all->Get(i)->buffer());
        if (!found)
            return {};
        constexpr size_t longest = 256;
        const std::string text(reinterpret_cast<const char*>(found->view.data()),
                               std::min(found->view.size(), longest));
        return text.substr(0, text.find('\0'));
    }
    return {};
}

/// The wanted name if no tensor has it yet, else with a number behind it.
std::string SubgraphReader::unique(const std::string& wanted) {
    std::string name = wanted;
    take(sizeof(std::string) + name.size());
    if (names_.insert(name).second)
        return name;
    int64_t& suffix = suffixes_[wanted];
    do
        name = fmt::format("{}_{}", wanted, ++suffix);
    while (!names_.insert(name).second);
    return name;
}

void SubgraphReader::nameTensors(const ::tflite::SubGraph& proto, bool isMain, Tensors& tensors) {
    tensors.names.resize(tensors.count);
    const auto nameOne = [&](size_t at, const std::map<int32_t, std::string>& called) {
        if (!tensors.names[at].empty() || spent_)
            return;
        const auto found = called.find(static_cast<int32_t>(at));
        const flatbuffers::String* own = proto.tensors()->Get(static_cast<flatbuffers::uoffset_t>(at))->name();
        tensors.names[at] = unique(found != called.end()    ? found->second
                                   : own && own->size() > 0 ? own->str()
                                                            : fmt::format("tensor{}", at));
    };
    // What people see keeps its name.
    const std::map<int32_t, std::string> none;
    for (const int32_t at : indicesOf(proto.inputs()))
        if (tensors.has(at))
            nameOne(static_cast<size_t>(at), isMain ? main_.inputs : none);
    for (const int32_t at : indicesOf(proto.outputs()))
        if (tensors.has(at))
            nameOne(static_cast<size_t>(at), isMain ? main_.outputs : none);
    for (size_t at = 0; at < tensors.count; ++at)
        nameOne(at, none);
}

void SubgraphReader::readTensors(const ::tflite::SubGraph& proto, bool isMain, Tensors& tensors, Subgraph& into) {
    for (size_t at = 0; at < tensors.count && !spent_; ++at) {
        budget_->checkpoint();
        const ::tflite::Tensor& tensor = *proto.tensors()->Get(static_cast<flatbuffers::uoffset_t>(at));
        const std::string& name = tensors.names[at];
        std::vector<Diagnostic> warnings;
        Result<model::ValueType> type = tensors_.typeOf(tensor, isMain && tensors.isInput[at], warnings);
        for (Diagnostic& warning : warnings)
            tensors.report(at, std::move(warning));
        const bool isWrong = !type;
        if (isWrong)
            tensors.report(at, std::move(type).error());
        tensors.types[at] = isWrong ? model::ValueType() : *std::move(type);
        take(sizeof(model::Value) + name.size() + tensors.types[at].shape.size() * sizeof(model::Dim));

        const Result<bool> has = tensors_.hasElements(tensor);
        const bool isMade = tensors.isInput[at] || tensors.isWritten[at];
        if (!has || *has || (!isMade && !tensor.is_variable() && hasZeroSize(tensor))) {
            Result<model::TensorPtr> read = has ? tensors_.read(tensor) : std::unexpected(has.error());
            if (!read && !isWrong) // else it is wrong once
                tensors.report(at, std::move(read).error());
            into.graph.initializers.push_back({name, read ? *read : std::make_shared<model::TensorData>()});
        } else if (!isMade && tensor.is_variable()) {
            into.variables.push_back({name, tensors.types[at]});
        }
        if (!tensors.isInput[at] && !tensors.isOutput[at])
            into.graph.values.push_back({name, tensors.types[at]});
    }
}

Result<model::Bytes> SubgraphReader::customOptions(const ::tflite::Operator& proto) const {
    if (const auto* inside = proto.custom_options(); inside && inside->size() > 0)
        return model::Bytes{open_.bytes.owner, std::as_bytes(std::span(inside->data(), inside->size()))};
    if (proto.large_custom_options_offset() > 1 && proto.large_custom_options_size() > 1)
        return tensors_.behind(proto.large_custom_options_offset(), proto.large_custom_options_size());
    return model::Bytes();
}

void SubgraphReader::readAttributes(const ::tflite::Operator& proto, int code, SubgraphNode& into) {
    if (!isCustom(code)) {
        Result<OperatorOptions> options = readOptions(proto, code, *budget_);
        if (!options) {
            into.faults.push_back(std::move(options).error());
            return;
        }
        into.node.attributes = std::move(options->attributes);
        into.subgraphs = std::move(options->subgraphs);
        return;
    }
    const Result<model::Bytes> bytes = customOptions(proto);
    if (!bytes) {
        into.faults.push_back(bytes.error());
        into.faults.back().what = "the operator's options: " + into.faults.back().what;
        return;
    }
    Result<std::vector<model::Attribute>> read = readCustomOptions(bytes->view, *budget_);
    if (read)
        into.node.attributes = *std::move(read);
    else
        into.faults.push_back(std::move(read).error());
}

void SubgraphReader::readNodes(const ::tflite::SubGraph& proto, const Tensors& tensors, Subgraph& into) {
    const auto* codes = open_.model->operator_codes();
    const auto* operators = proto.operators();
    for (flatbuffers::uoffset_t i = 0; operators && i < operators->size() && !spent_; ++i) {
        budget_->checkpoint();
        const ::tflite::Operator& one = *operators->Get(i);
        SubgraphNode& added = into.nodes.emplace_back();
        const auto name = [&](int32_t index, const char* what, size_t at) {
            take(sizeof(std::string));
            if (tensors.has(index)) {
                const std::string& found = tensors.names[static_cast<size_t>(index)];
                take(found.size());
                return found;
            }
            if (index != absentTensor && added.faults.size() < faultsOfNode)
                added.faults.push_back(
                    error(fmt::format("{} {} names tensor {} of {}", what, at, index, tensors.count), wrongIndex));
            return std::string();
        };
        take(sizeof(SubgraphNode));
        for (const int32_t index : indicesOf(one.inputs()))
            added.node.inputs.push_back(spent_ ? "" : name(index, "input", added.node.inputs.size()));
        for (const int32_t index : indicesOf(one.outputs()))
            added.node.outputs.push_back(spent_ ? "" : name(index, "output", added.node.outputs.size()));
        if (const auto outputs = indicesOf(one.outputs()); !outputs.empty() && tensors.has(outputs[0]))
            added.node.scope =
                scopeOf(textOrNothing(proto.tensors()->Get(static_cast<flatbuffers::uoffset_t>(outputs[0]))->name()));
        for (const std::string& part : added.node.scope)
            take(sizeof(std::string) + part.size());
        const uint32_t count = codes ? codes->size() : 0;
        if (one.opcode_index() >= count) {
            added.node.op = "UNKNOWN";
            added.faults.push_back(
                error(fmt::format("the node names operator {} of the {} in the file", one.opcode_index(), count),
                      wrongIndex));
            continue;
        }
        const ::tflite::OperatorCode& code = *codes->Get(one.opcode_index());
        const int number = builtinCode(code);
        added.node.version = code.version();
        added.node.op = isCustom(number) ? textOrNothing(code.custom_code()) : builtinName(number);
        added.node.domain = isCustom(number) ? customDomain : "";
        take(added.node.op.size());
        if (added.node.op.empty())
            added.faults.push_back(error("the node's operator is a custom one without a name", wrongIndex));
        const int64_t before = budget_->left().bytes;
        readAttributes(one, number, added);
        taken_ += before - budget_->left().bytes;
    }
}

Result<std::shared_ptr<Subgraph>> SubgraphReader::read(size_t index) {
    const ::tflite::SubGraph& proto = *open_.model->subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(index));
    const bool isMain = index == main_.subgraph;
    taken_ = 0;
    auto subgraph = std::make_shared<Subgraph>();
    Tensors tensors;
    tensors.count = proto.tensors() ? proto.tensors()->size() : 0;
    tensors.isInput.resize(tensors.count, false);
    tensors.isOutput.resize(tensors.count, false);
    tensors.isWritten.resize(tensors.count, false);
    tensors.types.resize(tensors.count);
    tensors.mark(indicesOf(proto.inputs()), tensors.isInput);
    tensors.mark(indicesOf(proto.outputs()), tensors.isOutput);
    const auto* operators = proto.operators();
    for (flatbuffers::uoffset_t i = 0; operators && i < operators->size() && !spent_; ++i) {
        const std::span<const int32_t> outputs = indicesOf(operators->Get(i)->outputs());
        take(outputs.size_bytes()); // operators may share the list
        tensors.mark(outputs, tensors.isWritten);
    }

    subgraph->graph.name = proto.name() && proto.name()->size() > 0 ? proto.name()->str()
                           : isMain                                 ? "main"
                                                                    : fmt::format("subgraph{}", index);
    take(subgraph->graph.name.size());
    nameTensors(proto, isMain, tensors);
    readTensors(proto, isMain, tensors, *subgraph);
    readNodes(proto, tensors, *subgraph);
    const auto list = [&](std::span<const int32_t> indices, const char* what, std::vector<model::Value>& values) {
        for (const int32_t at : indices) {
            if (spent_)
                return;
            if (tensors.has(at)) {
                take(sizeof(model::Value) + tensors.names[static_cast<size_t>(at)].size());
                values.push_back({tensors.names[static_cast<size_t>(at)], tensors.types[static_cast<size_t>(at)]});
            } else if (subgraph->faults.size() < faultsOfNode) {
                subgraph->faults.push_back(error(fmt::format("an {} of graph '{}' is tensor {} of {}", what,
                                                             subgraph->graph.name, at, tensors.count),
                                                 wrongIndex));
            }
        }
    };
    list(indicesOf(proto.inputs()), "input", subgraph->graph.inputs);
    list(indicesOf(proto.outputs()), "output", subgraph->graph.outputs);
    if (spent_)
        return failure(
            ErrorKind::Unsupported,
            fmt::format("the names and lists of the model take more than the limit of {} bytes", limits::foldedBytes),
            wrongIndex);
    tensors.shareOut(*subgraph);
    subgraph->tensors = static_cast<int64_t>(tensors.count);
    subgraph->bytes = taken_;
    return subgraph;
}

} // namespace lathe::frontend::tflite
