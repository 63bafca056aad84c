// SPDX-License-Identifier: Apache-2.0
//
// One call of a PyTorch operator, as its converter sees it: arguments by the names of the schema with defaults filled in, and
// a place for the results. It knows neither the nodes of an archive nor the statements of a script, so a converter serves both.
// Errors are sticky (relay/builder.h): after a fault every call gives neutral values.
#pragma once

#include "frontend/torch/schema.h"
#include "frontend/torch/value.h"

namespace lathe::frontend::torch {

class Call {
public:
    /// arguments: one for each of the schema's. randomCalls: how many random calls came before this one; counted on.
    Call(const Schema& schema, List arguments, int64_t& randomCalls, Builder& b);

    Builder& b;
    const Schema& schema;
    const std::string& op; // "aten.conv2d.default"

    const TorchValue& value(const char* name);
    bool isNone(const char* name) { return value(name).isNone(); }
    /// A fault if it is none.
    Var tensor(const char* name);
    /// Var{} for None.
    Var optionalTensor(const char* name);
    std::vector<Var> tensors(const char* name);
    /// Var{} for entries that are None.
    std::vector<Var> optionalTensors(const char* name);
    bool isComplex(const char* name) { return value(name).as<Complex>() != nullptr; }
    /// The parts of a complex tensor, with their last dim of two.
    Var complex(const char* name);

    /// A known one: refused if it depends on sizes that are not known.
    int64_t integer(const char* name);
    std::optional<int64_t> optionalInteger(const char* name);
    Expr size(const char* name);
    /// A single int stands for a list of one; None for an empty list.
    std::vector<int64_t> integers(const char* name);
    Dims sizes(const char* name);
    double real(const char* name);
    std::optional<double> optionalReal(const char* name);
    std::vector<double> reals(const char* name);
    bool flag(const char* name);
    /// Empty for None.
    std::string text(const char* name);
    /// Nothing for None.
    std::optional<DataType> dtype(const char* name);
    Scalar scalar(const char* name);
    std::optional<Scalar> optionalScalar(const char* name);
    std::vector<Scalar> scalars(const char* name);
    /// 0 … rank-1 from -rank … rank-1; of a tensor of rank 0 as of one of rank 1, as PyTorch does. A fault otherwise.
    int64_t axis(int64_t value, int64_t rank);
    /// Of an argument that is a dim or a list of dims: ascending, each once, else a fault. None, or an empty list: all.
    Ints axes(const char* name, int64_t rank);

    int64_t nextRandomCall() { return randomCalls_++; }

    /// The only result; results, or the tensors of the only one, which is a list; a result that is no plain tensor.
    /// Results beyond those of the schema are assigned to the arguments that it marks as written, those that are not None.
    void give(Var result);
    void give(std::vector<Var> results);
    void giveValue(TorchValue result);
    void giveComplex(Var parts) { giveValue(Complex{parts}); }
    /// The operator has no result.
    void giveNothing();

    void fail(std::string what, std::string hint = {}) { b.fail(std::move(what), std::move(hint)); }
    /// What the program says is right, but Lathe does not do it.
    void refuse(std::string what, std::string hint = {}) {
        b.fail(std::move(what), std::move(hint), ErrorKind::Unsupported);
    }
    bool failed() const { return b.failed(); }

    /// Nothing until they are given.
    const std::optional<List>& results() const { return results_; }

private:
    template <class T>
    const T* need(const char* name, const TorchValue& value, const char* what);
    /// The elements of a list, or the one value; none for None.
    std::span<const TorchValue> elements(const char* name);
    Var tensorOf(const char* name, const TorchValue& value);
    int64_t integerOf(const char* name, const TorchValue& value);
    double realOf(const char* name, const TorchValue& value);
    Expr sizeOf(const char* name, const TorchValue& value);
    Scalar scalarOf(const char* name, const TorchValue& value);

    List arguments_;
    int64_t& randomCalls_;
    std::optional<List> results_;
};

using Convert = void (*)(Call& call, Builder& b);

} // namespace lathe::frontend::torch
