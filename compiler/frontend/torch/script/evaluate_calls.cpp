// SPDX-License-Identifier: Apache-2.0
//
// Calls: of functions and methods of the program, which go into its result as if they stood there; of what the language has by
// name; and of operators.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr size_t mostCalls = 100; // one within another
constexpr std::string_view programNames = "__torch__.", opsNames = "ops.", torchNames = "torch.";

/// Takes something away at the end, whatever ends it.
template <class Stack>
class Pushed {
public:
    template <class T>
    Pushed(Stack& stack, T&& value) : stack_(stack), size_(stack.size()) {
        stack.push_back(std::forward<T>(value));
    }
    ~Pushed() { stack_.resize(size_); }
    Pushed(const Pushed&) = delete;
    Pushed& operator=(const Pushed&) = delete;

private:
    Stack& stack_;
    size_t size_;
};

} // namespace

// ---- functions of the program

ScriptValue Evaluator::callMethod(const ScriptValue& self, const std::string& name, Arguments arguments) {
    const ObjectCell* object = heap_.find<ObjectCell>(self);
    if (failed() || !object) {
        if (!failed())
            fail(fmt::format("method '{}' of {} is called", name, kindOf(self, heap_)));
        return {};
    }
    if (!object->text)
        return callPacked(*object, name);
    const FunctionPtr method = object->text->find(name);
    if (!method) {
        fail(fmt::format("class {} has no method '{}'", object->type, name),
             "the file is damaged; save the model again");
        return {};
    }
    const std::string path = object->path;
    arguments.values.insert(arguments.values.begin(), self);
    arguments.names.insert(arguments.names.begin(), std::string());
    return callFunction(method, path, std::move(arguments));
}

ScriptValue Evaluator::callFunction(const FunctionPtr& function, const std::string& scope, Arguments arguments,
                                    const std::shared_ptr<const Variables>& around) {
    if (failed())
        return {};
    const CellRef* self = arguments.values.empty() ? nullptr : arguments.values[0].as<CellRef>();
    Frame frame{.function = function,
                .self = self ? self->cell : 0,
                .hasSelf = self != nullptr,
                .variables = {},
                .around = around,
                .result = {}};
    const auto isSameCall = [&](const Frame* other) {
        return other->function == function && other->hasSelf == frame.hasSelf && other->self == frame.self;
    };
    if (std::ranges::any_of(frames_, isSameCall) || frames_.size() > mostCalls) {
        refuse(frames_.size() > mostCalls ? fmt::format("calls are nested over {} deep", mostCalls)
                                          : fmt::format("function '{}' calls itself", function->name),
               "a TorchScript program has no recursion: the file is damaged; save the model again");
        return {};
    }
    std::vector<bool> isUsed(arguments.values.size(), false);
    for (size_t i = 0; i < function->parameters.size() && !failed(); ++i) {
        const Parameter& parameter = function->parameters[i];
        bool isGiven = false;
        for (size_t a = 0; a < arguments.values.size() && !isGiven; ++a)
            if (!isUsed[a] && (arguments.names[a].empty() ? a == i : arguments.names[a] == parameter.name)) {
                frame.variables[parameter.name] = arguments.values[a];
                isGiven = isUsed[a] = true;
            }
        if (!isGiven && parameter.otherwise)
            frame.variables[parameter.name] = evaluate(*parameter.otherwise);
        else if (!isGiven)
            fail(fmt::format("argument '{}' of function '{}' is missing", parameter.name, function->name));
    }
    if (!failed() && std::ranges::find(isUsed, false) != isUsed.end())
        fail(fmt::format("function '{}' has {} parameters, and is given {} arguments", function->name,
                         function->parameters.size(), arguments.values.size()));
    if (failed())
        return {};
    const int32_t line = line_;
    const Pushed frames(frames_, &frame);
    const std::string around_ = scopes_.empty() ? std::string() : scopes_.back();
    const Pushed scopes(scopes_, scope.empty() ? around_ : scope);
    run(function->body);
    if (!failed())
        line_ = line;
    return failed() ? ScriptValue() : frame.result;
}

/// Of a class of the program, by its __init__, or a tuple with names.
ScriptValue Evaluator::construct(const std::string& type, Arguments arguments) {
    const auto text = archive_.findClass(type);
    if (!text)
        b_.fail(text.error().what, text.error().hint, text.error().kind);
    else if (!*text)
        fail(fmt::format("class '{}' is used, but the archive's code does not have it", type),
             "the file is damaged; save the model again");
    if (failed())
        return {};
    if ((*text)->base == "NamedTuple") {
        auto names = std::make_shared<std::vector<std::string>>();
        ScriptValues items;
        for (const ClassText::Attribute& one : (*text)->attributes) {
            const ScriptValue* given = arguments.find(names->size(), one.name);
            names->push_back(one.name);
            items.push_back(given ? *given : one.value ? evaluate(*one.value) : ScriptValue());
        }
        return tupleOf(std::move(items), std::move(names));
    }
    if ((*text)->base == "Enum") {
        for (const ClassText::Attribute& one : (*text)->attributes)
            if (one.value && !arguments.values.empty() && isSame(evaluate(*one.value), arguments.values[0]))
                return EnumMember{fmt::format("{}.{}", type, one.name),
                                  std::make_shared<const ScriptValue>(arguments.values[0])};
        fail(fmt::format("class '{}' has no member of that value", type));
        return {};
    }
    const ScriptValue made = CellRef{heap_.make(ObjectCell{type, *text, {}, {}})};
    if ((*text)->find("__init__"))
        callMethod(made, "__init__", std::move(arguments));
    return made;
}

