// SPDX-License-Identifier: Apache-2.0
//
// The graph IR as text, which relay/parse.cpp reads back:
//
//   module next %12
//   data Tree(T) { Leaf, Node(T, Tree(T), Tree(T)) }
//   fn main(%1 "input": float32[n{0..4096}, 3]) -> float32[n, 2] outputs ["y"] {
//     %2 = const float32[3, 2] #0123456789abcdef0123456789abcdef @{0}
//     %3 = matmul(%1, %2) {transposeA=true} : float32[n, 2] @{3,5-7} as "y"
//     %4 = if %9 {
//       -> %3
//     } else {
//       -> %3
//     } : float32[n, 2] @{4}
//     -> %3
//   }
//
// A main function with states says their names and initial values behind the outputs: states ["h" = const float32[4] splat [0]].
// Attributes at their default are left out. A symbol states its range where it first occurs in the module; names are made
// unique. Constants of up to 16 elements stand in the text, others are named by hash.
#include "arith/scanner.h"
#include "relay/attr_fields.h"
#include "relay/element.h"
#include "relay/text.h"
#include "relay/type_map.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

namespace lathe::relay {
namespace {

constexpr int64_t inlineElements = 16;

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + "\"";
}

bool isWord(std::string_view text) {
    return !text.empty() && arith::isWordStart(text.front()) && std::ranges::all_of(text, arith::isWordPart);
}

std::string nameText(const std::string& name) {
    return isWord(name) ? name : quoted(name);
}

std::string varText(Var var) {
    return var ? fmt::format("%{}", var.id) : "_";
}

class Printer {
public:
    Printer(const model::SpanTable* spans, const PrintOptions& options) : spans_(spans), options_(options) {
        names_.ofVar = [this](const Expr& var) { return symbolText(var); };
        names_.ofStorage = [](const arith::StoragePtr& storage) { return storage->name; };
    }

    std::string out;

    void newLine(const Binding* binding = nullptr) {
        out += '\n';
        begin(binding);
        out.append(static_cast<size_t>(indent_) * 2, ' ');
    }
    void begin(const Binding* binding = nullptr) {
        if (options_.lines)
            options_.lines->push_back(binding);
    }

    void dataType(const DataTypeDef& definition) {
        out += "data " + nameText(definition.name) + "(";
        for (size_t i = 0; i < definition.params.size(); ++i)
            out += (i == 0 ? "" : ", ") + nameText(definition.params[i]);
        out += ") {";
        for (size_t i = 0; i < definition.constructors.size(); ++i) {
            out += (i == 0 ? " " : ", ") + nameText(definition.constructors[i].name) + "(";
            types(definition.constructors[i].fields);
            out += ")";
        }
        out += " }";
    }

    void function(const std::string& name, const Function& function) {
        out += "fn " + nameText(name) + "(";
        params(function.params);
        out += ") -> ";
        type(function.resultType);
        if (!function.outputNames.empty()) {
            out += " outputs [";
            for (size_t i = 0; i < function.outputNames.size(); ++i)
                out += (i == 0 ? "" : ", ") + quoted(function.outputNames[i]);
            out += "]";
        }
        states(function.states);
        out += function.primitive ? " primitive " : " ";
        block(*function.body);
    }

private:
    const model::SpanTable* spans_;
    const PrintOptions& options_;
    arith::Names names_;
    int indent_ = 0;
    std::unordered_map<const arith::ExprNode*, std::string> symbols_;
    std::unordered_map<std::string, int> taken_;

