// SPDX-License-Identifier: Apache-2.0
#include "runtime/artifact_image.h"

#include "runtime/content_hash.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

namespace lathe::runtime {

namespace {

constexpr uint64_t constantAlignment = 64;
constexpr size_t mostSegments = 64, mostEntries = 1024;
constexpr uint64_t mostTableBytes = uint64_t{1} << 20;

bool isIn(uint64_t offset, uint64_t bytes, uint64_t size) {
    return offset <= size && bytes <= size - offset;
}

/// The place in the file of addresses that one loaded segment has there; false: none has.
bool offsetOf(const ArtifactImage& image, uint64_t address, uint64_t bytes, uint64_t& offset) {
    for (const Elf64_Phdr& segment : image.segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            isIn(address - segment.p_vaddr, bytes, segment.p_filesz)) {
            offset = segment.p_offset + (address - segment.p_vaddr);
            return true;
        }
    return false;
}

bool addBytes(ContentHash& hash, const ReadBytes& read, uint64_t offset, uint64_t bytes) {
    constexpr uint64_t piece = uint64_t{1} << 18;
    const std::unique_ptr<char[]> buffer(new char[piece]);
    for (uint64_t at = 0; at < bytes; at += piece) {
        const size_t count = std::min(piece, bytes - at);
        if (!read(buffer.get(), count, offset + at))
            return false;
        hash.add(buffer.get(), count);
    }
    return true;
}

void addNumber(ContentHash& hash, uint64_t number) {
    hash.add(&number, sizeof number);
}

bool addSymbols(ContentHash& hash, const ArtifactImage& image, uint64_t address) {
    uint64_t offset = 0;
    const uint64_t bytes = image.trailer.symbols_bytes;
    if (bytes > mostTableBytes || !offsetOf(image, address, bytes, offset))
        return false;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= bytes; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (!image.read(&symbol, sizeof symbol, offset + at))
            return false;
        symbol.st_shndx = symbol.st_shndx == SHN_UNDEF ? 0 : 1;
        hash.add(&symbol, sizeof symbol);
    }
    return true;
}

bool addTable(ContentHash& hash, const ArtifactImage& image, uint64_t address, uint64_t bytes) {
    uint64_t offset = 0;
    return bytes == 0 || (bytes <= mostTableBytes && offsetOf(image, address, bytes, offset) &&
                          addBytes(hash, image.read, offset, bytes));
}

/// Also that the table of names lies in the image and ends with the end of a name: the loader reads names up to that.
bool addDynamic(ContentHash& hash, const ArtifactImage& image) {
    const auto dynamic = std::find_if(image.segments.begin(), image.segments.end(),
                                      [](const Elf64_Phdr& segment) { return segment.p_type == PT_DYNAMIC; });
    uint64_t offset = 0;
    if (dynamic == image.segments.end() || dynamic->p_filesz / sizeof(Elf64_Dyn) > mostEntries ||
        !offsetOf(image, dynamic->p_vaddr, dynamic->p_filesz, offset) || offset != dynamic->p_offset)
        return false;
    bool ended = false;
    std::map<int64_t, uint64_t> tables; // by tag
    std::vector<std::pair<int64_t, uint64_t>> entries;
    for (uint64_t at = 0; !ended && at + sizeof(Elf64_Dyn) <= dynamic->p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        if (!image.read(&entry, sizeof entry, offset + at))
            return false;
        switch (entry.d_tag) {
        case DT_NULL:
            ended = true;
            break;
        case DT_STRTAB:
        case DT_STRSZ:
        case DT_SYMTAB:
        case DT_GNU_HASH:
        case DT_HASH:
            if (!tables.emplace(entry.d_tag, entry.d_un.d_val).second)
                return false;
            break;
        case DT_RPATH:
        case DT_RUNPATH:
            break;
        default:
            entries.emplace_back(entry.d_tag, entry.d_un.d_val);
        }
    }
    std::sort(entries.begin(), entries.end());
    for (const auto& [tag, value] : entries) {
        addNumber(hash, static_cast<uint64_t>(tag));
        addNumber(hash, value);
    }
    const lathe_trailer& trailer = image.trailer;
    for (const auto& [tag, bytes] : {std::pair{DT_GNU_HASH, trailer.gnu_hash_bytes}, {DT_HASH, trailer.hash_bytes}})
        if (tables.contains(tag) != (bytes > 0))
            return false;
    const uint64_t names = tables[DT_STRTAB], namesBytes = tables[DT_STRSZ];
    char end = 1;
    return ended && addSymbols(hash, image, tables[DT_SYMTAB]) &&
           addTable(hash, image, tables[DT_GNU_HASH], trailer.gnu_hash_bytes) &&
           addTable(hash, image, tables[DT_HASH], trailer.hash_bytes) && namesBytes > 0 &&
           offsetOf(image, names, namesBytes, offset) && image.read(&end, 1, offset + namesBytes - 1) && end == 0;
}

void addSegments(ContentHash& hash, const ArtifactImage& image) {
    const uint64_t end = image.segments[image.last].p_vaddr;
    std::vector<Elf64_Phdr> sorted = image.segments;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Elf64_Phdr& a, const Elf64_Phdr& b) {
        return std::pair(a.p_type, a.p_vaddr) < std::pair(b.p_type, b.p_vaddr);
    });
    for (const Elf64_Phdr& segment : sorted) {
        const bool protects =
            segment.p_type == PT_GNU_RELRO || segment.p_type == PT_GNU_STACK || segment.p_type == PT_TLS;
        if (!protects && (segment.p_type != PT_LOAD || segment.p_vaddr > end))
            continue;
        addNumber(hash, uint64_t{segment.p_type} << 32 | segment.p_flags);
        addNumber(hash, segment.p_type == PT_GNU_STACK ? 0 : segment.p_vaddr);
        addNumber(hash, segment.p_type == PT_GNU_STACK ? 0 : segment.p_memsz);
    }
}

} // namespace

