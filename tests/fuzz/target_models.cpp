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
#include <charconv>

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

frontend::Imported importedFiles(testing::FilesInMemory files, const frontend::Options& options) {
    return frontend::importSource({"fuzz", {}, {}, {}, std::make_shared<testing::MembersInMemory>(std::move(files))},
                                  nullptr, options);
}

bool checkImported(const frontend::Imported& imported) {
    for (const Diagnostic& said : imported.diagnostics)
        require(said.kind != ErrorKind::Internal, toString(said));
    require(imported.module || !imported.diagnostics.empty(), "refused without a word");
    if (imported.module) {
        const auto verified = relay::verify(*imported.module);
        require(verified.has_value(), verified ? "" : "imported, but " + toString(verified.error()));
    }
    return imported.module != nullptr;
}

/// "x=3,4", a line each.
std::vector<std::pair<std::string, std::vector<int64_t>>> sizesIn(std::string_view text) {
    std::vector<std::pair<std::string, std::vector<int64_t>>> all;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const char *at = line.data() + std::min(line.find('='), line.size()), *end = line.data() + line.size();
        auto& [name, sizes] = all.emplace_back(std::string(line.data(), at), std::vector<int64_t>());
        for (int64_t size = 0; at < end; sizes.push_back(size)) {
            const auto read = std::from_chars(at + 1, end, size);
            if (read.ec != std::errc())
                break;
            at = read.ptr;
        }
    }
    return all;
}

} // namespace

bool importModel(std::string_view bytes) {
    return checkImported(bytes.starts_with(fileMark)
                             ? importedFiles(filesIn(bytes), {})
                             : frontend::importBytes(std::as_bytes(std::span(bytes)), "fuzz", {}, nullptr, {}));
}

bool importScript(std::string_view bytes) {
    testing::FilesInMemory files = filesIn(bytes);
    frontend::Options options;
    if (const auto sizes = files.extract("sizes"))
        options.shapes = sizesIn(sizes.mapped());
    return checkImported(importedFiles(std::move(files), options));
}

bool readPickle(std::string_view bytes) {
    const auto pickle = frontend::torch::readPickle(std::as_bytes(std::span(bytes)));
    if (!pickle)
        return false;
    for (const auto& value : pickle->values)
        (void)frontend::torch::savedTensor(value, "archive/");
    return true;
}

bool readRelay(std::string_view text) {
    const auto module = relay::parse(text, {});
    if (!module || !relay::verify(*module))
        return false;
    const std::string printed = relay::print(*module);
    const auto again = relay::parse(printed, {});
    require(again && relay::print(*again) == printed, "printed, it reads back otherwise:\n" + printed);
    return true;
}

bool readTir(std::string_view text) {
    const auto function = tir::parsePrimFunc(text);
    if (!function)
        return false;
    bool isFormed = false;
    for (const tir::Level level : {tir::Level::Blocks, tir::Level::Loops, tir::Level::Lowered})
        if (tir::verify(**function, level)) {
            const std::string printed = tir::print(**function);
            const auto again = tir::parsePrimFunc(printed);
            require(again && tir::print(**again) == printed, "printed, it reads back otherwise:\n" + printed);
            isFormed = true;
        }
    return isFormed;
}

bool replayTrace(std::string_view text) {
    const auto trace = schedule::parseTrace(text);
    if (!trace)
        return false;
    const auto again = schedule::parseTrace(schedule::print(*trace));
    require(again && *again == *trace, "printed, the trace reads back otherwise");
    // A product and what follows it: a trace makes it slower or is refused, and never changes what is computed.
    static const tir::PrimFuncPtr product = testing::matmul(5, 6, 7, true);
    schedule::Schedule schedule(product);
    if (!schedule.replay(*trace))
        return false;
    const std::string difference = testing::difference(*product, *schedule.function());
    require(difference.empty(), difference);
    return true;
}

} // namespace lathe::fuzz
