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