uint64_t lastSegmentBytes(const lathe_trailer& trailer) {
    const uint64_t bytes = trailer.weights_apart ? 0 : trailer.bytes;
    return (bytes + constantAlignment - 1) / constantAlignment * constantAlignment + sizeof(lathe_trailer);
}

const char* readHeader(ArtifactImage& image) {
    if (image.size < sizeof image.header || !image.read(&image.header, sizeof image.header, 0))
        return "it is too short for an artifact";
    return std::memcmp(image.header.e_ident, ELFMAG, SELFMAG) == 0 ? nullptr : "it is not a Lathe artifact";
}

const char* readSegments(ArtifactImage& image) {
    const Elf64_Ehdr& header = image.header;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr))
        return "its code is not a 64-bit ELF shared object";
    if (header.e_phnum > mostSegments || !isIn(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), image.size))
        return "the table of its segments lies outside of it";
    image.segments.resize(header.e_phnum);
    if (!image.read(image.segments.data(), header.e_phnum * sizeof(Elf64_Phdr), header.e_phoff))
        return "the table of its segments cannot be read";
    for (const Elf64_Phdr& segment : image.segments)
        if (!isIn(segment.p_offset, segment.p_filesz, image.size))
            return "a segment lies outside of it: it was cut off";
        else if (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz)
            return "a segment holds more than it takes in memory";
    return nullptr;
}

const char* findTrailer(ArtifactImage& image) {
    for (size_t i = 0; i < image.segments.size(); ++i) {
        const Elf64_Phdr& segment = image.segments[i];
        lathe_trailer& trailer = image.trailer;
        if (segment.p_type != PT_LOAD || segment.p_filesz < sizeof trailer ||
            !image.read(&trailer, sizeof trailer, segment.p_offset + segment.p_filesz - sizeof trailer) ||
            std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof trailer.magic) != 0)
            continue;
        image.last = i;
        // Twice: near 2^64 the first may come out right by wrapping.
        const bool fits = trailer.bytes <= segment.p_filesz || trailer.weights_apart;
        return fits && lastSegmentBytes(trailer) == segment.p_filesz ? nullptr
                                                                     : "its constants do not fit their segment";
    }
    return "it has no constants of Lathe: it is not an artifact";
}

bool isOldArtifact(const ReadBytes& read, uint64_t size) {
    char magic[8];
    return size >= sizeof magic && read(magic, sizeof magic, size - sizeof magic) &&
           std::memcmp(magic, "LATHEWTS", sizeof magic) == 0;
}

const char* hashCode(const ArtifactImage& image, uint64_t& hash) {
    ContentHash content;
    for (const lathe_range& range : image.trailer.code) {
        uint64_t offset = 0;
        if (range.bytes == 0)
            continue;
        if (!offsetOf(image, range.address, range.bytes, offset))
            return "a part of its code is missing";
        addNumber(content, range.address);
        if (!addBytes(content, image.read, offset, range.bytes))
            return "its code cannot be read";
    }
    if (!addDynamic(content, image))
        return "its dynamic section is damaged";
    addSegments(content, image);
    hash = content.finish();
    return nullptr;
}

bool hashBytes(const ReadBytes& read, uint64_t offset, uint64_t bytes, uint64_t& hash) {
    ContentHash content;
    if (!addBytes(content, read, offset, bytes))
        return false;
    hash = content.finish();
    return true;
}

} // namespace lathe::runtime
