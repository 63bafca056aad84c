// SPDX-License-Identifier: Apache-2.0
//
// JSON to a Program. The schema promises nothing across major versions; fields that a newer minor version adds are not looked
// at, and a kind of argument that is not known is a fault.
#include "arith/analysis.h"
#include "frontend/torch/json_reader.h"
#include "frontend/torch/program.h"
#include "frontend/torch/scalar_type.h"
#include "frontend/torch/stack_trace.h"
#include "frontend/torch/user_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch {
namespace {

using nlohmann::json;

constexpr int64_t schemaMajor = 8;
constexpr const char* exportAgain = "export the program again, with a version of PyTorch whose programs have schema 8";

class ProgramReader {
public:
    explicit ProgramReader(Budget& budget) : budget_(budget) {}

    Result<Program> read(const json& root) {
        Program program;
        checkVersion(root, program);
        if (!failed()) {
            const json& module = reader_.field(root, "graph_module");
            program.graph = graph(reader_.field(module, "graph"), "main", 0);
            signature(reader_.field(module, "signature"), program);
            if (!failed())
                nameForUser(reader_.optional(module, "module_call_graph"), program);
            ranges(reader_.optional(root, "range_constraints"), program);
            if (const json& version = reader_.optional(root, "torch_version"); version.is_string())
                program.torchVersion = version.get<std::string>();
            program.nodeCount = nodes_;
        }
        if (failed())
            return Failure(*reader_.fault());
        return program;
    }

    TensorMeta tensorMeta(const json& value) {
        TensorMeta meta;
        if (const auto type = scalarTypeOf(reader_.number(reader_.field(value, "dtype"), "an element type"))) {
            meta.dtype = type->dtype;
            meta.isComplex = type->isComplex;
        }
        meta.sizes = sizes(reader_.field(value, "sizes"));
        meta.strides = sizes(reader_.field(value, "strides"));
        meta.offset = size(reader_.field(value, "storage_offset"));
        if (meta.sizes.size() > limits::tensorRank || meta.sizes.size() != meta.strides.size())
            reader_.fail(fmt::format("a tensor has {} sizes and {} strides", meta.sizes.size(), meta.strides.size()));
        return meta;
    }

    const std::optional<Diagnostic>& fault() const { return reader_.fault(); }

private:
    bool failed() const { return reader_.failed(); }

    void checkVersion(const json& root, Program& program) {
        const json& version = reader_.field(root, "schema_version");
        const int64_t major = reader_.number(reader_.field(version, "major"), "the schema's version");
        program.schemaMinor = reader_.number(reader_.field(version, "minor"), "the schema's version");
        if (!failed() && major != schemaMajor)
            reader_.fail(
                error(ErrorKind::Unsupported,
                      fmt::format("the program has schema {}, only schema {} is supported", major, schemaMajor),
                      exportAgain));
    }

    /// Counts a node or a value; false, and a fault, when there are too many.
    bool count() {
        budget_.checkpoint();
        if (!failed() && !budget_.takeNodes(1))
            reader_.fail(error(ErrorKind::Unsupported,
                               fmt::format("the program has more than {} nodes and values", limits::graphNodes),
                               "split the model"));
        return !failed();
    }

    // ---- numbers and tensors

    ProgramSize size(const json& value) {
        const auto [kind, content] = reader_.member(value, "a size");
        if (kind == "as_int")
            return reader_.number(*content, "a size");
        if (kind == "as_expr")
            return reader_.text(reader_.field(*content, "expr_str"), "a size");
        unknown("a size", kind);
        return int64_t{0};
    }

    std::vector<ProgramSize> sizes(const json& value) {
        std::vector<ProgramSize> all;
        for (const json& one : reader_.array(value, "the sizes"))
            all.push_back(size(one));
        return all;
    }

    void unknown(const char* what, std::string_view kind) {
        if (!failed())
            reader_.fail(error(ErrorKind::Unsupported,
                               fmt::format("{} of the program is of kind '{}', which is not supported", what, kind),
                               exportAgain));
    }

    // ---- arguments

    ProgramArgument name(const json& value, const char* key, bool isTensor) {
        return {ProgramArgument::Name{reader_.text(reader_.field(value, key), "a name"), isTensor}};
    }

