// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/inputs.h"

#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr int mostTypeNesting = 32;

/// "List" of List[Tensor]; "Tensor" of Tensor.
std::string typeName(const Term& type) {
    return type.kind == Term::Kind::Element ? pathOf(*type.parts[0]) : pathOf(type);
}
/// Tensor of List[Tensor], str and Tensor of Dict[str, Tensor].
std::vector<TermPtr> typeArguments(const Term& type) {
    if (type.kind != Term::Kind::Element)
        return {};
    return type.parts[1]->kind == Term::Kind::Tuple ? type.parts[1]->parts : std::vector<TermPtr>{type.parts[1]};
}

std::string typeText(const Term& type) {
    std::vector<std::string> parts;
    for (const TermPtr& part : typeArguments(type))
        parts.push_back(typeText(*part));
    return parts.empty() ? typeName(type) : fmt::format("{}[{}]", typeName(type), fmt::join(parts, ", "));
}

/// Of an argument that is a number.
std::optional<DataType> numberType(const std::string& name) {
    if (name == "float" || name == "number" || name == "Scalar")
        return types::Float64;
    return name == "int" ? std::optional(types::Int64) : name == "bool" ? std::optional(types::Bool) : std::nullopt;
}

/// Whether an argument of that type has tensors or numbers in it, which a call gives; else the user has to fix it.
bool mayHaveInputs(const Term& type) {
    const std::string name = typeName(type);
    const std::vector<TermPtr> arguments = typeArguments(type);
    if (name == "Dict")
        return arguments.size() > 1 && mayHaveInputs(*arguments[1]);
    return name == "Tensor" || numberType(name) ||
           std::ranges::any_of(arguments, [](const TermPtr& part) { return mayHaveInputs(*part); });
}

template <class T>
const T* valueOfName(const std::vector<std::pair<std::string, T>>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &std::pair<std::string, T>::first);
    return found == all.end() ? nullptr : &found->second;
}

} // namespace

struct ScriptInputs::Reader {
    ScriptInputs& inputs;
    const Options& options;
    std::set<std::string> given; // names that sizes or types are given for
    int depth = 0;

    size_t leaf(const std::string& name, DataType dtype, bool isNumber) {
        model::ValueType type;
        type.kind = model::ValueType::Kind::Tensor;
        type.dtype = dtype;
        type.hasShape = isNumber;
        inputs.leaves_.push_back({name, type});
        return inputs.leaves_.size() - 1;
    }

    bool isGiven(const std::string& name) const {
        const auto at = given.lower_bound(name);
        return at != given.end() && (*at == name || at->starts_with(name + "."));
    }
    /// What lies below a name: "a" and "b" of d.a, d.b; "0", "1" of l.0.x, l.1.x.
    std::vector<std::string> below(const std::string& name) const {
        std::vector<std::string> keys;
        for (const std::string& one : given)
            if (one.starts_with(name + ".")) {
                const std::string rest = one.substr(name.size() + 1);
                keys.push_back(rest.substr(0, rest.find('.')));
            }
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        return keys;
    }

    Result<Tree> number(const std::string& name, DataType dtype) {
        return Tree{.kind = Tree::Kind::Number, .leaf = leaf(name, dtype, true), .fixed = {}, .parts = {}, .keys = {}};
    }

    static Failure unknownElements(const std::string& name, const Term& type, bool isDict) {
        const bool mayBeGiven = mayHaveInputs(type);
        const std::string element = typeText(type).contains("str]") ? "\"text\"" : "1";
        const std::string fixed =
            isDict ? fmt::format(R"({{"KEY": {}}})", element) : fmt::format("[{0}, {0}]", element);
        return failure(
            ErrorKind::Usage,
            fmt::format("argument '{}' is a {}, of which the model does not say what is in it", name, typeText(type)),
            fmt::format("{}fix it: --arg {}='{}'",
                        mayBeGiven ? fmt::format("give sizes for each tensor in it, --shape {}.{}=2,3, or ", name,
                                                 isDict ? "KEY" : "0")
                                   : "",
                        name, fixed));
    }

    Result<Tree> several(const std::string& name, const Term& type) {
        Tree tree{.kind = Tree::Kind::List, .leaf = 0, .fixed = {}, .parts = {}, .keys = {}};
        const std::vector<TermPtr> arguments = typeArguments(type);
        const bool isDict = typeName(type) == "Dict", isTuple = typeName(type) == "Tuple";
        if (arguments.size() < (isDict ? 2U : 1U))
            return failure(fmt::format("argument '{}' is of type {}", name, typeText(type)));
        if (isTuple) {
            tree.kind = Tree::Kind::Tuple;
            for (size_t i = 0; i < arguments.size(); ++i) {
                LATHE_TRY(Tree part, read(fmt::format("{}.{}", name, i), *arguments[i]));
                tree.parts.push_back(std::move(part));
            }
            return tree;
        }
        std::vector<std::string> keys = below(name);
        if (keys.empty())
            return unknownElements(name, type, isDict);
        tree.kind = isDict ? Tree::Kind::Dict : Tree::Kind::List;
        if (!isDict) // the tenth behind the ninth
            for (size_t i = 0; i < keys.size(); ++i)
                keys[i] = fmt::format("{}", i);
        for (const std::string& key : keys) {
            LATHE_TRY(Tree part, read(fmt::format("{}.{}", name, key), *arguments[isDict ? 1 : 0]));
            tree.parts.push_back(std::move(part));
        }
        tree.keys = keys;
        return tree;
    }

