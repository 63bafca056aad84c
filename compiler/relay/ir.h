// SPDX-License-Identifier: Apache-2.0
//
// The graph IR: all its nodes and what they mean. A Module maps names to Functions; a Function's body is a Block: a
// vector of Bindings in A-normal form and a result. A list, never a deep tree: no pass recurses over a model's length.
// Everything is an immutable shared value; a snapshot of a Module costs a pointer a binding.
//
// An operand is a Var: a number unique in the Module, never reused. A rewritten Binding keeps its Var, so its users
// stay as they are. A Block sees the Vars of the Blocks around it.
#pragma once

#include "arith/expr.h"
#include "base/result.h"
#include "model/model_graph.h"
#include "model/span.h"
#include "relay/op.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lathe::relay {

using arith::Expr;
using model::Span;

// ---- types ------------------------------------------------------------------------------------------------------

/// A map from logical dims to stored axes. Stored axis i holds dim `dim` whole (factor 0), its outer part (outer = true:
/// dim / factor, rounded up) or its inner part (dim % factor). Null layout pointer: identity. Stored elements beyond the
/// dims, where a factor does not divide, are padding: no logical index leads to them, and they hold anything.
struct Layout {
    struct Axis {
        int dim = 0;
        int64_t factor = 0;
        bool outer = false;
        bool operator==(const Axis&) const = default;
    };
    std::vector<Axis> axes;
    bool operator==(const Layout&) const = default;
};
using LayoutPtr = std::shared_ptr<const Layout>;

struct TypeNode;
using Type = std::shared_ptr<const TypeNode>;

struct TensorType {
    DataType dtype;
    std::vector<Expr> shape; // of type index, without loads
    LayoutPtr layout;
};
struct TupleType {
    std::vector<Type> fields;
};
struct FunctionType {
    std::vector<Type> params;
    Type result;
};
/// An instance of a data type of the Module: List(tensor), Optional(tensor), or one of the model's. Of one without its
/// arguments only values that hold nothing are known, such as the empty list: it is of any instance. A dim of a tensor in
/// `args` is what all have, or anyDim().
struct DataTypeRef {
    std::string name;
    std::vector<Type> args;
};
struct TypeNode {
    std::variant<TensorType, TupleType, FunctionType, DataTypeRef> value;
};

/// Within a data type's arguments: each value has a size of its own there.
Expr anyDim();
bool isAny(const Expr& dim);

Type tensorType(DataType dtype, std::vector<Expr> shape, LayoutPtr layout = nullptr);
Type tupleType(std::vector<Type> fields);
/// The TensorType behind a type, or null.
const TensorType* asTensor(const Type& type);
const TupleType* asTuple(const Type& type);
/// A tuple's fields, or the one type.
std::vector<Type> fieldTypes(const Type& type);
bool sameLayout(const LayoutPtr& a, const LayoutPtr& b);
/// Same structure and layouts; dims equal if provably so.
bool sameType(const Type& a, const Type& b);
/// The instance of a data type behind a type, or null.
const DataTypeRef* asDataType(const Type& type);
Type dataType(std::string name, std::vector<Type> args = {});
/// "float32[n, 3]", "(float32[2], bool[])", "List(float32[?])", with layout "float32[1, 64, 56, 56; 0, 1/8, 2, 3, 1%8]".
std::string toString(const Type& type);
/// "[n,3]", for messages.
std::string text(const std::vector<Expr>& shape);

struct Constructor {
    std::string name;
    std::vector<Type> fields; // may name type parameters as DataTypeRef without args
};
struct DataTypeDef {
    std::string name;
    std::vector<std::string> params;
    std::vector<Constructor> constructors;
};

// ---- constants --------------------------------------------------------------------------------------------------

struct Function;
using FunctionPtr = std::shared_ptr<const Function>;
struct Constant;
using ConstantPtr = std::shared_ptr<const Constant>;

/// Bytes (one element per DataType::bytes()), a splat (bytes hold one element), or a recipe: a pure function over constants,
/// evaluated once when the artifact is written. hash is of the content, or of the recipe.
struct Constant {
    Type type; // a tensor type with constant dims
    Hash128 hash;
    model::Bytes bytes;
    bool splat = false;
    std::vector<std::string> strings; // dtype string
    FunctionPtr recipe;
    std::vector<ConstantPtr> recipeArgs;
    int64_t elements() const; // as stored
    ~Constant();              // a loop: recipes of recipes are chains of any length
};
ConstantPtr makeConstant(DataType dtype, std::vector<int64_t> shape, model::Bytes bytes);
ConstantPtr makeConstant(const model::TensorPtr& tensor);
ConstantPtr makeSplat(DataType dtype, std::vector<int64_t> shape, double value);
ConstantPtr makeRecipe(FunctionPtr function, std::vector<ConstantPtr> args);

// ---- nodes ------------------------------------------------------------------------------------------------------

struct Var {
    uint32_t id = 0; // 0: none
    explicit operator bool() const { return id != 0; }
    auto operator<=>(const Var&) const = default;
};

struct Block;
using BlockPtr = std::shared_ptr<const Block>;

struct Param {
    Var var;
    Type type;
    std::string name; // the model's, for inputs
};

