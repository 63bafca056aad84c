// SPDX-License-Identifier: Apache-2.0
//
// Inlines bottom-up, so that a body is flat when it is copied.
#include "relay/transform/inline_functions.h"

#include "base/limits.h"
#include "relay/transform/clone.h"
#include "relay/transform/dead_code.h"
#include "relay/type_map.h"

#include <fmt/format.h>
#include <unordered_set>

namespace lathe::relay::transform {
namespace {

void calleesOf(const Block& block, std::vector<std::string>& names) {
    for (const BindingPtr& binding : block.bindings) {
        if (const FunctionCall* call = binding->as<FunctionCall>())
            names.push_back(call->callee);
        for (const BlockPtr& nested : blocksOf(binding->rhs))
            calleesOf(*nested, names);
    }
}

class Inliner {
public:
    explicit Inliner(Module& module) : module_(module) {}

    /// Callees first, by an explicit stack; what is met again on its own way is recursive.
    Result<void> run(const std::string& start) {
        struct Frame {
            std::string name;
            std::vector<std::string> callees;
            size_t next = 0;
        };
        std::vector<Frame> stack;
        auto push = [&](const std::string& name) {
            Frame frame{name, {}, 0};
            calleesOf(*module_.functions.at(name)->body, frame.callees);
            onWay_.insert(name);
            stack.push_back(std::move(frame));
        };
        push(start);
        while (!stack.empty()) {
            Frame& top = stack.back();
            if (top.next < top.callees.size()) {
                const std::string callee = top.callees[top.next++];
                if (onWay_.contains(callee))
                    recursive_.insert(callee);
                else if (!done_.contains(callee) && module_.functions.contains(callee))
                    push(callee);
                continue;
            }
            LATHE_CHECKED(inlineInto(top.name));
            onWay_.erase(top.name);
            done_.insert(top.name);
            stack.pop_back();
        }
        return {};
    }

private:
    Module& module_;
    std::unordered_set<std::string> onWay_, done_, recursive_;
    int64_t bindings_ = 0;

    /// An inlined body can make the callee of another call known, so until nothing changes.
    Result<void> inlineInto(const std::string& name) {
        FunctionPtr before;
        do {
            before = module_.functions.at(name);
            if (before->primitive)
                return {};
            BlockPtr body = sweep(*before);
            if (bindings_ > limits::graphNodes)
                return failure(
                    fmt::format("functions inlined into '{}' make over {} operators", name, limits::graphNodes));
            if (body == before->body)
                break;
            auto after = std::make_shared<Function>(*before);
            after->body = std::move(body);
            module_.functions[name] = std::move(after);
        } while (true);
        return {};
    }

    BlockPtr sweep(const Function& function) {
        Index index(function);
        std::map<uint32_t, Type> types; // of inlined bindings
        std::map<uint32_t, FunctionLiteral> literals;
        auto typeOf = [&](Var var) {
            if (auto found = types.find(var.id); found != types.end())
                return found->second;
            const Index::Entry* entry = index.find(var);
            return entry->binding ? entry->binding->type : entry->param->type;
        };
        Rewriter rewriter;
        return rewriteBlock(function.body, rewriter, [&](const BindingPtr& binding, Rewriter& map) {
            if (const FunctionLiteral* literal = binding->as<FunctionLiteral>())
                literals[binding->var.id] = *literal;
            FunctionPtr callee;
            std::vector<Var> args;
            if (const FunctionCall* call = binding->as<FunctionCall>()) {
                auto found = module_.functions.find(call->callee);
                if (found != module_.functions.end() && !recursive_.contains(call->callee) && !found->second->primitive)
                    callee = found->second;
                args = call->args;
            } else if (const ClosureCall* closure = binding->as<ClosureCall>()) {
                if (auto literal = literals.find(closure->callee.id); literal != literals.end())
                    callee = literal->second.function;
                args = closure->args;
            }
            if (!callee || bindings_ > limits::graphNodes)
                return std::vector<BindingPtr>{binding};
            Cloner cloner(module_.nextVar);
            for (size_t i = 0; i < callee->params.size(); ++i) {
                cloner.replace(callee->params[i].var, args[i]);
                unify(callee->params[i].type, typeOf(args[i]), cloner.symbols());
            }
            // A symbol that the body defines is called what the call's stated type calls it.
            unify(callee->resultType, binding->type, cloner.symbols());
            std::vector<BindingPtr> body = cloner.bindings(*callee->body);
            for (const BindingPtr& each : body)
                types[each->var.id] = each->type;
            bindings_ += static_cast<int64_t>(body.size()) + 1;
            map.map[binding->var.id] = cloner.of(callee->body->result);
            return body;
        });
    }
};

} // namespace

Result<Module> inlineFunctions(const Module& module) {
    Module result = module;
    Inliner inliner(result);
    LATHE_CHECKED(inliner.run("main"));
    // What is inlined everywhere goes; a module that was flat stays as it is.
    return module.functions.size() > 1 ? deadCode(result) : sweep(module, result);
}

} // namespace lathe::relay::transform
