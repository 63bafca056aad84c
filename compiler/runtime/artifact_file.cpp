// SPDX-License-Identifier: Apache-2.0
//
// Reads and checks headers and trailer, then has the loader map code and constants.
#include "runtime/artifact_file.h"

#include "runtime/artifact_image.h"
#include "runtime/cpu.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace lathe::runtime {

namespace {

class File {
public:
    /// A pipe would wait for who writes to it.
    explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
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

lathe_status damaged(const char* path, const char* what, ErrorText& error) {
    return error.set(LATHE_BAD_ARTIFACT, "%s: %s", path, what);
}

/// Opens what is to be loaded or verified: that it is a plain file, and an artifact whose parts lie in it.
lathe_status readImage(const File& file, const char* path, ArtifactImage& image, ErrorText& error) {
    struct stat status{};
    if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0)
        return error.set(LATHE_IO_ERROR, "cannot open %s: %s", path, std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error.set(LATHE_IO_ERROR, "%s is not a regular file", path);
    image.read = [&file](void* to, size_t bytes, uint64_t offset) { return file.read(to, bytes, offset); };
    image.size = static_cast<uint64_t>(status.st_size);
    if (const char* bad = readHeader(image))
        return damaged(path, bad, error);
    if (const lathe_status bad = checkMachine(image.header.e_machine, image.header.e_ident[EI_DATA], path, error))
        return bad;
    if (const char* bad = readSegments(image))
        return damaged(path, bad, error);
    if (isOldArtifact(image.read, image.size))
        return damaged(path, "it was made by an older Lathe: compile the model again", error);
    if (const char* bad = findTrailer(image))
        return damaged(path, bad, error);
    return LATHE_OK;
}

/// That the code is what was written: a flipped bit in it would crash, or compute something else.
lathe_status checkCode(const ArtifactImage& image, const char* path, ErrorText& error) {
    uint64_t hash = 0;
    if (const char* bad = hashCode(image, hash))
        return damaged(path, bad, error);
    if (hash != image.trailer.code_hash)
        return damaged(path, "its code is damaged, or was not written by this version", error);
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

/// NAME.weights for NAME.so.
std::string weightsPath(const char* path) {
    const std::string name = path;
    const size_t dot = name.rfind('.'), slash = name.rfind('/');
    const bool extension = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) && dot > 0;
    return (extension ? name.substr(0, dot) : name) + ".weights";
}

/// That the file of weights is the one that was written with the artifact.
lathe_status checkWeights(const File& file, const lathe_trailer& trailer, const char* path, const char* artifact,
                          ErrorText& error) {
    struct stat status{};
    if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0)
        return error.set(LATHE_IO_ERROR, "cannot open %s, which holds the constants of %s: %s", path, artifact,
                         std::strerror(errno));
    lathe_weights_trailer found{};
    const auto size = static_cast<uint64_t>(status.st_size);
    if (!S_ISREG(status.st_mode) || size < sizeof found || !file.read(&found, sizeof found, size - sizeof found) ||
        std::memcmp(found.magic, LATHE_WEIGHTS_MAGIC, sizeof found.magic) != 0)
        return damaged(path, "it is no file of constants, or was cut off", error);
    if (found.bytes != size - sizeof found || found.bytes != trailer.bytes ||
        found.constants_hash != trailer.constants_hash)
        return error.set(LATHE_BAD_ARTIFACT, "%s holds the constants of another model than %s: copy both files again",
                         path, artifact);
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
    ArtifactImage image;
    if (const lathe_status bad = readImage(file, path, image, error))
        return bad;
    if (const lathe_status bad = checkCode(image, path, error))
        return bad;

    const std::string loaded = loadPath(file.descriptor(), path);
    code_ = dlopen(loaded.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!code_) {
        const char* words = dlerror();
        std::string why = words ? words : "no reason is given";
        if (why.starts_with(loaded + ": ")) // the number of a descriptor, to whoever reads it
            why.erase(0, loaded.size() + 2);
        struct statvfs disk{};
        if (why.find("failed to map") != std::string::npos && fstatvfs(file.descriptor(), &disk) == 0 &&
            (disk.f_flag & ST_NOEXEC))
            return error.set(LATHE_UNSUPPORTED, "cannot load %s: its disk is mounted noexec: copy it to another", path);
        return error.set(LATHE_BAD_ARTIFACT, "cannot load %s: %s", path, why.c_str());
    }
    desc_ = static_cast<const lathe_model_desc*>(dlsym(code_, "lathe_model"));
    if (!desc_)
        return error.set(LATHE_BAD_ARTIFACT, "%s exports no lathe_model", path);
    constantBytes_ = static_cast<int64_t>(image.trailer.bytes);
    if (image.trailer.weights_apart)
        return mapWeights(path, image.trailer, error);

    // They are part of what the loader has mapped; pages come in when they are read.
    Dl_info where{};
    const uint64_t address = image.segments[image.last].p_vaddr;
    if (!dladdr(desc_, &where) || !where.dli_fbase)
        return error.set(LATHE_BAD_ARTIFACT, "%s: the loader does not say where it lies", path);
    constants_ = static_cast<const char*>(where.dli_fbase) + address;
    return LATHE_OK;
}

lathe_status ArtifactFile::verify(const char* path, ErrorText& error) {
    const File file(path);
    ArtifactImage image;
    if (const lathe_status bad = readImage(file, path, image, error))
        return bad;
    if (const lathe_status bad = checkCode(image, path, error))
        return bad;
    const lathe_trailer& trailer = image.trailer;
    const std::string weights = trailer.weights_apart ? weightsPath(path) : path;
    const File apart(weights.c_str());
    if (trailer.weights_apart)
        if (const lathe_status bad = checkWeights(apart, trailer, weights.c_str(), path, error))
            return bad;
    uint64_t hash = 0;
    const ReadBytes read = [&apart](void* to, size_t bytes, uint64_t at) { return apart.read(to, bytes, at); };
    if (!hashBytes(read, trailer.weights_apart ? 0 : image.constantsOffset(), trailer.bytes, hash))
        return error.set(LATHE_IO_ERROR, "cannot read %s: %s", weights.c_str(), std::strerror(errno));
    if (hash != trailer.constants_hash)
        return damaged(weights.c_str(), "its constants are damaged: copy the file again", error);
    return LATHE_OK;
}

lathe_status ArtifactFile::mapWeights(const char* path, const lathe_trailer& trailer, ErrorText& error) {
    const std::string weights = weightsPath(path);
    const File file(weights.c_str());
    if (const lathe_status bad = checkWeights(file, trailer, weights.c_str(), path, error))
        return bad;
    if (trailer.bytes == 0)
        return LATHE_OK;
    void* mapping = mmap(nullptr, trailer.bytes, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (mapping == MAP_FAILED)
        return error.set(LATHE_OUT_OF_MEMORY, "cannot map the %llu bytes of %s: %s",
                         static_cast<unsigned long long>(trailer.bytes), weights.c_str(), std::strerror(errno));
    mapping_ = mapping;
    mappingBytes_ = trailer.bytes;
    constants_ = static_cast<const char*>(mapping_);
    return LATHE_OK;
}

} // namespace lathe::runtime
