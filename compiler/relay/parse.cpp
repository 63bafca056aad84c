// SPDX-License-Identifier: Apache-2.0
//
// Text to graph IR; relay/print.cpp has the grammar. What is read is verified before it is given out.
#include "base/limits.h"
#include "base/narrow_float.h"
#include "relay/attrs.h"
#include "relay/element.h"
#include "relay/scanner.h"
#include "relay/text.h"
#include "relay/verify.h"

#include <charconv>
#include <fmt/format.h>

namespace lathe::relay {
namespace {

class Parser {
public:
    Parser(std::string_view text, const ConstantPool& pool) : in_(text), exprs_(in_), pool_(pool) {}

    Result<Module> module() {
        module_.spans = std::make_shared<model::SpanTable>();
        in_.expect("module");
        in_.expect("next");
        module_.nextVar = var().id;
        while (!in_.atEnd()) {
            if (in_.atWord("data"))
                dataType();
            else
                function();
        }
        if (in_.failed())
            return std::unexpected(in_.error());
        if (Result<void> good = verify(module_, &lines_); !good)
            return std::unexpected(good.error());
        return std::move(module_);
    }

private:
    Scanner in_;
    ExprParser exprs_;
    const ConstantPool& pool_;
    Module module_;
    VarLines lines_;
    int nesting_ = 0;
    int held_ = 0; // nesting of data types' arguments

    Var var(bool optional = false) {
        if (optional && in_.accept("_"))
            return {};
        in_.expect("%");
        int64_t id = in_.integer();
        if (id < 1 || id > std::numeric_limits<uint32_t>::max())
            in_.fail("a variable's number is out of range");
        return {static_cast<uint32_t>(id)};
    }
    std::vector<Var> vars(bool optional = false) {
        std::vector<Var> list;
        in_.expect("(");
        if (in_.accept(")"))
            return list;
        do
            list.push_back(var(optional));
        while (in_.accept(","));
        in_.expect(")");
        return list;
    }

    // ---- types
    std::vector<Type> types(std::string_view end) {
        std::vector<Type> list;
        while (!in_.failed() && !in_.accept(end)) {
            list.push_back(type());
            if (!in_.accept(",")) {
                in_.expect(end);
                break;
            }
        }
        return list;
    }
    Type type() {
        Type result = tensorType(types::Float32, {});
        if (!in_.enter())
            return result;
        if (in_.accept("(")) {
            result = tupleType(types(")"));
        } else if (std::string name = in_.name(); in_.failed()) {
            // Nothing was read.
        } else if (std::optional<DataType> dtype = parseDataType(name); dtype && in_.at("[")) {
            result = tensor(*dtype);
        } else if (name == "fn") {
            in_.expect("(");
            std::vector<Type> params = types(")");
            in_.expect("->");
            Type given = type();
            result = std::make_shared<TypeNode>(TypeNode{FunctionType{std::move(params), std::move(given)}});
        } else {
            DataTypeRef reference{name, {}};
            if (in_.next('('))
                if (in_.accept("(")) {
                    ++held_;
                    reference.args = types(")");
                    --held_;
                }
            result = std::make_shared<TypeNode>(TypeNode{std::move(reference)});
        }
        in_.leave();
        return result;
    }
    Type tensor(DataType dtype) {
        if (dtype.lanes != 1 || dtype.code == TypeCode::Void || dtype.code == TypeCode::Index ||
            dtype.code == TypeCode::Handle)
            in_.fail(fmt::format("a tensor of {}", toString(dtype)));
        std::vector<Expr> shape;
        LayoutPtr layout;
        in_.expect("[");
        while (!in_.failed() && !in_.at("]") && !in_.at(";")) {
            const bool any = held_ > 0 && in_.accept("?");
            Expr dim = any ? anyDim() : exprs_.parse();
            if (!any && (!dim.dtype().isIndex() || arith::asInt(dim).value_or(0) < 0))
                in_.fail("a dimension is no size");
            shape.push_back(std::move(dim));
            if (!in_.accept(","))
                break;
        }
        if (in_.accept(";"))
            layout = this->layout(static_cast<int>(shape.size()));
        in_.expect("]");
        if (shape.size() > static_cast<size_t>(limits::tensorRank))
            in_.fail(fmt::format("rank {} is over the limit of {}", shape.size(), limits::tensorRank));
        return tensorType(dtype, std::move(shape), std::move(layout));
    }
    LayoutPtr layout(int rank) {
        auto layout = std::make_shared<Layout>();
        do {
            Layout::Axis axis;
            int64_t dim = in_.integer();
            if (dim < 0 || (rank >= 0 && dim >= rank) || dim >= limits::tensorRank)
                in_.fail("a layout's axis is out of range");
            axis.dim = static_cast<int>(dim);
            if ((axis.outer = in_.accept("/")) || in_.accept("%")) {
                axis.factor = in_.integer();
                if (axis.factor < 1)
                    in_.fail("a layout's factor is below 1");
            }
            layout->axes.push_back(axis);
        } while (in_.accept(","));
        return layout;
    }

