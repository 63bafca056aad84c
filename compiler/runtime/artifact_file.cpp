// SPDX-License-Identifier: Apache-2.0
//
// Reads trailer and ELF headers, then maps constants and code.
#include "runtime/artifact_file.h"

#include "runtime/code_hash.h"
#include "runtime/cpu.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::runtime {

namespace {

constexpr uint64_t constantsAlignment = 4096;

class File {
public:
    explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {}
    ~File() {
        if (descriptor_ >= 0)
            close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int descriptor() const { return descriptor_; }

    bool read(void* to, size_t bytes, uint64_t offset) const {
        char* at = static_cast<char*>(to);
        while (bytes > 0) {
            const ssize_t got = pread(descriptor_, at, bytes, static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return false;
            at += got;
            bytes -= static_cast<size_t>(got);
            offset += static_cast<uint64_t>(got);
        }
        return true;
    }

private:
    int descriptor_;
};

lathe_status checkTrailer(const lathe_trailer& trailer, uint64_t size, const char* path, ErrorText& error) {
    if (std::memcmp(trailer.magic, LATHE_TRAILER_MAGIC, sizeof trailer.magic) != 0)
        return error.set(LATHE_BAD_ARTIFACT, "%s is not a Lathe artifact, or was cut off: its trailer is missing",
                         path);
    const uint64_t end = size - sizeof(lathe_trailer);
    if (trailer.offset % constantsAlignment != 0 || trailer.offset > end || trailer.bytes > end - trailer.offset)
        return error.set(LATHE_BAD_ARTIFACT, "%s: constants of %llu bytes at %llu do not lie in a file of %llu bytes",
                         path, static_cast<unsigned long long>(trailer.bytes),
                         static_cast<unsigned long long>(trailer.offset), static_cast<unsigned long long>(size));
    return LATHE_OK;
}

/// That it is code for this machine, and that its segments lie before `codeEnd`.
lathe_status checkCode(const File& file, uint64_t codeEnd, const char* path, ErrorText& error) {
    Elf64_Ehdr header;
    if (codeEnd < sizeof header || !file.read(&header, sizeof header, 0))
        return error.set(LATHE_BAD_ARTIFACT, "%s: the code is too short", path);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        if (const lathe_status bad = checkMachine(header.e_machine, header.e_ident[EI_DATA], path, error))
            return bad;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr))
        return error.set(LATHE_BAD_ARTIFACT, "%s: its code is not a 64-bit ELF shared object", path);
    if (header.e_phoff > codeEnd || uint64_t{header.e_phnum} * sizeof(Elf64_Phdr) > codeEnd - header.e_phoff)
        return error.set(LATHE_BAD_ARTIFACT, "%s: the table of its segments lies outside of its code", path);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!file.read(&segment, sizeof segment, header.e_phoff + i * sizeof segment))
            return error.set(LATHE_IO_ERROR, "cannot read %s: %s", path, std::strerror(errno));
        if (segment.p_offset > codeEnd || segment.p_filesz > codeEnd - segment.p_offset)
            return error.set(LATHE_BAD_ARTIFACT, "%s: segment %u lies outside of its code", path, i);
    }
    return LATHE_OK;
}

/// A path of the open file that no other load has used. The loader takes a path that it has seen for the library that it
/// loaded by it, and numbers of descriptors are used again. "./" and "/" in a path mean nothing: they spell where
/// this runtime counts, and the count.
std::string uniquePath(int descriptor) {
    static std::atomic<uint64_t> loads; // of this runtime: a process may have several, of several bundles
    std::string path = "/proc/self/fd/";
    const auto own = reinterpret_cast<uintptr_t>(&loads);
    for (int bit = 0; bit < 64; ++bit)
        path += uint64_t{own} >> bit & 1 ? "./" : "/";
    for (uint64_t count = ++loads; count > 0; count >>= 1)
        path += count & 1 ? "./" : "/";
    return path + std::to_string(descriptor);
}

