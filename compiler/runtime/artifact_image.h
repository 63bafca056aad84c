// SPDX-License-Identifier: Apache-2.0
//
// An artifact as an ELF image: its segments, where among them its trailer is, and the hash of its code. Who writes artifacts and
// who loads them read them by this. Tools that packagers run (strip, objcopy, patchelf) move parts of the file, add segments and
// rewrite the tables that are about the file. So all is found by segments, never by the end of the file, and the hash is of what
// they leave alone:
//   - contents of the sections that the trailer lists, by their addresses;
//   - dynamic symbols without their section numbers, and the tables that find them, wherever they lie;
//   - entries of the dynamic section without places of these, the table of names and search paths;
//   - type, flags, address and size in memory of the segments up to the trailer's, and of what protects memory.
// What it leaves out is checked otherwise: places in the file, and the table of names.
#pragma once

#include "abi/abi.h"

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <functional>
#include <vector>

namespace lathe::runtime {

/// Reads so many bytes at an offset of the file; false: it cannot.
using ReadBytes = std::function<bool(void* to, size_t bytes, uint64_t offset)>;

struct ArtifactImage {
    ReadBytes read;
    uint64_t size = 0; // of the file
    Elf64_Ehdr header{};
    std::vector<Elf64_Phdr> segments; // each lies within the file
    size_t last = 0;                  // the segment that ends with the trailer
    lathe_trailer trailer{};

    uint64_t constantsOffset() const { return segments[last].p_offset; }
};

/// Null if the header was read, else what is wrong. Its fields may be of any machine.
const char* readHeader(ArtifactImage& image);
/// Null if the segments were read too, else what is wrong: "its code is not a 64-bit ELF shared object".
const char* readSegments(ArtifactImage& image);
/// Fills last and trailer; null, or what is wrong.
const char* findTrailer(ArtifactImage& image);
/// Whether the file was written before constants were part of the image: it is to be compiled again.
bool isOldArtifact(const ReadBytes& read, uint64_t size);

/// Null and the hash, or what is wrong.
const char* hashCode(const ArtifactImage& image, uint64_t& hash);
/// Of `bytes` from `offset` on.
bool hashBytes(const ReadBytes& read, uint64_t offset, uint64_t bytes, uint64_t& hash);

/// Bytes of the last segment in the file.
uint64_t lastSegmentBytes(const lathe_trailer& trailer);

} // namespace lathe::runtime
