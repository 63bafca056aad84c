// SPDX-License-Identifier: Apache-2.0
//
// What the symbols of a program's sizes stand for: found in the sizes of its inputs, and of results whose size only their elements
// tell.
#pragma once

#include "frontend/torch/program.h"

#include <map>

namespace lathe::frontend::torch {

class Symbols {
public:
    explicit Symbols(Builder& b) : b_(b) {}

    /// A declared size or number, where all its symbols are known; else null. A fault for a text that is no size.
    Expr valueOf(const ProgramSize& size) const;
    /// Takes a symbol that is not known from a number that is declared with it. What must hold then; null if nothing.
    Expr learn(const ProgramSize& declared, const Expr& value);
    /// Whether the number must lie in the range; null if that is not known, or no question.
    Expr holds(const SizeRange& range) const;

private:
    Expr find(const std::string& name) const;

    Builder& b_;
    std::map<std::string, Expr> values_;
};

/// Holds a tensor against what the program declares of it, and takes symbols from its sizes; a fault if it cannot be that.
/// value: of complex numbers with a last dim of two.
void checkDeclared(const std::string& name, const TensorMeta& meta, Var value, bool isComplex, Symbols& symbols,
                   Builder& b);

} // namespace lathe::frontend::torch