/// What to load the open file by. Where there is no /proc, as in a bare chroot, it is the path, if that still leads to it.
std::string loadPath(int descriptor, const char* path) {
    const std::string unique = uniquePath(descriptor);
    if (access(unique.c_str(), F_OK) == 0)
        return unique;
    const File again(path);
    struct stat opened{}, named{};
    if (fstat(descriptor, &opened) != 0 || again.descriptor() < 0 || fstat(again.descriptor(), &named) != 0 ||
        opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        return unique;
    return std::strchr(path, '/') ? path : "./" + std::string(path); // a bare name would be looked for elsewhere
}

/// That the code is what was written: a flipped bit in it would crash, or compute something else.
lathe_status checkHash(const File& file, const lathe_trailer& trailer, const char* path, ErrorText& error) {
    constexpr uint64_t piece = uint64_t{1} << 18;
    const std::unique_ptr<char[]> bytes(new char[piece]);
    CodeHash hash;
    for (uint64_t at = 0; at < trailer.offset; at += piece) {
        const size_t count = std::min(piece, trailer.offset - at);
        if (!file.read(bytes.get(), count, at))
            return error.set(LATHE_IO_ERROR, "cannot read %s: %s", path, std::strerror(errno));
        hash.add(bytes.get(), count);
    }
    if (hash.finish() != trailer.code_hash)
        return error.set(LATHE_BAD_ARTIFACT, "%s: its code is damaged, or was not written by this version", path);
    return LATHE_OK;
}

} // namespace

ArtifactFile::~ArtifactFile() {
    if (code_)
        dlclose(code_);
    if (mapping_)
        munmap(mapping_, mappingBytes_);
}

lathe_status ArtifactFile::load(const char* path, ErrorText& error) {
    const File file(path);
    struct stat status{};
    if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0)
        return error.set(LATHE_IO_ERROR, "cannot open %s: %s", path, std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error.set(LATHE_IO_ERROR, "%s is not a regular file", path);
    const uint64_t size = static_cast<uint64_t>(status.st_size);
    lathe_trailer trailer{};
    if (size < sizeof trailer || !file.read(&trailer, sizeof trailer, size - sizeof trailer))
        return error.set(LATHE_BAD_ARTIFACT, "%s is not a Lathe artifact: it has only %llu bytes", path,
                         static_cast<unsigned long long>(size));
    if (const lathe_status bad = checkTrailer(trailer, size, path, error))
        return bad;
    if (const lathe_status bad = checkCode(file, trailer.offset, path, error))
        return bad;
    if (const lathe_status bad = checkHash(file, trailer, path, error))
        return bad;
    if (const lathe_status bad = mapConstants(file.descriptor(), trailer, path, error))
        return bad;

    code_ = dlopen(loadPath(file.descriptor(), path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!code_)
        return error.set(LATHE_BAD_ARTIFACT, "cannot load %s: %s", path, dlerror());
    desc_ = static_cast<const lathe_model_desc*>(dlsym(code_, "lathe_model"));
    if (!desc_)
        return error.set(LATHE_BAD_ARTIFACT, "%s exports no lathe_model", path);
    return LATHE_OK;
}

lathe_status ArtifactFile::mapConstants(int file, const lathe_trailer& trailer, const char* path, ErrorText& error) {
    constantBytes_ = static_cast<int64_t>(trailer.bytes);
    if (trailer.bytes == 0)
        return LATHE_OK;
    // Pages may be larger than the 4096 bytes that artifacts are aligned to.
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t before = trailer.offset % page;
    void* mapping = mmap(nullptr, before + trailer.bytes, PROT_READ, MAP_PRIVATE, file,
                         static_cast<off_t>(trailer.offset - before));
    if (mapping == MAP_FAILED)
        return error.set(LATHE_OUT_OF_MEMORY, "cannot map %llu bytes of constants of %s: %s",
                         static_cast<unsigned long long>(trailer.bytes), path, std::strerror(errno));
    mapping_ = mapping;
    mappingBytes_ = before + trailer.bytes;
    constants_ = static_cast<const char*>(mapping_) + before;
    return LATHE_OK;
}

} // namespace lathe::runtime
