// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/script/outline.h"

#include "frontend/torch/script/overloads.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::frontend::torch::script {
namespace {

constexpr size_t mostOutlined = 20'000; // nodes, and calls of functions
constexpr int mostOutlinedCalls = 60;   // one within another

/// A module of the archive, or the name of another value.
struct Outlined {
    const PickleValue* module = nullptr;
    std::string path, value;
};
using OutlinedNames = std::map<std::string, Outlined>;

class Outline {
public:
    explicit Outline(ScriptArchive& archive) : archive_(archive) {}

    std::vector<model::Node> run(const FunctionPtr& function) {
        OutlinedNames names;
        for (size_t i = 0; i < function->parameters.size(); ++i)
            names[function->parameters[i].name] =
                i == 0 ? Outlined{&archive_.module(), {}, {}} : Outlined{nullptr, {}, function->parameters[i].name};
        block(function->body, names);
        return std::move(nodes_);
    }

private:
    Outlined block(const std::vector<Statement>& statements, OutlinedNames& names) {
        Outlined result;
        for (const Statement& statement : statements) {
            const Outlined value = statement.value ? term(*statement.value, names) : Outlined();
            for (const TermPtr& target : statement.targets)
                if (statement.kind == Statement::Kind::Assign && target->kind == Term::Kind::Name)
                    names[target->text] = value;
            if (statement.kind == Statement::Kind::Return)
                result = value;
            for (const auto* inner : {&statement.body, &statement.otherwise})
                if (const Outlined given = block(*inner, names); !given.value.empty())
                    result = given;
        }
        return result;
    }

    Outlined term(const Term& term, OutlinedNames& names) {
        if (nodes_.size() >= mostOutlined)
            return {};
        if (term.kind == Term::Kind::Name) {
            const auto found = names.find(term.text);
            return found == names.end() ? Outlined() : found->second;
        }
        if (term.kind == Term::Kind::Attribute)
            return attributeOf(this->term(*term.parts[0], names), term.text);
        if (term.kind == Term::Kind::Call)
            return call(term, names);
        Outlined last;
        for (const TermPtr& part : term.parts)
            if (const Outlined value = this->term(*part, names); !value.value.empty())
                last = value;
        return last;
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
        if (depth_ >= mostOutlinedCalls || ++calls_ > mostOutlined)
            return {};
        ++depth_;
        const size_t scopes = scopes_.size();
        if (!scope.empty() && (scopes_.empty() || scopes_.back() != scope))
            scopes_.push_back(scope);
        OutlinedNames names;
        for (size_t i = 0; i < std::min(arguments.size(), function->parameters.size()); ++i)
            names[function->parameters[i].name] = arguments[i];
        const Outlined result = block(function->body, names);
        scopes_.resize(scopes);
        --depth_;
        return result;
    }

    Outlined operatorCall(const std::string& name, const std::vector<Outlined>& arguments) {
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
    int depth_ = 0;
    size_t calls_ = 0;
};

} // namespace

std::vector<model::Node> outlineOf(ScriptArchive& archive, const FunctionPtr& function) {
    return Outline(archive).run(function);
}

} // namespace lathe::frontend::torch::script