    std::string symbolText(const Expr& var) {
        if (auto found = symbols_.find(var.get()); found != symbols_.end())
            return found->second;
        std::string base;
        for (char c : var->name)
            base += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
        if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0])))
            base = "s" + base;
        // Words of the grammar of expressions; a symbol may not be named like them.
        static const std::unordered_set<std::string> words{"min",  "max",   "select", "floordiv", "floormod",
                                                           "true", "false", "null",   "cast"};
        std::string name = base;
        int& next = taken_[base];
        if (next > 0 || words.contains(base)) {
            do
                name = fmt::format("{}_{}", base, ++next);
            while (taken_.contains(name));
            taken_[name] = 1;
        } else {
            next = 1;
        }
        symbols_[var.get()] = name;
        constexpr int64_t least = std::numeric_limits<int64_t>::min(), greatest = std::numeric_limits<int64_t>::max();
        return fmt::format("{}{{{}..{}}}", name, var->lower == least ? "" : fmt::format("{}", var->lower),
                           var->upper == greatest ? "" : fmt::format("{}", var->upper));
    }

    void type(const Type& type) { printType(out, type, names_); }
    void types(const std::vector<Type>& list) {
        for (size_t i = 0; i < list.size(); ++i) {
            out += i == 0 ? "" : ", ";
            type(list[i]);
        }
    }
    void expr(const Expr& expr) {
        if (expr)
            arith::print(out, expr, names_);
        else
            out += "null";
    }
    void params(const std::vector<Param>& list) {
        for (size_t i = 0; i < list.size(); ++i) {
            out += i == 0 ? "" : ", ";
            param(list[i]);
        }
    }
    void param(const Param& param) {
        out += varText(param.var);
        if (!param.name.empty())
            out += " " + quoted(param.name);
        out += ": ";
        type(param.type);
    }
    void vars(const std::vector<Var>& list) {
        out += '(';
        for (size_t i = 0; i < list.size(); ++i)
            out += (i == 0 ? "" : ", ") + varText(list[i]);
        out += ')';
    }

    template <class T>
    void list(const std::vector<T>& values) {
        out += '[';
        for (size_t i = 0; i < values.size(); ++i) {
            out += i == 0 ? "" : ", ";
            value(values[i]);
        }
        out += ']';
    }
    void value(bool x) { out += x ? "true" : "false"; }
    void value(int64_t x) { out += fmt::format("{}", x); }
    void value(double x) { out += fmt::format("{}", x); }
    void value(const std::string& x) { out += quoted(x); }
    void value(DataType x) { out += x == types::Void ? "void" : toString(x); }
    void value(const Expr& x) { expr(x); }
    void value(const std::vector<int64_t>& x) { list(x); }
    void value(const std::vector<double>& x) { list(x); }
    void value(const std::vector<Expr>& x) { list(x); }
    void value(const LayoutPtr& x) { out += x ? "<" + layoutText(*x) + ">" : "null"; }

    void attributes(const OpCall& call) {
        if (!call.attrs)
            return;
        std::vector<AttrField> fields = fieldsOf(call.attrs), defaults = fieldsOf(info(call.op).makeAttrs());
        bool first = true;
        for (size_t i = 0; i < fields.size(); ++i) {
            if (equalValue(fields[i].value, defaults[i].value))
                continue;
            out += fmt::format("{}{}=", first ? " {" : ", ", fields[i].name);
            std::visit([this](const auto& x) { value(x); }, fields[i].value);
            first = false;
        }
        if (!first)
            out += '}';
    }

    void states(const std::vector<StateValue>& states) {
        if (states.empty())
            return;
        out += " states [";
        for (size_t i = 0; i < states.size(); ++i) {
            out += (i == 0 ? "" : ", ") + quoted(states[i].name) + " = ";
            constant(*states[i].initial);
        }
        out += "]";
    }

    void constant(const Constant& constant) {
        out += "const ";
        type(constant.type);
        out += ' ';
        DataType dtype = asTensor(constant.type)->dtype;
        bool text = dtype == types::String;
        int64_t count = constant.splat ? 1 : constant.elements();
        if (constant.recipe || count > inlineElements ||
            (text && constant.strings.size() != static_cast<size_t>(count))) {
            out += "#" + toString(constant.hash);
            return;
        }
        out += constant.splat ? "splat [" : "[";
        for (int64_t i = 0; i < count; ++i) {
            out += i == 0 ? "" : ", ";
            if (text) {
                out += quoted(constant.strings[static_cast<size_t>(i)]);
                continue;
            }
            const std::byte* at = constant.bytes.view.data() + i * dtype.bytes();
            if (!dtype.isFloat())
                out += fmt::format("{}", readInt(at, dtype));
            else if (double real = readFloat(at, dtype); std::isnan(real))
                out += nanText(at, dtype);
            else
                out += dtype.bits <= 32 ? fmt::format("{}", static_cast<float>(real)) : fmt::format("{}", real);
        }
        out += ']';
    }

    /// The bits, since a NaN has many.
    static std::string nanText(const std::byte* element, DataType dtype) {
        std::string text = "0x";
        for (int i = dtype.bytes(); i-- > 0;)
            text += fmt::format("{:02x}", static_cast<unsigned>(element[i]));
        return text;
    }

    void block(const Block& block) {
        out += '{';
        ++indent_;
        for (const BindingPtr& entry : block.bindings) {
            newLine(entry.get());
            binding(*entry);
        }
        newLine();
        out += "-> " + varText(block.result);
        --indent_;
        newLine();
        out += '}';
    }

    void binding(const Binding& binding) {
        out += varText(binding.var) + " = ";
        std::visit([this](const auto& rhs) { right(rhs); }, binding.rhs);
        if (!binding.as<ConstantRef>()) {
            out += " : ";
            type(binding.type);
        }
        if (options_.spans && spans_ && !binding.span.empty())
            out += fmt::format(" @{{{}}}", spans_->toString(binding.span));
        if (!binding.modelValue.empty())
            out += " as " + quoted(binding.modelValue);
    }

    void right(const OpCall& call) {
        out += info(call.op).name;
        vars(call.args);
        attributes(call);
    }
    void right(const FunctionCall& call) {
        out += "call " + nameText(call.callee);
        vars(call.args);
    }
    void right(const ClosureCall& call) {
        out += "apply " + varText(call.callee);
        vars(call.args);
    }
    void right(const MakeTuple& tuple) {
        out += "tuple";
        vars(tuple.fields);
    }
    void right(const Projection& projection) {
        out += fmt::format("{}.{}", varText(projection.tuple), projection.index);
    }
    void right(const ConstantRef& reference) { constant(*reference.constant); }
    void right(const Construct& value) {
        out += "make " + nameText(value.dataType) + " " + nameText(value.constructor);
        vars(value.args);
    }
    void right(const If& branch) {
        out += "if " + varText(branch.condition) + " ";
        block(*branch.thenBlock);
        out += " else ";
        block(*branch.elseBlock);
    }
    void right(const Match& match) {
        out += "match " + varText(match.value) + " {";
        ++indent_;
        for (const MatchArm& arm : match.arms) {
            newLine();
            out += nameText(arm.constructor) + "(";
            params(arm.fields);
            out += ") ";
            block(*arm.block);
        }
        --indent_;
        newLine();
        out += '}';
    }
    void right(const Loop& loop) {
        out += fmt::format("loop {} while {} (", varText(loop.tripCount), varText(loop.condition));
        param(loop.iteration);
        for (size_t i = 0; i < loop.carried.size(); ++i) {
            out += ", ";
            param(loop.carried[i]);
            out += " = " + varText(loop.init[i]);
        }
        out += fmt::format(") scans {} ", loop.scans);
        block(*loop.body);
    }
    void right(const FunctionLiteral& literal) {
        out += "fn (";
        params(literal.function->params);
        out += ") -> ";
        type(literal.function->resultType);
        out += " captures";
        vars(literal.captures);
        out += ' ';
        block(*literal.function->body);
    }
};

} // namespace

