// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets.h"

#include <sys/mman.h>
#include <unistd.h>

namespace lathe::fuzz {
namespace {

constexpr Target all[] = {
    {"import", importModel, [](std::string bytes, Random& random) { return mutateFields(bytes, random); }},
    {"relay", readRelay, mutateText},
    {"tir", readTir, mutateText},
    {"trace", replayTrace, mutateText},
    {"artifact", loadArtifact, nullptr},
    {"manifest", readManifest, mutateText},
    {"requests", serveRequests, nullptr},
    {"replies", readReplies, nullptr},
    {"tensor", readTensorFile, nullptr},
    {"records", importRecords, mutateText},
};

} // namespace

std::span<const Target> targets() {
    return all;
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0, "a file in memory");
    require(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "its bytes");
    lseek(descriptor_, 0, SEEK_SET);
}

MemoryFile::~MemoryFile() {
    close(descriptor_);
}

std::string MemoryFile::path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

} // namespace lathe::fuzz