    /// An integer, a float or a bool, which may be a name of one that depends on sizes.
    ProgramArgument number(const json& value) {
        const auto [kind, content] = reader_.member(value, "a number");
        if (kind == "as_name")
            return {ProgramArgument::Name{reader_.text(*content, "a name"), false}};
        return constant(kind, *content).value_or(ProgramArgument());
    }

    std::optional<ProgramArgument> constant(std::string_view kind, const json& value) {
        if (kind == "as_none")
            return ProgramArgument{TorchValue()};
        if (kind == "as_int")
            return ProgramArgument{TorchValue(Expr(reader_.number(value, "an integer")))};
        if (kind == "as_float")
            return ProgramArgument{TorchValue(reader_.real(value))};
        if (kind == "as_bool")
            return ProgramArgument{TorchValue(reader_.flag(value, "a bool"))};
        if (kind == "as_string" || kind == "as_operator")
            return ProgramArgument{TorchValue(reader_.text(value, "a string"))};
        if (kind == "as_device")
            return ProgramArgument{TorchValue(reader_.text(reader_.field(value, "type"), "a device"))};
        if (kind == "as_memory_format")
            return named(memoryFormatOf(reader_.number(value, "a memory format")), "memory format");
        if (kind == "as_layout")
            return named(layoutOf(reader_.number(value, "a layout")), "layout");
        if (kind != "as_scalar_type")
            return std::nullopt;
        const auto type = scalarTypeOf(reader_.number(value, "an element type"));
        if (!type)
            unknown("an element type", dump(value));
        return !type || type->isComplex ? ProgramArgument{TorchValue(type ? type->name : std::string())}
                                        : ProgramArgument{TorchValue(type->dtype)};
    }

    ProgramArgument named(std::string name, const char* what) {
        if (name.empty())
            reader_.fail(fmt::format("the program has a {} that is none", what));
        return {TorchValue(std::move(name))};
    }

    template <class Read>
    ProgramArgument list(const json& value, const Read& read) {
        std::vector<ProgramArgument> all;
        for (const json& one : reader_.array(value, "an argument"))
            all.push_back(read(one));
        return {std::move(all)};
    }

