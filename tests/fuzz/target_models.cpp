// SPDX-License-Identifier: Apache-2.0
//
// Models and what Lathe prints of them: whatever can be read is well formed or refused by the verifier, and what is printed
// reads back as the same text.
#include "frontend/frontend.h"
#include "fuzz/targets.h"
#include "relay/text.h"
#include "relay/verify.h"
#include "schedule/harness.h"
#include "schedule/trace.h"
#include "tir/text.h"
#include "tir/verify.h"

namespace lathe::fuzz {

void importModel(std::string_view bytes) {
    const frontend::Imported imported =
        frontend::importBytes(std::as_bytes(std::span(bytes)), "fuzz.onnx", {}, nullptr, {});
    for (const Diagnostic& said : imported.diagnostics)
        require(said.kind != ErrorKind::Internal, toString(said));
    require(imported.module || !imported.diagnostics.empty(), "refused without a word");
    if (imported.module) {
        const auto verified = relay::verify(*imported.module);
        require(verified.has_value(), verified ? "" : "imported, but " + toString(verified.error()));
    }
}

void readRelay(std::string_view text) {
    const auto module = relay::parse(text, {});
    if (!module || !relay::verify(*module))
        return;
    const std::string printed = relay::print(*module);
    const auto again = relay::parse(printed, {});
    require(again && relay::print(*again) == printed, "printed, it reads back otherwise:\n" + printed);
}

void readTir(std::string_view text) {
    const auto function = tir::parsePrimFunc(text);
    if (!function)
        return;
    for (const tir::Level level : {tir::Level::Blocks, tir::Level::Loops, tir::Level::Lowered})
        if (tir::verify(**function, level)) {
            const std::string printed = tir::print(**function);
            const auto again = tir::parsePrimFunc(printed);
            require(again && tir::print(**again) == printed, "printed, it reads back otherwise:\n" + printed);
        }
}

void replayTrace(std::string_view text) {
    const auto trace = schedule::parseTrace(text);
    if (!trace)
        return;
    const auto again = schedule::parseTrace(schedule::print(*trace));
    require(again && *again == *trace, "printed, the trace reads back otherwise");
    // A product and what follows it: a trace makes it slower or is refused, and never changes what is computed.
    static const tir::PrimFuncPtr product = testing::matmul(5, 6, 7, true);
    schedule::Schedule schedule(product);
    if (schedule.replay(*trace)) {
        const std::string difference = testing::difference(*product, *schedule.function());
        require(difference.empty(), difference);
    }
}

} // namespace lathe::fuzz