    /// As the user wrote it; of a string also without quotes.
    Result<Tree> fixed(const std::string& name, const Term& type, const std::string& text) {
        Tree tree{.kind = Tree::Kind::Fixed, .leaf = 0, .fixed = {}, .parts = {}, .keys = {}};
        Result<TermPtr> term = parseTerm(text);
        const bool isWord = !term || (*term)->kind == Term::Kind::Name || (*term)->kind == Term::Kind::Attribute;
        if (isWord && typeText(type).contains("str")) {
            auto word = std::make_shared<Term>();
            word->kind = Term::Kind::Text;
            word->text = text;
            tree.fixed = std::move(word);
        } else if (isWord) {
            return failure(ErrorKind::Usage, fmt::format("argument '{}' cannot be '{}'", name, text),
                           "write it as in Python: 3, 0.5, True, \"text\", [1, 2], None");
        } else {
            tree.fixed = *std::move(term);
        }
        return tree;
    }

    Result<Tree> read(const std::string& name, const Term& type) {
        if (++depth > mostTypeNesting)
            return failure(ErrorKind::Unsupported, fmt::format("the type of argument '{}' is nested too deep", name));
        Result<Tree> tree = readType(name, type);
        --depth;
        return tree;
    }

    Result<Tree> readType(const std::string& name, const Term& type) {
        if (const std::string* text = valueOfName(options.arguments, name))
            return fixed(name, type, *text);
        const std::string kind = typeName(type);
        if (kind == "Tensor") {
            const DataType* dtype = valueOfName(options.types, name);
            return Tree{.kind = Tree::Kind::Tensor,
                        .leaf = leaf(name, dtype ? *dtype : defaultFloat, false),
                        .fixed = {},
                        .parts = {},
                        .keys = {}};
        }
        if (const std::optional<DataType> dtype = numberType(kind))
            return number(name, *dtype);
        if (kind == "Optional" && type.kind == Term::Kind::Element)
            return isGiven(name) ? read(name, *type.parts[1])
                                 : Tree{.kind = Tree::Kind::Fixed, .leaf = 0, .fixed = {}, .parts = {}, .keys = {}};
        if (kind == "List" || kind == "Tuple" || kind == "Dict")
            return several(name, type);
        return failure(ErrorKind::Usage,
                       fmt::format("argument '{}' is of type {}, which no input can be", name, typeText(type)),
                       fmt::format("fix it: --arg {}=VALUE", name));
    }
};

Result<ScriptInputs> ScriptInputs::of(const FunctionText& function, const Options& options) {
    ScriptInputs inputs;
    Reader reader{.inputs = inputs, .options = options, .given = {}};
    for (const auto& [name, sizes] : options.shapes)
        reader.given.insert(name);
    for (const auto& [name, dtype] : options.types)
        reader.given.insert(name);
    for (const auto& [name, names] : options.sizeNames)
        reader.given.insert(name);
    Term tensor;
    tensor.kind = Term::Kind::Name;
    tensor.text = "Tensor";
    std::vector<std::string> names;
    for (size_t i = 1; i < function.parameters.size(); ++i) // behind self
        names.push_back(function.parameters[i].name);
    for (const auto& [name, text] : options.arguments)
        if (std::ranges::find(names, name.substr(0, name.find('.'))) == names.end())
            return failure(ErrorKind::Usage, fmt::format("the model has no argument '{}'", name),
                           names.empty() ? "it has none"
                                         : fmt::format("its arguments are: {}", fmt::join(names, ", ")));
    for (size_t i = 1; i < function.parameters.size(); ++i) {
        const Parameter& parameter = function.parameters[i];
        if (parameter.otherwise && !valueOfName(options.arguments, parameter.name) && !reader.isGiven(parameter.name)) {
            inputs.arguments_.push_back(
                {.kind = Tree::Kind::Fixed, .leaf = 0, .fixed = parameter.otherwise, .parts = {}, .keys = {}});
            continue;
        }
        LATHE_TRY(Tree tree, reader.read(parameter.name, parameter.type ? *parameter.type : tensor));
        inputs.arguments_.push_back(std::move(tree));
    }
    return inputs;
}

Arguments ScriptInputs::make(Evaluator& evaluator, Builder& b, const std::vector<Var>& vars,
                             std::vector<std::pair<std::string, TensorRef>>& places) const {
    Arguments arguments;
    for (const Tree& tree : arguments_)
        arguments.add(make(tree, evaluator, b, vars, places));
    return arguments;
}

ScriptValue ScriptInputs::make(const Tree& tree, Evaluator& evaluator, Builder& b, const std::vector<Var>& vars,
                               std::vector<std::pair<std::string, TensorRef>>& places) const {
    ScriptValues parts;
    for (const Tree& part : tree.parts)
        parts.push_back(make(part, evaluator, b, vars, places));
    switch (tree.kind) {
    case Tree::Kind::Tensor: {
        const ScriptValue tensor = evaluator.tensor(vars[tree.leaf]);
        evaluator.nameValue(*tensor.as<TensorRef>(), leaves_[tree.leaf].name);
        places.emplace_back(leaves_[tree.leaf].name, *tensor.as<TensorRef>());
        return tensor;
    }
    case Tree::Kind::Number:
        return fromTensor(b, vars[tree.leaf], leaves_[tree.leaf].name);
    case Tree::Kind::Fixed:
        return tree.fixed ? evaluator.evaluate(*tree.fixed) : ScriptValue();
    case Tree::Kind::Tuple:
        return tupleOf(std::move(parts));
    case Tree::Kind::List:
        return CellRef{evaluator.heap().make(ListCell{std::move(parts), false})};
    case Tree::Kind::Dict: {
        DictCell dict;
        for (size_t i = 0; i < parts.size(); ++i)
            dict.entries.emplace_back(tree.keys[i], parts[i]);
        return CellRef{evaluator.heap().make(std::move(dict))};
    }
    }
    return {};
}

} // namespace lathe::frontend::torch::script
