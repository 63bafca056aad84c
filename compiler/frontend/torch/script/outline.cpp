// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/outline.h"

#include "frontend/torch/script/builtins.h"
#include "frontend/torch/script/quantized.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace lathe::frontend::torch::script {
namespace {

constexpr size_t mostOutlined = 20'000;  // nodes, and calls of functions
constexpr size_t mostOutlinedCalls = 60; // one within another
constexpr int mostOutlinedDepth = 512;   // of terms, within all calls
constexpr size_t mostOutlinedSteps = 5'000'000;

/// A module of the archive, or the name of another value.
struct Outlined {
    const PickleValue* module = nullptr;
    std::string path, value;
};
using OutlinedNames = std::map<std::string, Outlined>;

class Outliner {
public:
    explicit Outliner(ScriptArchive& archive) : archive_(archive) {}

    Outline run(const FunctionPtr& function) {
        OutlinedNames names;
        for (size_t i = 0; i < function->parameters.size(); ++i)
            names[function->parameters[i].name] =
                i == 0 ? Outlined{&archive_.module(), {}, {}} : Outlined{nullptr, {}, function->parameters[i].name};
        called_.emplace_back(function.get(), &archive_.module());
        file_ = function->file;
        block(function->body, names);
        return {std::move(nodes_), std::move(faults_), std::move(training_)};
    }

private:
    Outlined block(const std::vector<Statement>& statements, OutlinedNames& names) {
        Outlined result;
        for (const Statement& statement : statements) {
            if (++steps_ > mostOutlinedSteps)
                break;
            line_ = statement.line;
            const Outlined value = statement.value ? term(*statement.value, names) : Outlined();
            for (const TermPtr& target : statement.targets)
                if (statement.kind == Statement::Kind::Assign && target->kind == Term::Kind::Name)
                    names[target->text] = value;
            if (statement.kind == Statement::Kind::Return)
                result = value;
            const bool isOpen = statement.kind != Statement::Kind::With; // whether its blocks run
            open_ += isOpen ? 1 : 0;
            for (const auto* inner : {&statement.body, &statement.otherwise})
                if (const Outlined given = block(*inner, names); !given.value.empty())
                    result = given;
            open_ -= isOpen ? 1 : 0;
        }
        return result;
    }

    Outlined term(const Term& term, OutlinedNames& names) {
        if (nodes_.size() >= mostOutlined || ++steps_ > mostOutlinedSteps || depth_ >= mostOutlinedDepth)
            return {};
        ++depth_;
        Outlined value = valueOf(term, names);
        --depth_;
        return value;
    }

    Outlined valueOf(const Term& term, OutlinedNames& names) {
        if (term.kind == Term::Kind::Name) {
            const auto found = names.find(term.text);
            return found == names.end() ? Outlined() : found->second;
        }
        if (term.kind == Term::Kind::Attribute) {
            const Outlined of = this->term(*term.parts[0], names);
            if (term.text == "training" && training_.empty() && hasTraining(of))
                training_ = of.path.empty() ? "(the whole)" : of.path;
            return attributeOf(of, term.text);
        }
        if (term.kind == Term::Kind::Call)
            return call(term, names);
        Outlined last;
        for (const TermPtr& part : term.parts)
            if (const Outlined value = this->term(*part, names); !value.value.empty())
                last = value;
        return last;
    }

    void add(const std::string& what, const std::string& hint) {
        if (open_ == 0 && said_.insert(what).second)
            faults_.push_back(error(ErrorKind::Unsupported, fmt::format("{}:{}: {}", file_, line_, what), hint));
    }

    static bool hasTraining(const Outlined& of) {
        const PickleValue* state = of.module ? of.module->state : nullptr;
        return state && state->kind == PickleValue::Kind::Dict &&
               std::ranges::any_of(state->entries, [](const auto& entry) {
                   return entry.first->text == "training" && entry.second->kind == PickleValue::Kind::Bool &&
                          entry.second->whole != 0;
               });
    }

    Outlined attributeOf(const Outlined& of, const std::string& name) const {
        const PickleValue* state = of.module ? of.module->state : nullptr;
        if (!state || state->kind != PickleValue::Kind::Dict)
            return {};
        for (const auto& [key, value] : state->entries)
            if (key->kind == PickleValue::Kind::Text && key->text == name) {
                const std::string path = of.path.empty() ? name : fmt::format("{}.{}", of.path, name);
                return value->kind == PickleValue::Kind::Object && !isSavedTensor(*value) ? Outlined{value, path, {}}
                                                                                          : Outlined{nullptr, {}, path};
            }
        return {};
    }