    // ---- attributes: each field in order, absent ones keep their default
    class FieldReader : public AttrWriter {
    public:
        explicit FieldReader(Parser& parser) : parser_(parser) {}
        void field(const char* name, bool& value) override {
            if (starts(name))
                value = parser_.in_.word() == "true";
        }
        void field(const char* name, int64_t& value) override {
            if (starts(name))
                value = parser_.in_.integer();
        }
        void field(const char* name, double& value) override {
            if (starts(name))
                value = parser_.in_.real();
        }
        void field(const char* name, std::string& value) override {
            if (starts(name))
                value = parser_.in_.quoted();
        }
        void field(const char* name, DataType& value) override {
            if (!starts(name))
                return;
            std::string text = parser_.in_.word();
            std::optional<DataType> dtype = text == "void" ? types::Void : parseDataType(text);
            if (!dtype || dtype->lanes != 1)
                parser_.in_.fail(fmt::format("unknown data type '{}'", text));
            else
                value = *dtype;
        }
        void field(const char* name, std::vector<int64_t>& value) override {
            if (starts(name))
                value = list<int64_t>([this] { return parser_.in_.integer(); });
        }
        void field(const char* name, std::vector<double>& value) override {
            if (starts(name))
                value = list<double>([this] { return parser_.in_.real(); });
        }
        void field(const char* name, Expr& value) override {
            if (starts(name))
                value = parser_.nullableExpr(std::string_view(name) == "condition");
        }
        void field(const char* name, std::vector<Expr>& value) override {
            if (!starts(name))
                return;
            bool nullable = std::string_view(name) == "symbols";
            value = list<Expr>([&] {
                Expr element = parser_.nullableExpr(false);
                if (!element && !nullable)
                    parser_.in_.fail(fmt::format("'{}' has a missing entry", name));
                return element;
            });
        }
        void field(const char* name, LayoutPtr& value) override {
            if (!starts(name))
                return;
            parser_.in_.expect("<");
            value = parser_.layout(-1);
            parser_.in_.expect(">");
        }

    private:
        Parser& parser_;
        bool starts(const char* name) {
            Scanner& in = parser_.in_;
            in.accept(","); // after the field before
            if (in.failed() || !in.atWord(name))
                return false;
            in.word();
            in.expect("=");
            return true;
        }
        template <class T>
        std::vector<T> list(auto read) {
            std::vector<T> values;
            parser_.in_.expect("[");
            while (!parser_.in_.failed() && !parser_.in_.accept("]")) {
                values.push_back(read());
                if (!parser_.in_.accept(",")) {
                    parser_.in_.expect("]");
                    break;
                }
            }
            return values;
        }
    };

    Expr nullableExpr(bool condition) {
        if (in_.atWord("null")) {
            in_.word();
            return {};
        }
        Expr expr = exprs_.parse();
        if (condition ? !expr.dtype().isBool() : !expr.dtype().isIndex())
            in_.fail(condition ? "the condition is a number" : "expected a number, not a condition");
        return expr;
    }

    AttrsPtr attributes(const OpInfo& op) {
        if (!op.makeAttrs) {
            if (in_.at("{"))
                in_.fail(fmt::format("{} has no attributes", op.name));
            return nullptr;
        }
        std::shared_ptr<Attrs> attrs = op.makeAttrs()->clone();
        if (!in_.accept("{"))
            return attrs;
        FieldReader reader(*this);
        attrs->write(reader);
        in_.expect("}");
        return attrs;
    }

    // ---- definitions
    void dataType() {
        in_.expect("data");
        DataTypeDef definition;
        definition.name = in_.name();
        in_.expect("(");
        while (!in_.failed() && !in_.accept(")")) {
            definition.params.push_back(in_.name());
            in_.accept(",");
        }
        in_.expect("{");
        while (!in_.failed() && !in_.accept("}")) {
            Constructor constructor{in_.name(), {}};
            in_.expect("(");
            constructor.fields = types(")");
            definition.constructors.push_back(std::move(constructor));
            in_.accept(",");
        }
        std::string name = definition.name;
        if (!module_.dataTypes.emplace(name, std::move(definition)).second)
            in_.fail(fmt::format("data type '{}' is defined twice", name));
    }

