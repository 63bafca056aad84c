// SPDX-License-Identifier: Apache-2.0
//
// What is read from hostile hands, each as a function of bytes: models of each format, texts of the IR, artifacts,
// manifests of bundles, the runner's protocol on both sides, tensor files, images, records. libFuzzer (libfuzzer/main.cpp)
// drives them by coverage and grows corpora/NAME; test_corpora.cpp replays these. A target returns whatever the bytes hold;
// it throws, aborts, hangs or touches memory that is not its own where there is a fault of ours. It says whether they were
// taken: a corpus of which nothing is tests the first line of a reader alone.
#pragma once

#include "base/memory_file.h"
#include "fuzz/mutate.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lathe::fuzz {

struct Target {
    std::string_view name; // of its folder of corpora too
    bool (*run)(std::string_view bytes);
    /// A change that keeps the form, which changed bytes hardly ever do; null: bytes alone are changed.
    std::string (*mutate)(std::string bytes, Random& random);
};

/// All of them.
std::span<const Target> targets();

/// What holds of every input; `what` says which broke.
inline void require(bool holds, const std::string& what) {
    if (!holds)
        throw std::logic_error(what);
}

/// The bytes as a file without a name.
MemoryFile fileOf(std::string_view bytes);

/// A file of any format, or the files of a folder or an archive in one text: a line "=== NAME" before each. So those of archives
/// are changed without a checksum that fails.
bool importModel(std::string_view bytes);
/// The files of a TorchScript archive in one text, and the sizes of its inputs, without which nothing of it is evaluated: a file
/// "sizes" with a line "x=3,4" for each.
bool importScript(std::string_view bytes);
bool readPickle(std::string_view bytes);
bool readRelay(std::string_view text);
bool readTir(std::string_view text);
bool replayTrace(std::string_view text);
bool loadArtifact(std::string_view patches);
bool readManifest(std::string_view json);
bool serveRequests(std::string_view stream);
bool readReplies(std::string_view stream);
bool readTensorFile(std::string_view bytes);
bool decodeImage(std::string_view bytes);
bool importRecords(std::string_view lines);

} // namespace lathe::fuzz
