// SPDX-License-Identifier: Apache-2.0
//
// Statements: assignments, branches whose condition is known, contexts.
#include "frontend/torch/script/evaluator.h"
#include "frontend/torch/script/numbers.h"

#include <fmt/format.h>

namespace lathe::frontend::torch::script {
namespace {

constexpr int mostBlocks = 256, mostClosures = 1000;

} // namespace

Evaluator::Flow Evaluator::run(const std::vector<Statement>& statements) {
    if (blocks_ >= mostBlocks)
        refuse(fmt::format("blocks run within each other over {} deep", mostBlocks), "let functions call fewer others");
    ++blocks_;
    Flow flow = Flow::Next;
    for (size_t i = 0; i < statements.size() && flow == Flow::Next && step(); ++i) {
        line_ = statements[i].line;
        flow = run(statements[i]);
    }
    --blocks_;
    return flow;
}

Evaluator::Flow Evaluator::run(const Statement& statement) {
    switch (statement.kind) {
    case Statement::Kind::Assign: {
        ScriptValue value = evaluate(*statement.value);
        if (failed())
            return Flow::Next;
        if (statement.isUnpacked)
            unpack(statement, value);
        else
            assign(*statement.targets[0], std::move(value));
        return Flow::Next;
    }
    case Statement::Kind::Evaluate:
        evaluate(*statement.value);
        return Flow::Next;
    case Statement::Kind::If:
        return runIf(statement);
    case Statement::Kind::For:
        return runFor(statement);
    case Statement::Kind::While:
        return runWhile(statement);
    case Statement::Kind::With:
        return runWith(statement);
    case Statement::Kind::Return:
        frames_.back()->result = statement.value ? evaluate(*statement.value) : ScriptValue();
        return Flow::Return;
    case Statement::Kind::Function:
        define(statement.function);
        return Flow::Next;
    }
    return Flow::Next;
}

/// It sees what the function around has now: functions that were defined before among it, so their number is limited.
void Evaluator::define(const FunctionPtr& function) {
    Variables& variables = frames_.back()->variables;
    if (++closures_ > mostClosures)
        refuse(fmt::format("functions are defined within others over {} times", mostClosures),
               "let loops have fewer rounds");
    if (step(static_cast<int64_t>(variables.size())))
        variables[function->name] = Callable{function, std::make_shared<const Variables>(variables)};
}

Evaluator::Flow Evaluator::runIf(const Statement& statement) {
    const ScriptValue value = evaluate(*statement.value);
    const std::optional<ScriptValue> condition = failed() ? std::nullopt : truthOf(b_, value);
    if (!condition) {
        if (!failed())
            fail(fmt::format("a branch is decided by {}", kindOf(value, heap_)));
        return Flow::Next;
    }
    if (const Number* number = condition->as<Number>()) {
        const std::optional<std::vector<int64_t>> known = b_.knownInts(number->element);
        if (known && known->size() == 1)
            return run(known->front() != 0 ? statement.body : statement.otherwise);
    }
    if (const bool* known = condition->as<bool>())
        return run(*known ? statement.body : statement.otherwise);
    return branch(statement, *condition);
}

/// Of contexts those are known that change nothing that is computed: no_grad, record_function and the like.
Evaluator::Flow Evaluator::runWith(const Statement& statement) {
    const ScriptValue context = evaluate(*statement.value);
    if (!statement.targets.empty())
        assign(*statement.targets[0], context);
    return run(statement.body);
}

void Evaluator::assign(const Term& target, ScriptValue value) {
    if (failed())
        return;
    if (target.kind == Term::Kind::Name) {
        frames_.back()->variables[target.text] = std::move(value);
    } else if (target.kind == Term::Kind::Attribute) {
        setAttribute(evaluate(*target.parts[0]), target.text, std::move(value));
    } else {
        Arguments arguments;
        arguments.add(evaluate(*target.parts[0]));
        arguments.add(evaluate(*target.parts[1]));
        arguments.add(std::move(value));
        callOperator("aten._set_item", std::move(arguments));
    }
}

void Evaluator::unpack(const Statement& statement, const ScriptValue& value) {
    const TupleValue* tuple = value.as<TupleValue>();
    const ListCell* list = heap_.find<ListCell>(value);
    const ScriptValues* found = tuple ? tuple->items.get() : list && !list->hasUnseen ? &list->items : nullptr;
    if (!found || found->size() != statement.targets.size())
        return fail(found ? fmt::format("{} values are assigned to {} names", found->size(), statement.targets.size())
                          : fmt::format("{} is assigned to several names", kindOf(value, heap_)));
    const ScriptValues items = *found; // targets may be elements of it
    for (size_t i = 0; i < items.size(); ++i)
        assign(*statement.targets[i], items[i]);
}

void Evaluator::setAttribute(const ScriptValue& of, const std::string& name, ScriptValue value) {
    const ObjectCell* object = heap_.find<ObjectCell>(of);
    if (!object)
        return fail(fmt::format("attribute '{}' of {} is assigned", name, kindOf(of, heap_)));
    constexpr size_t copiedInAStep = 8;
    if (!step(static_cast<int64_t>(object->attributes.size() / copiedInAStep)))
        return;
    ObjectCell changed = *object;
    changed.attributes[name] = std::move(value);
    heap_.set(of.as<CellRef>()->cell, std::move(changed));
}

void Evaluator::require(const ScriptValue& condition, const std::string& message) {
    if (failed())
        return;
    if (const bool* known = condition.as<bool>()) {
        if (!*known)
            raise(message);
        return;
    }
    Expr holds;
    if (const Expr* expr = condition.as<Expr>()) {
        holds = *expr;
    } else if (const Number* number = condition.as<Number>()) {
        const std::vector<Expr> elements = b_.symbolic(number->element, "condition");
        if (elements.size() == 1)
            holds = elements[0];
    }
    if (holds && !failed())
        checks_.emplace_back(holds.dtype().isBool() ? holds : arith::ne(holds, 0),
                             fmt::format("the program does not raise '{}'", message));
}

} // namespace lathe::frontend::torch::script
