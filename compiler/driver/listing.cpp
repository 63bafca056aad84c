// SPDX-License-Identifier: Apache-2.0
#include "driver/listing.h"

#include "base/text_diff.h"
#include "codegen/codegen.h"
#include "driver/trace.h"
#include "lower/diagnose.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <ranges>
#include <unordered_map>

namespace lathe::driver {

namespace {

/// The number that follows `before` in the line; -1: there is none.
int numberAfter(std::string_view line, std::string_view before) {
    const size_t found = line.find(before);
    int number = -1;
    if (found != std::string_view::npos)
        std::from_chars(line.data() + found + before.size(), line.data() + line.size(), number);
    return number;
}

/// "…, !dbg !17" leads to "!17 = !DILocation(line: 3, …", and that to the third statement.
std::vector<const tir::StmtNode*> statementsOfIr(std::string_view ir,
                                                 const std::vector<codegen::LineEntry>& statements) {
    const std::vector<std::string> lines = splitLines(ir);
    std::unordered_map<int, const tir::StmtNode*> located; // by number of the location
    for (const std::string& line : lines)
        if (line.starts_with('!'))
            if (const int at = numberAfter(line, "!DILocation(line: ");
                at >= 1 && static_cast<size_t>(at) <= statements.size())
                located[numberAfter(line, "!")] = statements[static_cast<size_t>(at) - 1].stmt;
    std::vector<const tir::StmtNode*> result;
    for (const std::string& line : lines) {
        const auto stmt = line.starts_with(' ') ? located.find(numberAfter(line, "!dbg !")) : located.end();
        result.push_back(stmt == located.end() ? nullptr : stmt->second);
    }
    return result;
}

/// Instructions of no statement are what the backend adds: registers that are kept on the stack, numbers that are loaded, the
/// frame. They count to the statement that follows, at the end to the one before.
void completeStatements(std::vector<Instruction>& instructions) {
    const auto carry = [](const Instruction*& known, Instruction& each) {
        if (each.stmt)
            known = &each;
        else if (known)
            each.stmt = known->stmt, each.origin = known->origin;
    };
    const Instruction* next = nullptr;
    for (Instruction& each : instructions | std::views::reverse)
        carry(next, each);
    const Instruction* last = nullptr;
    for (Instruction& each : instructions)
        carry(last, each);
}

} // namespace

Result<Listing> listingOf(const tir::PrimFuncPtr& lowered, codegen::CodegenOptions options) {
    options.keepIr = true;
    LATHE_TRY(codegen::KernelCode code, codegen::compileFunction(*lowered, options));
    LATHE_TRY(std::vector<codegen::InstructionOrigin> found, codegen::disassembleWithLines(code.object));
    Listing listing{lowered, {}, std::move(code.llvmIr), {}};
    listing.irStatements = statementsOfIr(listing.llvmIr, code.lines);
    for (codegen::InstructionOrigin& each : found) {
        Instruction& made =
            listing.instructions.emplace_back(Instruction{each.address, std::move(each.text), each.inLoop});
        if (each.line < 1 || static_cast<size_t>(each.line) > code.lines.size())
            continue;
        const codegen::LineEntry& line = code.lines[static_cast<size_t>(each.line) - 1];
        made.stmt = line.stmt;
        made.origin = line.origin;
    }
    completeStatements(listing.instructions);
    return listing;
}

std::vector<model::Span> spansByOrigin(const Trace& trace, std::string_view kernel) {
    std::vector<model::Span> spans;
    for (const CallRecord& call : trace.calls) {
        if (call.kernel != kernel)
            continue;
        spans.resize(std::max(spans.size(), call.origins.size()));
        for (size_t origin = 0; origin < call.origins.size(); ++origin)
            spans[origin] = trace.graph->spans->join(spans[origin], call.origins[origin]);
    }
    return spans;
}

std::string print(const Listing& listing, const Trace& trace) {
    const std::vector<model::Span> spans = spansByOrigin(trace, listing.function->name);
    std::string text = fmt::format("{}:\n", listing.function->name);
    model::Span shown;
    for (const Instruction& instruction : listing.instructions) {
        const auto origin = static_cast<size_t>(instruction.origin);
        const model::Span span = instruction.stmt && origin < spans.size() ? spans[origin] : model::Span{};
        if (span.empty() || span == shown) {
            text += fmt::format("{:6x}  {}\n", instruction.address, instruction.text);
            continue;
        }
        text += fmt::format("{:6x}  {:60}  # {}\n", instruction.address, instruction.text,
                            lower::nodeNames(span, *trace.graph->spans, trace.graph.get()));
        shown = span;
    }
    return text;
}

} // namespace lathe::driver