// ---- what is called

Arguments Evaluator::argumentsOf(const Term& call, size_t from) {
    Arguments arguments;
    for (size_t i = from; i < call.parts.size() && !failed(); ++i)
        arguments.add(evaluate(*call.parts[i]), call.keywords[i]);
    return arguments;
}

ScriptValue Evaluator::call(const Term& term) {
    const Term& callee = *term.parts[0];
    const std::string path = pathOf(callee);
    if (callee.kind == Term::Kind::Name) {
        const auto isVariable = [&](const std::string& name) {
            return !frames_.empty() && (frames_.back()->variables.contains(name) ||
                                        (frames_.back()->around && frames_.back()->around->contains(name)));
        };
        if (!isVariable(path))
            if (std::optional<ScriptValue> result = callBuiltinName(path, term))
                return *std::move(result);
        if (failed())
            return {};
        const ScriptValue function = name(callee);
        const Callable* callable = function.as<Callable>();
        if (!callable) {
            fail(fmt::format("{} is called", kindOf(function, heap_)));
            return {};
        }
        return callFunction(callable->function, {}, argumentsOf(term, 1), callable->around);
    }
    if (path.starts_with(programNames) || path.starts_with(opsNames) || path.starts_with(torchNames))
        return callPath(path, term);
    if (callee.kind != Term::Kind::Attribute) {
        fail("a value is called that is no function");
        return {};
    }
    const ScriptValue self = evaluate(*callee.parts[0]);
    if (heap_.find<ObjectCell>(self))
        return callMethod(self, callee.text, argumentsOf(term, 1));
    Arguments arguments = argumentsOf(term, 1); // x.add(y), of older texts
    arguments.values.insert(arguments.values.begin(), self);
    arguments.names.insert(arguments.names.begin(), std::string());
    return callOperator("aten." + callee.text, std::move(arguments));
}

ScriptValue Evaluator::callPath(const std::string& path, const Term& term) {
    constexpr std::string_view makes = ".__new__";
    if (path.starts_with(opsNames))
        return callOperator(path.substr(opsNames.size()), argumentsOf(term, 1));
    if (path.starts_with(torchNames))
        return callOperator("aten." + path.substr(torchNames.size()), argumentsOf(term, 1));
    if (path.ends_with(makes)) {
        const std::string type = path.substr(0, path.size() - makes.size());
        const auto text = archive_.findClass(type);
        if (!text)
            b_.fail(text.error().what, text.error().hint, text.error().kind);
        return failed() ? ScriptValue() : CellRef{heap_.make(ObjectCell{type, *text, {}, {}})};
    }
    const auto function = archive_.findFunction(path);
    if (!function) {
        b_.fail(function.error().what, function.error().hint, function.error().kind);
        return {};
    }
    return *function ? callFunction(*function, {}, argumentsOf(term, 1)) : construct(path, argumentsOf(term, 1));
}

/// Nothing: the language has no function of that name.
std::optional<ScriptValue> Evaluator::callBuiltinName(const std::string& name, const Term& term) {
    const size_t count = term.parts.size() - 1;
    const auto argument = [&](size_t i) { return i < count ? evaluate(*term.parts[i + 1]) : ScriptValue(); };
    if (name == "annotate" || name == "unchecked_cast")
        return argument(1); // of a type, which the value has
    if (name == "uninitialized")
        return Uninitialized();
    if (name == "getattr" && count >= 2) {
        const ScriptValue of = argument(0), attributeName = argument(1);
        const std::string* text = attributeName.as<std::string>();
        return text ? attribute(of, *text) : ScriptValue();
    }
    if (name == "hasattr" && count >= 2) {
        const ScriptValue of = argument(0), attributeName = argument(1);
        const ObjectCell* object = heap_.find<ObjectCell>(of);
        const std::string* text = attributeName.as<std::string>();
        return object && text && object->attributes.contains(*text);
    }
    if (name == "fork" || name == "awaitable") { // what is left to run is run at once
        const ScriptValue function = argument(0);
        const Callable* callable = function.as<Callable>();
        if (!callable) {
            fail("fork() of what is no function");
            return ScriptValue();
        }
        return callFunction(callable->function, {}, argumentsOf(term, 2), callable->around);
    }
    if (name == "print") {
        argumentsOf(term, 1);
        return ScriptValue();
    }
    for (const std::string_view known : {"int", "float", "bool", "str", "complex", "sorted", "len", "min", "max", "abs",
                                         "ord", "chr", "hex", "oct", "bin", "round", "divmod"})
        if (name == known)
            return callOperator(fmt::format("python.{}", name), argumentsOf(term, 1));
    return std::nullopt;
}

} // namespace lathe::frontend::torch::script
