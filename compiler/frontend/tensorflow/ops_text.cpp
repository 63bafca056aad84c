// SPDX-License-Identifier: Apache-2.0
//
// Operators on strings.
#include "frontend/common/regular_expression.h"
#include "frontend/tensorflow/operands.h"
#include "frontend/tensorflow/ops.h"
#include "relay/attrs.h"

#include <fmt/format.h>

namespace lathe::frontend::tensorflow {
namespace {

/// As Unicode maps letters; without an encoding those of ASCII alone.
void giveInCase(NodeReader& node, Builder& b, bool upper) {
    relay::StringCaseAttrs attrs;
    attrs.ascii = node.text("encoding", "") != "utf-8";
    attrs.upper = upper;
    node.set(0, b.call(Op::StringCase, {node.in(0)}, attrs));
}

} // namespace

/// Of integers and bools. Floats have so many digits as C's printf gives them, which nothing here does.
void convertAsString(NodeReader& node, Builder& b) {
    const Var x = node.in(0);
    if (b.failed())
        return;
    if (b.dtype(x).isFloat() || node.integer("width", -1) >= 0 || !node.text("fill", "").empty())
        return node.refuse("a number is written with digits or blanks that a format asks for",
                           "let the model give the number");
    if (b.dtype(x).isBool())
        return node.set(0, where(b, x, textConstant(b, {}, {"true"}), textConstant(b, {}, {"false"})));
    node.set(0, b.dtype(x) == types::String ? x : b.call(Op::FormatNumber, {x}));
}

void convertStringToNumber(NodeReader& node, Builder& b) {
    const auto dtype = typeNamed(node, "out_type", types::Float32);
    if (!dtype || b.failed())
        return;
    const bool isWhole = dtype->isInt() && dtype->bits < 64;
    relay::CastAttrs attrs;
    attrs.dtype = isWhole ? types::Int64 : *dtype;
    const Var number = b.call(Op::ParseNumber, {node.in(0)}, attrs);
    if (!isWhole)
        return node.set(0, number);
    const Var narrow = cast(b, number, *dtype);
    const Var isBeyond = b.call(Op::NotEqual, {cast(b, narrow, types::Int64), number});
    // There is a place for what is within alone: the run fails at a number that is not.
    const Var zero = gather(b, full(b, cast(b, b.scalarInt(0), *dtype), {1}), cast(b, isBeyond, types::Int64), 0);
    node.set(0, add(b, narrow, zero));
}

void convertStringLower(NodeReader& node, Builder& b) {
    giveInCase(node, b, false);
}
void convertStringUpper(NodeReader& node, Builder& b) {
    giveInCase(node, b, true);
}

void convertStringJoin(NodeReader& node, Builder& b) {
    if (node.inputs() == 0)
        return node.fail("the node has no operands");
    const std::string separator = node.text("separator", "");
    Var all = node.in(0);
    for (size_t i = 1; i < node.inputs() && !b.failed(); ++i) {
        if (!separator.empty())
            all = b.call(Op::StringConcat, {all, textConstant(b, {}, {separator})});
        all = b.call(Op::StringConcat, {all, node.in(i)});
    }
    node.set(0, all);
}

void convertStaticRegexFullMatch(NodeReader& node, Builder& b) {
    const auto program = compileExpression(node.text("pattern", ""));
    if (!program)
        return b.fail(program.error().what, program.error().hint, program.error().kind);
    node.set(0, b.call(Op::RegexFullMatch, {node.in(0), textConstant(b, {}, {*program})}));
}

} // namespace lathe::frontend::tensorflow