    Outlined call(const Term& term, OutlinedNames& names) {
        const Term& callee = *term.parts[0];
        const std::string path = pathOf(callee);
        if (path == "getattr" && term.parts.size() == 3 && term.parts[2]->kind == Term::Kind::Text)
            return attributeOf(this->term(*term.parts[1], names), term.parts[2]->text);
        std::vector<Outlined> arguments;
        for (size_t i = 1; i < term.parts.size(); ++i)
            arguments.push_back(this->term(*term.parts[i], names));
        constexpr std::string_view torchPath = "torch.", opsPath = "ops.", ownPath = "__torch__.";
        if (path.starts_with(torchPath) || path.starts_with(opsPath))
            return operatorCall(path.starts_with(torchPath) ? "aten." + path.substr(torchPath.size())
                                                            : path.substr(opsPath.size()),
                                arguments);
        if (path.starts_with(ownPath)) {
            const auto function = archive_.findFunction(path);
            return function && *function ? inlined(*function, {}, arguments) : Outlined();
        }
        if (callee.kind != Term::Kind::Attribute)
            return arguments.empty() ? Outlined() : arguments.back();
        const Outlined self = this->term(*callee.parts[0], names);
        if (!self.module || self.module->items.empty() || self.module->items[0]->kind != PickleValue::Kind::Global)
            return {};
        std::string type = self.module->items[0]->text;
        std::ranges::replace(type, ' ', '.');
        const auto text = archive_.findClass(type);
        const FunctionPtr method = text && *text ? (*text)->find(callee.text) : nullptr;
        arguments.insert(arguments.begin(), self);
        return method ? inlined(method, self.path, arguments) : Outlined();
    }

    Outlined inlined(const FunctionPtr& function, const std::string& scope, const std::vector<Outlined>& arguments) {
        const std::pair own(function.get(), arguments.empty() ? nullptr : arguments[0].module);
        if (std::ranges::find(called_, own) != called_.end()) {
            open_ = 0; // a script has none, wherever it stands
            add(fmt::format("function '{}' calls itself", function->name),
                "a TorchScript program has no recursion: the file is damaged; save the model again");
            return {};
        }
        if (called_.size() >= mostOutlinedCalls || ++calls_ > mostOutlined)
            return {};
        called_.push_back(own);
        const std::string file = std::exchange(file_, function->file);
        const int32_t line = line_;
        const size_t scopes = scopes_.size();
        if (!scope.empty() && (scopes_.empty() || scopes_.back() != scope))
            scopes_.push_back(scope);
        OutlinedNames names;
        for (size_t i = 0; i < std::min(arguments.size(), function->parameters.size()); ++i)
            names[function->parameters[i].name] = arguments[i];
        const Outlined result = block(function->body, names);
        scopes_.resize(scopes);
        called_.pop_back();
        file_ = file;
        line_ = line;
        return result;
    }

    Outlined operatorCall(const std::string& name, const std::vector<Outlined>& arguments) {
        const bool isKnown = isOperator(name) || isQuantizedOperator(name) || Builtins::isOne(name);
        if (!isKnown)
            add(fmt::format("operator {} is not supported", shownOperator(name)),
                "let the program compute it by other operators of PyTorch's own");
        if (!isOperator(name) && !name.starts_with("quantized."))
            return arguments.empty() ? Outlined() : arguments.front();
        model::Node node;
        node.id = static_cast<int32_t>(nodes_.size());
        node.op = name;
        const std::string plain = name.substr(name.find('.') + 1);
        const int before = taken_[plain]++;
        node.name = before == 0 ? plain : fmt::format("{}_{}", plain, before);
        node.outputs = {node.name};
        node.scope = scopes_;
        for (const Outlined& argument : arguments)
            if (!argument.value.empty())
                node.inputs.push_back(argument.value);
        nodes_.push_back(std::move(node));
        return {nullptr, {}, nodes_.back().name};
    }

    ScriptArchive& archive_;
    std::vector<model::Node> nodes_;
    std::vector<std::string> scopes_;
    std::map<std::string, int> taken_;
    std::vector<std::pair<const FunctionText*, const PickleValue*>> called_; // each with its module
    size_t calls_ = 0, steps_ = 0;
    int depth_ = 0;
    int open_ = 0; // blocks around that need not run
    std::string file_;
    int32_t line_ = 0;
    std::vector<Diagnostic> faults_;
    std::set<std::string> said_;
    std::string training_;
};

} // namespace

Outline outlineOf(ScriptArchive& archive, const FunctionPtr& function) {
    return Outliner(archive).run(function);
}

} // namespace lathe::frontend::torch::script
