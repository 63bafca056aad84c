// SPDX-License-Identifier: Apache-2.0
//
// Types with their symbols replaced, matched and printed: calls instantiate declared types, the verifier compares inferred
// types with stated ones, the printer names symbols.
#pragma once

#include "arith/print.h"
#include "relay/ir.h"

namespace lathe::relay {

/// Maps dims of a declared type that are plain symbols to those of an actual type, as far as they correspond.
void unify(const Type& declared, const Type& actual, arith::VarMap& map);
/// The type with its symbols replaced and its dims simplified; the same pointer if nothing changed.
Type instantiate(const Type& type, const arith::VarMap& map);
/// Calls fn for each dim.
void visitDims(const Type& type, const std::function<void(const Expr&)>& fn);
/// The result type of a call with these arguments, or why they do not fit. Symbols of the result that no parameter fixes stay.
Result<Type> resultOfCall(const std::vector<Type>& params, const Type& result, const std::vector<Type>& args);

/// The type of a value that is taken out of one of a data type: a fresh symbol for each dim that is any.
Type opened(const Type& type, const std::function<Expr()>& fresh);
/// Whether `given` is `type` opened so.
bool isOpened(const Type& type, const Type& given);

/// Whether a value of type `inferred` may be stated to have type `stated`: same structure; dims provably equal, or a
/// symbol of the inferred type that stands for any (`free`), or (with `widens`) stated as a symbol; same layouts. Within data
/// types a dim is widened to any alone.
bool fits(const Type& inferred, const Type& stated, const std::function<bool(const Expr&)>& free, bool widens);

/// Whether the layout stores each dim of a tensor of this rank once: whole, or as an outer and an inner part. Fails with the
/// dim that it does not.
Result<void> checkLayout(const Layout& layout, size_t rank);
/// The extents of the stored axes: without a layout the dims, else those of its axes, padding included.
std::vector<Expr> storedShape(const std::vector<Expr>& shape, const LayoutPtr& layout);
/// The type (a tuple's fields) without layouts.
Type withoutLayout(const Type& type);

void printType(std::string& out, const Type& type, const arith::Names& names);
std::string layoutText(const Layout& layout); // "0, 1/8, 2, 3, 1%8"

} // namespace lathe::relay
