// SPDX-License-Identifier: Apache-2.0
//
// The files of a bundle, as SHA256SUMS lists them: lines "HASH  PATH", of the format of sha256sum. The list may come from
// anywhere: no name in it leads out of the folder, and what is not in the list is neither read nor run. What checks bundles,
// lathe-check on a device and `lathe bundle check`, reads them by this alone.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lathe::data {

inline constexpr const char* sumsName = "SHA256SUMS";
inline constexpr const char* signatureName = "SHA256SUMS.sig"; // deploy/signature.h

struct ListedFile {
    std::string path; // "model/x.so": relative, without "." and ".." among its parts
    std::string sha256;
};

/// Fails with a Diagnostic that names SHA256SUMS, and its line if one is wrong: malformed, a path that leads out, a path twice.
Result<std::vector<ListedFile>> readSums(const std::filesystem::path& folder);

/// What may lie in a bundle beside its files. Python keeps compiled modules in __pycache__, examples are built where they lie, C
/// source in `build`.
enum class Beside {
    Used,  // all of that, and what somebody writes to examples
    Built, // what can be made again: not what somebody has written
    Nothing,
};

/// A Diagnostic for each file below the folder that is neither among these nor allowed beside them: somebody else's, or one that
/// was renamed.
std::vector<Diagnostic> strangersIn(const std::filesystem::path& folder, const std::vector<ListedFile>& files,
                                    Beside allowed);

struct Verified {
    uint64_t bytes = 0;               // of all files
    std::vector<Diagnostic> problems; // one for each file that is missing, changed, no plain file or behind a link
};
/// `progressed`, which may be empty, gets how many files are done, again and again; what it throws ends the work.
Verified verify(const std::filesystem::path& folder, const std::vector<ListedFile>& files,
                const std::function<void(size_t)>& progressed = {});

} // namespace lathe::data