/// Call of an operator of the table.
struct OpCall {
    Op op;
    std::vector<Var> args; // Var{} is an absent optional operand
    AttrsPtr attrs;        // null: the operator has none
};
/// Call of a Function of the Module, by name.
struct FunctionCall {
    std::string callee;
    std::vector<Var> args;
};
/// Call of a function value.
struct ClosureCall {
    Var callee;
    std::vector<Var> args;
};
struct MakeTuple {
    std::vector<Var> fields;
};
struct Projection {
    Var tuple;
    int index = 0;
};
struct ConstantRef {
    ConstantPtr constant;
};
struct Construct {
    std::string dataType, constructor;
    std::vector<Var> args;
};
/// condition: bool[]. The result type joins both Blocks': equal dims stay, others become symbols.
struct If {
    Var condition;
    BlockPtr thenBlock, elseBlock;
};
struct MatchArm {
    std::string constructor;
    std::vector<Param> fields;
    BlockPtr block;
};
struct Match {
    Var value;
    std::vector<MatchArm> arms;
};
/// Repeats body while iteration < tripCount (if given) and the condition (if given) holds. Body sees `iteration` (int64[]) and
/// the carried params; its result is a tuple: [next condition, if `condition` is given] + next carried values + scans. The
/// Loop's value is the tuple of final carried values, then each scan stacked along a new leading axis.
struct Loop {
    Var tripCount; // int64[], optional
    Var condition; // bool[], optional: the initial value
    Param iteration;
    std::vector<Var> init;
    std::vector<Param> carried;
    int scans = 0;
    BlockPtr body;
};
/// A function value; `captures` are the Vars of Blocks around that it uses.
struct FunctionLiteral {
    FunctionPtr function;
    std::vector<Var> captures;
};

using Rhs = std::variant<OpCall, FunctionCall, ClosureCall, MakeTuple, Projection, ConstantRef, Construct, If, Match,
                         Loop, FunctionLiteral>;

struct Binding {
    Var var;
    Rhs rhs;
    Type type;
    Span span;              // never empty
    std::string modelValue; // the model's value that this equals; empty if none

    template <class T>
    const T* as() const {
        return std::get_if<T>(&rhs);
    }
};
using BindingPtr = std::shared_ptr<const Binding>;

struct Block {
    std::vector<BindingPtr> bindings;
    Var result; // a Var of this Block or of one around it
};

/// A value that the model keeps from one call to the next: a variable, the hidden state of a streaming net.
struct StateValue {
    std::string name;
    ConstantPtr initial; // its type is the state's
};

/// The last parameters of main are its states as a call begins, the last results, behind the outputs, what they are as it
/// ends: one of each for each of `states`, in their order.
struct Function {
    std::vector<Param> params;
    Type resultType;
    BlockPtr body;
    bool primitive = false;               // a fused function: lowered to one kernel
    std::vector<std::string> outputNames; // of the main function
    std::vector<StateValue> states;       // of the main function
};

struct Module {
    std::map<std::string, FunctionPtr> functions; // "main" is the model
    std::map<std::string, DataTypeDef> dataTypes; // List and Optional are built in
    std::shared_ptr<model::SpanTable> spans;
    uint32_t nextVar = 1;

    const Function& main() const { return *functions.at("main"); }
};

// ---- looking ----------------------------------------------------------------------------------------------------

/// The Vars that a right-hand side uses directly (not those used in its Blocks).
std::vector<Var> operands(const Rhs& rhs);
/// The parameters of main that are the model's inputs: those before its states.
std::span<const Param> inputParams(const Function& main);
/// The types of the model's outputs: those of main's results but its states.
std::vector<Type> outputTypes(const Function& main);
/// The Blocks directly inside a right-hand side.
std::vector<BlockPtr> blocksOf(const Rhs& rhs);
/// The right-hand side with operands and Blocks replaced.
Rhs withOperands(const Rhs& rhs, const std::function<Var(Var)>& var,
                 const std::function<BlockPtr(const BlockPtr&)>& block);
/// The binding with such a right-hand side; the same pointer if nothing changed.
BindingPtr withOperands(const BindingPtr& binding, const std::function<Var(Var)>& var,
                        const std::function<BlockPtr(const BlockPtr&)>& block);

/// Built in one sweep: Var -> binding, users, Block. Parameters have no binding.
struct Index {
    struct Entry {
        BindingPtr binding; // null for a parameter
        const Param* param = nullptr;
        const Block* block = nullptr; // where it is bound
        std::vector<BindingPtr> users;
        int uses = 0; // operands and block results, nested Blocks included
    };
    std::map<uint32_t, Entry> entries; // see find
    explicit Index(const Function& function);
    const Entry* find(Var var) const;
};

/// FNs that rewrite a Block list: for each binding (operands already replaced by `map`) fn gives what to put in its place; nested
/// Blocks are rewritten first. fn may add entries to the map: later uses of a Var see them.
struct Rewriter {
    std::map<uint32_t, Var> map;
    Var replaced(Var var) const;
};
using BindingFn = std::function<std::vector<BindingPtr>(const BindingPtr&, Rewriter&)>;
BlockPtr rewriteBlock(const BlockPtr& block, Rewriter& rewriter, const BindingFn& fn);

} // namespace lathe::relay