    void function() {
        in_.expect("fn");
        std::string name = in_.name();
        auto function = std::make_shared<Function>();
        in_.expect("(");
        function->params = params();
        in_.expect("->");
        function->resultType = type();
        if (in_.accept("outputs")) {
            in_.expect("[");
            while (!in_.failed() && !in_.accept("]")) {
                function->outputNames.push_back(in_.quoted());
                in_.accept(",");
            }
        }
        if (in_.accept("states"))
            function->states = states();
        function->primitive = in_.accept("primitive");
        function->body = block();
        if (!module_.functions.emplace(name, std::move(function)).second)
            in_.fail(fmt::format("function '{}' is defined twice", name));
    }

    std::vector<StateValue> states() {
        std::vector<StateValue> list;
        in_.expect("[");
        while (!in_.failed() && !in_.accept("]")) {
            StateValue& state = list.emplace_back();
            state.name = in_.quoted();
            in_.expect("=");
            in_.expect("const");
            state.initial = constant();
            in_.accept(",");
        }
        return list;
    }

    Param param() {
        Param param;
        param.var = var();
        lines_[param.var.id] = in_.line();
        if (in_.at("\""))
            param.name = in_.quoted();
        in_.expect(":");
        param.type = type();
        return param;
    }
    std::vector<Param> params() {
        std::vector<Param> list;
        while (!in_.failed() && !in_.accept(")")) {
            list.push_back(param());
            if (!in_.accept(",")) {
                in_.expect(")");
                break;
            }
        }
        return list;
    }

    BlockPtr block() {
        auto block = std::make_shared<Block>();
        if (++nesting_ > limits::blockNesting)
            in_.fail(fmt::format("blocks are nested over {} deep", limits::blockNesting));
        in_.expect("{");
        while (!in_.failed() && !in_.accept("->"))
            block->bindings.push_back(binding());
        if (!in_.failed())
            block->result = var();
        in_.expect("}");
        --nesting_;
        return block;
    }

    BindingPtr binding() {
        auto binding = std::make_shared<Binding>();
        binding->var = var();
        lines_[binding->var.id] = in_.line();
        in_.expect("=");
        binding->rhs = right();
        if (const ConstantRef* reference = std::get_if<ConstantRef>(&binding->rhs)) {
            if (reference->constant)
                binding->type = reference->constant->type;
        } else {
            in_.expect(":");
            binding->type = type();
        }
        if (in_.accept("@{") && !module_.spans->parse(in_.until('}'), binding->span))
            in_.fail("a malformed span");
        if (in_.accept("as"))
            binding->modelValue = in_.quoted();
        return binding;
    }

    Rhs right() {
        if (in_.at("%")) {
            Projection projection;
            projection.tuple = var();
            in_.expect(".");
            int64_t index = in_.integer();
            if (index < 0 || index > 1 << 20)
                in_.fail("a field's number is out of range");
            projection.index = static_cast<int>(index);
            return projection;
        }
        std::string word = in_.word();
        if (word == "const")
            return ConstantRef{constant()};
        if (word == "call") {
            std::string callee = in_.name();
            return FunctionCall{std::move(callee), vars()};
        }
        if (word == "apply") {
            Var callee = var();
            return ClosureCall{callee, vars()};
        }
        if (word == "tuple")
            return MakeTuple{vars()};
        if (word == "make") {
            std::string dataType = in_.name(), constructor = in_.name();
            return Construct{std::move(dataType), std::move(constructor), vars()};
        }
        if (word == "if")
            return branch();
        if (word == "match")
            return match();
        if (word == "loop")
            return loop();
        if (word == "fn")
            return literal();
        const OpInfo* op = findOp(word);
        if (!op) {
            in_.fail(fmt::format("unknown operator '{}'", word));
            return MakeTuple{};
        }
        OpCall call{op->op, vars(true), nullptr};
        call.attrs = attributes(*op);
        return call;
    }