    ProgramArgument argument(const json& value, int depth) {
        const auto [kind, content] = reader_.member(value, "an argument");
        const auto tensor = [&](const json& one) { return name(one, "name", true); };
        const auto any = [&](const json& one) { return argument(one, depth); };
        if (kind == "as_tensor")
            return tensor(*content);
        if (kind == "as_tensors")
            return list(*content, tensor);
        if (kind == "as_optional_tensor")
            return argument(*content, depth);
        if (kind == "as_optional_tensors")
            return list(*content, any);
        if (kind == "as_nested_tensors")
            return list(*content, [&](const json& one) { return list(one, tensor); });
        if (kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float")
            return number(*content);
        if (kind == "as_sym_ints" || kind == "as_sym_bools" || kind == "as_sym_floats")
            return list(*content, [&](const json& one) { return number(one); });
        if (kind == "as_graph")
            return {graph(reader_.field(*content, "graph"),
                          reader_.text(reader_.field(*content, "name"), "a graph's name"), depth + 1)};
        if (kind == "as_int_lists")
            return list(*content, [&](const json& one) { return constants("as_ints", one); });
        if (kind == "as_ints" || kind == "as_floats" || kind == "as_bools" || kind == "as_strings")
            return constants(kind, *content);
        if (std::optional<ProgramArgument> found = constant(kind, *content))
            return *std::move(found);
        unknown("an argument", kind);
        return {};
    }

    /// kind: "as_ints" for a list of "as_int".
    ProgramArgument constants(std::string_view kind, const json& value) {
        const std::string_view one = kind.substr(0, kind.size() - 1);
        return list(value, [&](const json& element) { return constant(one, element).value_or(ProgramArgument()); });
    }

    std::vector<ProgramArgument> arguments(const json& value, int depth) {
        std::vector<ProgramArgument> all;
        for (const json& one : reader_.array(value, "the values of a graph or node"))
            if (count())
                all.push_back(argument(one, depth));
        return all;
    }

    // ---- graphs

    std::shared_ptr<const ProgramGraph> graph(const json& value, std::string graphName, int depth) {
        auto graph = std::make_shared<ProgramGraph>();
        graph->name = std::move(graphName);
        if (depth >= limits::blockNesting) {
            reader_.fail(error(ErrorKind::Unsupported,
                               fmt::format("graphs are nested more than {} deep", limits::blockNesting),
                               "flatten the model"));
            return graph;
        }
        graph->inputs = arguments(reader_.field(value, "inputs"), depth);
        for (const json& one : reader_.array(reader_.field(value, "nodes"), "the nodes"))
            if (count())
                graph->nodes.push_back(node(one, depth));
        graph->outputs = arguments(reader_.field(value, "outputs"), depth);
        for (const auto& [name, meta] : reader_.object(reader_.field(value, "tensor_values"), "the tensors").items())
            if (count())
                graph->tensors.emplace(name, tensorMeta(meta));
        for (const auto& [name, number] : reader_.object(reader_.field(value, "sym_int_values"), "the sizes").items())
            if (count())
                graph->numbers.emplace(name, size(number));
        for (const ProgramNode& one : graph->nodes)
            if (one.target == "aten.unique_consecutive.default")
                correctRuns(one, *graph);
        return graph;
    }

    /// PyTorch declares of the runs along dim -1 the dims before that one, their number, and behind it, from dim -1 + 1 on, all
    /// dims once more; what it computes has none behind.
    static void correctRuns(const ProgramNode& node, ProgramGraph& graph) {
        using Name = ProgramArgument::Name;
        const Name *self = nullptr, *runs = node.outputs.empty() ? nullptr : node.outputs[0].as<Name>();
        bool isLast = false;
        for (const ProgramNode::Input& input : node.inputs) {
            const TorchValue* value = input.value.as<TorchValue>();
            const Expr* number = value ? value->as<Expr>() : nullptr;
            if (input.name == "self")
                self = input.value.as<Name>();
            isLast = isLast || (input.name == "dim" && number && arith::asInt(*number) == -1);
        }
        const auto of = self ? graph.tensors.find(self->text) : graph.tensors.end();
        const auto declared = runs ? graph.tensors.find(runs->text) : graph.tensors.end();
        if (!isLast || of == graph.tensors.end() || declared == graph.tensors.end())
            return;
        const size_t rank = of->second.sizes.size();
        TensorMeta& meta = declared->second;
        if (meta.sizes.size() != 2 * rank || meta.strides.size() != 2 * rank)
            return;
        meta.sizes.resize(rank);
        meta.strides.erase(meta.strides.begin(), meta.strides.end() - static_cast<std::ptrdiff_t>(rank));
    }

    ProgramNode node(const json& value, int depth) {
        ProgramNode node;
        node.id = nodes_++;
        node.target = reader_.text(reader_.field(value, "target"), "a node's operator");
        if (constexpr std::string_view prefix = "torch.ops."; node.target.starts_with(prefix))
            node.target.erase(0, prefix.size());
        if (const json& given = reader_.optional(value, "name"); given.is_string())
            node.name = given.get<std::string>();
        for (const json& input : reader_.array(reader_.field(value, "inputs"), "a node's arguments"))
            if (count())
                node.inputs.push_back({reader_.text(reader_.field(input, "name"), "an argument's name"),
                                       argument(reader_.field(input, "arg"), depth)});
        node.outputs = arguments(reader_.field(value, "outputs"), depth);
        const json& metadata = reader_.optional(value, "metadata");
        if (const json& stack = reader_.optional(metadata, "nn_module_stack"); stack.is_string())
            node.modules = modules(stack.get<std::string>());
        if (const json& stack = reader_.optional(metadata, "stack_trace"); stack.is_string())
            node.source = readStackTrace(stack.get_ref<const std::string&>());
        return node;
    }

    /// Of "L__self__,,Net;L__self___stem,stem,torch.nn.Conv2d": "stem".
    static std::vector<std::string> modules(std::string_view stack) {
        std::vector<std::string> paths;
        while (!stack.empty()) {
            const size_t end = std::min(stack.find(';'), stack.size());
            const std::string_view entry = stack.substr(0, end);
            const size_t first = std::min(entry.find(','), entry.size());
            const std::string_view rest = entry.substr(std::min(first + 1, entry.size()));
            const std::string_view path = rest.substr(0, std::min(rest.find(','), rest.size()));
            if (!path.empty() && path.find("_empty_nn_module_stack") == std::string_view::npos)
                paths.emplace_back(path);
            stack.remove_prefix(std::min(end + 1, stack.size()));
        }
        return paths;
    }

    // ---- what inputs and outputs are

    void signature(const json& value, Program& program) {
        for (const json& one : reader_.array(reader_.field(value, "input_specs"), "the signature"))
            program.inputs.push_back(inputSpec(one));
        for (const json& one : reader_.array(reader_.field(value, "output_specs"), "the signature"))
            program.outputs.push_back(outputSpec(one));
        if (!failed() && (program.inputs.size() != program.graph->inputs.size() ||
                          program.outputs.size() != program.graph->outputs.size()))
            reader_.fail(fmt::format("the signature has {} inputs and {} outputs, the graph {} and {}",
                                     program.inputs.size(), program.outputs.size(), program.graph->inputs.size(),
                                     program.graph->outputs.size()));
    }

    InputSpec inputSpec(const json& value) {
        using Kind = InputSpec::Kind;
        InputSpec spec;
        const auto [kind, content] = reader_.member(value, "an input");
        const auto stored = [&](Kind is, const char* key) {
            spec.kind = is;
            spec.name = reader_.text(reader_.field(reader_.field(*content, "arg"), "name"), "an input's name");
            spec.tensor = reader_.text(reader_.field(*content, key), "a tensor's name");
        };
        if (kind == "user_input") {
            spec.value = argument(reader_.field(*content, "arg"), 0);
            if (const auto* input = spec.value.as<ProgramArgument::Name>())
                spec.name = input->text;
            else
                spec.kind = Kind::Value;
        } else if (kind == "parameter") {
            stored(Kind::Parameter, "parameter_name");
        } else if (kind == "buffer") {
            stored(Kind::Buffer, "buffer_name");
            const json& persistent = reader_.optional(*content, "persistent");
            spec.isStored = !persistent.is_boolean() || persistent.get<bool>();
        } else if (kind == "tensor_constant") {
            stored(Kind::Constant, "tensor_constant_name");
        } else if (kind == "constant_input") {
            spec.kind = Kind::Value;
            spec.name = reader_.text(reader_.field(*content, "name"), "an input's name");
            spec.value = argument(reader_.field(*content, "value"), 0);
        } else {
            unknown("an input", kind);
        }
        return spec;
    }

    OutputSpec outputSpec(const json& value) {
        using Kind = OutputSpec::Kind;
        OutputSpec spec;
        const auto [kind, content] = reader_.member(value, "an output");
        const auto assigned = [&](Kind is, const char* key) {
            spec.kind = is;
            spec.value = name(reader_.field(*content, "arg"), "name", true);
            spec.target = reader_.text(reader_.field(*content, key), "an input's name");
        };
        if (kind == "user_output")
            spec.value = argument(reader_.field(*content, "arg"), 0);
        else if (kind == "buffer_mutation")
            assigned(Kind::Buffer, "buffer_name");
        else if (kind == "user_input_mutation")
            assigned(Kind::Input, "user_input_name");
        else
            unknown("an output", kind);
        return spec;
    }

    void ranges(const json& value, Program& program) {
        if (!value.is_object())
            return;
        for (const auto& [expression, range] : value.items()) {
            const json &least = reader_.optional(range, "min_val"), &greatest = reader_.optional(range, "max_val");
            // A bound beyond 64 bits bounds nothing.
            program.ranges.push_back({expression, integer<int64_t>(least), integer<int64_t>(greatest)});
        }
    }

    JsonReader reader_;
    Budget& budget_;
    int32_t nodes_ = 0;
};

} // namespace

Result<Program> readProgram(std::string_view text, Budget& budget) {
    const std::optional<json> root = parseJson(text);
    if (!root || !root->is_object())
        return failure("the program is no JSON, or is nested too deep",
                       "the file is damaged; copy it or export the program again");
    return ProgramReader(budget).read(*root);
}

Result<TensorMeta> readTensorMeta(const json& value) {
    Budget budget;
    ProgramReader reader(budget);
    TensorMeta meta = reader.tensorMeta(value);
    if (reader.fault())
        return Failure(*reader.fault());
    return meta;
}

} // namespace lathe::frontend::torch
