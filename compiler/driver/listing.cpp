// SPDX-License-Identifier: Apache-2.0
#include "driver/listing.h"

#include "codegen/codegen.h"
#include "driver/trace.h"
#include "lower/diagnose.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::driver {

Result<Listing> listingOf(const tir::PrimFuncPtr& lowered, const Target& target) {
    LATHE_TRY(const codegen::KernelCode code, codegen::compileFunction(*lowered, {target, false}));
    LATHE_TRY(std::vector<codegen::InstructionOrigin> found, codegen::disassembleWithLines(code.object));
    Listing listing{lowered, {}};
    for (codegen::InstructionOrigin& each : found) {
        Instruction& made =
            listing.instructions.emplace_back(Instruction{each.address, std::move(each.text), each.inLoop});
        if (each.line < 1 || static_cast<size_t>(each.line) > code.lines.size())
            continue;
        const codegen::LineEntry& line = code.lines[static_cast<size_t>(each.line) - 1];
        made.stmt = line.stmt;
        made.origin = line.origin;
    }
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