    If branch() {
        If result;
        result.condition = var();
        result.thenBlock = block();
        in_.expect("else");
        result.elseBlock = block();
        return result;
    }
    Match match() {
        Match result;
        result.value = var();
        in_.expect("{");
        while (!in_.failed() && !in_.accept("}")) {
            MatchArm arm;
            arm.constructor = in_.name();
            in_.expect("(");
            arm.fields = params();
            arm.block = block();
            result.arms.push_back(std::move(arm));
        }
        return result;
    }
    Loop loop() {
        Loop result;
        result.tripCount = var(true);
        in_.expect("while");
        result.condition = var(true);
        in_.expect("(");
        result.iteration = param();
        while (!in_.failed() && in_.accept(",")) {
            result.carried.push_back(param());
            in_.expect("=");
            result.init.push_back(var());
        }
        in_.expect(")");
        in_.expect("scans");
        int64_t scans = in_.integer();
        if (scans < 0 || scans > 1 << 20)
            in_.fail("the number of scans is out of range");
        result.scans = static_cast<int>(scans);
        result.body = block();
        return result;
    }
    FunctionLiteral literal() {
        auto function = std::make_shared<Function>();
        in_.expect("(");
        function->params = params();
        in_.expect("->");
        function->resultType = type();
        in_.expect("captures");
        std::vector<Var> captures = vars();
        function->body = block();
        return {std::move(function), std::move(captures)};
    }

    // ---- constants
    ConstantPtr constant() {
        Type type = this->type();
        const TensorType* tensor = asTensor(type);
        std::optional<std::vector<int64_t>> dims = tensor ? constantShape(tensor->shape) : std::nullopt;
        if (!dims)
            in_.fail("a constant is a tensor of constant dims");
        int64_t count = 1;
        for (size_t i = 0; dims && i < dims->size(); ++i)
            if (__builtin_mul_overflow(count, (*dims)[i], &count) || count > limits::tensorElements)
                in_.fail("a constant is too large");
        if (in_.accept("#"))
            return pooled(type);
        bool splat = in_.accept("splat");
        in_.expect("[");
        std::vector<std::byte> bytes;
        std::vector<std::string> strings;
        while (!in_.failed() && !in_.accept("]")) {
            if (bytes.size() > 4096 || strings.size() > 4096)
                in_.fail("too many elements in the text; name the constant by its hash");
            if (tensor->dtype == types::String)
                strings.push_back(in_.quoted());
            else
                element(tensor->dtype, bytes);
            in_.accept(",");
        }
        if (in_.failed())
            return nullptr;
        auto given = static_cast<int64_t>(tensor->dtype == types::String
                                              ? strings.size()
                                              : bytes.size() / static_cast<size_t>(tensor->dtype.bytes()));
        if (given != (splat ? 1 : count)) {
            in_.fail(fmt::format("{} elements for {}", given, toString(type)));
            return nullptr;
        }
        if (tensor->dtype == types::String)
            return makeConstant(
                std::make_shared<model::TensorData>(model::TensorData{tensor->dtype, *dims, {}, std::move(strings)}));
        if (splat && count != 1)
            return splatOf(tensor->dtype, std::move(*dims), bytes.data());
        auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
        std::span<const std::byte> view(*owner);
        return makeConstant(tensor->dtype, std::move(*dims), {std::move(owner), view});
    }
    void element(DataType dtype, std::vector<std::byte>& bytes) {
        size_t at = bytes.size();
        bytes.resize(at + static_cast<size_t>(dtype.bytes()));
        if (!dtype.isFloat())
            return writeInt(bytes.data() + at, dtype, in_.integer());
        std::optional<uint64_t> bits;
        double value = in_.real(&bits);
        if (!bits)
            return writeFloat(bytes.data() + at, dtype, value);
        for (int i = 0; i < dtype.bytes(); ++i)
            bytes[at + static_cast<size_t>(i)] = static_cast<std::byte>(*bits >> (8 * i));
    }
    ConstantPtr pooled(const Type& type) {
        std::string digits = in_.hexadecimal(32);
        if (in_.failed())
            return nullptr;
        Hash128 hash;
        std::from_chars(digits.data(), digits.data() + 16, hash.high, 16);
        std::from_chars(digits.data() + 16, digits.data() + 32, hash.low, 16);
        auto found = pool_.find(hash);
        if (found == pool_.end()) {
            in_.fail(fmt::format("constant #{} is not in the pool", digits));
            return nullptr;
        }
        if (!sameType(found->second->type, type))
            in_.fail(fmt::format("constant #{} is {}", digits, toString(found->second->type)));
        return found->second;
    }
};

} // namespace

Result<Module> parse(std::string_view text, const ConstantPool& pool) {
    return Parser(text, pool).module();
}

} // namespace lathe::relay
