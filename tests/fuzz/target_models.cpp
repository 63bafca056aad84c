// SPDX-License-Identifier: Apache-2.0
//
// Models and what Lathe prints of them: whatever can be read is well formed or refused by the verifier, and what is printed
// reads back as the same text.
#include "frontend/frontend.h"
#include "frontend/torch/pickle.h"
#include "frontend/torch/saved_tensors.h"
#include "fuzz/targets.h"
#include "relay/text.h"
#include "relay/verify.h"
#include "schedule/harness.h"
#include "schedule/trace.h"
#include "support/members_in_memory.h"
#include "tir/text.h"
#include "tir/verify.h"

#include <algorithm>

namespace lathe::fuzz {

namespace {

/// Where a file begins in what stands for a folder: a line "=== NAME".
constexpr std::string_view fileMark = "=== ", nextFileMark = "\n=== ";

testing::FilesInMemory filesIn(std::string_view bytes) {
    testing::FilesInMemory files;
    while (bytes.starts_with(fileMark)) {
        bytes.remove_prefix(fileMark.size());
        const std::string name(bytes.substr(0, bytes.find('\n')));
        bytes.remove_prefix(std::min(bytes.size(), name.size() + 1));
        const std::string_view content = bytes.substr(0, bytes.find(nextFileMark));
        files[name] = content;
        bytes.remove_prefix(std::min(bytes.size(), content.size() + 1));
    }
    return files;
}

void importWith(const frontend::Options& options, std::string_view bytes) {
    const auto file = std::as_bytes(std::span(bytes));
    const frontend::Imported imported =
        bytes.starts_with(fileMark)
            ? frontend::importSource({"fuzz", {}, {}, {}, std::make_shared<testing::MembersInMemory>(filesIn(bytes))},
                                     nullptr, options)
            : frontend::importBytes(file, "fuzz", {}, nullptr, options);
    for (const Diagnostic& said : imported.diagnostics)
        require(said.kind != ErrorKind::Internal, toString(said));
    require(imported.module || !imported.diagnostics.empty(), "refused without a word");
    if (imported.module) {
        const auto verified = relay::verify(*imported.module);
        require(verified.has_value(), verified ? "" : "imported, but " + toString(verified.error()));
    }
}

} // namespace

void importModel(std::string_view bytes) {
    importWith({}, bytes);
}

void importScript(std::string_view bytes) {
    frontend::Options options;
    options.shapes = {{"x", {2, 3}}};
    importWith(options, bytes);
}

void readPickle(std::string_view bytes) {
    const auto pickle = frontend::torch::readPickle(std::as_bytes(std::span(bytes)));
    if (!pickle)
        return;
    for (const auto& value : pickle->values)
        (void)frontend::torch::savedTensor(value, "archive/");
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