std::string print(const Module& module, const PrintOptions& options) {
    Printer printer(module.spans.get(), options);
    printer.begin();
    printer.out += fmt::format("module next %{}", module.nextVar);
    for (const auto& [name, definition] : module.dataTypes) {
        printer.newLine();
        printer.dataType(definition);
    }
    for (const auto& [name, function] : module.functions) {
        printer.newLine();
        printer.newLine();
        printer.function(name, *function);
    }
    return std::move(printer.out) + "\n";
}

std::string print(const Function& function, const Module& module, const std::string& name,
                  const PrintOptions& options) {
    Printer printer(module.spans.get(), options);
    printer.begin();
    printer.function(name, function);
    return std::move(printer.out) + "\n";
}

ConstantPool constantsOf(const Module& module) {
    ConstantPool pool;
    std::vector<BlockPtr> open;
    std::vector<ConstantPtr> constants;
    for (const auto& [name, function] : module.functions) {
        open.push_back(function->body);
        for (const StateValue& state : function->states)
            constants.push_back(state.initial);
    }
    while (!open.empty() || !constants.empty()) {
        while (!constants.empty()) {
            ConstantPtr constant = std::move(constants.back());
            constants.pop_back();
            if (!pool.emplace(constant->hash, constant).second || !constant->recipe)
                continue;
            open.push_back(constant->recipe->body);
            constants.insert(constants.end(), constant->recipeArgs.begin(), constant->recipeArgs.end());
        }
        if (open.empty())
            break;
        BlockPtr block = std::move(open.back());
        open.pop_back();
        for (const BindingPtr& binding : block->bindings) {
            if (const ConstantRef* reference = binding->as<ConstantRef>())
                constants.push_back(reference->constant);
            for (const BlockPtr& nested : blocksOf(binding->rhs))
                open.push_back(nested);
        }
    }
    return pool;
}

bool identical(const Module& a, const Module& b) {
    if (a.nextVar != b.nextVar || a.functions.size() != b.functions.size())
        return false;
    bool same = a.dataTypes.empty() && b.dataTypes.empty() && a.spans == b.spans;
    for (auto left = a.functions.begin(), right = b.functions.begin(); same && left != a.functions.end();
         ++left, ++right)
        same = left->first == right->first && left->second == right->second;
    return same || print(a) == print(b);
}

bool structurallyEqual(const Function& a, const Function& b) {
    return structuralHash(a) == structuralHash(b);
}

} // namespace lathe::relay
