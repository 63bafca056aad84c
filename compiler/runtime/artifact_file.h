// SPDX-License-Identifier: Apache-2.0
//
// An artifact on disk: a shared object whose last segment holds the constants (runtime/artifact_image.h), or which has them in
// a file beside it. It is checked before the loader sees it, because the loader trusts what it maps: a truncated file would be
// a SIGBUS. What is checked, mapped and loaded is one open file, whatever its path names by then; verify()
// opens a file of weights once more.
#pragma once

#include "runtime/error_text.h"

#include <cstdint>

namespace lathe::runtime {

/// Owns what is mapped: code and constants.
class ArtifactFile {
public:
    ArtifactFile() = default;
    ~ArtifactFile();
    ArtifactFile(const ArtifactFile&) = delete;
    ArtifactFile& operator=(const ArtifactFile&) = delete;

    lathe_status load(const char* path, ErrorText& error);
    /// Reads all of it: whether code and constants are what was written. Loading looks at the code alone.
    static lathe_status verify(const char* path, ErrorText& error);

    const lathe_model_desc* desc() const { return desc_; }
    const char* constants() const { return constants_; }
    int64_t constantBytes() const { return constantBytes_; }

private:
    lathe_status mapWeights(const char* path, const lathe_trailer& trailer, ErrorText& error);

    void* code_ = nullptr;    // of dlopen
    void* mapping_ = nullptr; // of constants in a file of their own
    uint64_t mappingBytes_ = 0;
    const lathe_model_desc* desc_ = nullptr;
    const char* constants_ = nullptr;
    int64_t constantBytes_ = 0;
};

} // namespace lathe::runtime
