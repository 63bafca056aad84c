// SPDX-License-Identifier: Apache-2.0
//
// LLD in process. It keeps global state, so one link at a time. Objects go in through anonymous memory files; the
// result, which LLD writes by renaming, through a temporary file that is gone when this returns.
#include "codegen/codegen.h"

#include <fmt/format.h>
#include <fstream>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace lathe::codegen {
namespace {

/// An anonymous file with these bytes; its path stays readable while this lives.
class MemoryFile {
public:
    MemoryFile(const char* name, std::span<const std::byte> bytes) : fd_(memfd_create(name, MFD_CLOEXEC)) {
        ok_ = fd_ >= 0;
        while (ok_ && !bytes.empty()) {
            ssize_t written = write(fd_, bytes.data(), bytes.size());
            ok_ = written > 0;
            if (ok_)
                bytes = bytes.subspan(static_cast<size_t>(written));
        }
    }
    MemoryFile(MemoryFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), ok_(other.ok_) {}
    MemoryFile(const MemoryFile&) = delete;
    ~MemoryFile() {
        if (fd_ >= 0)
            close(fd_);
    }
    bool ok() const { return ok_; }
    std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

private:
    int fd_;
    bool ok_ = false;
};

std::span<const std::byte> asBytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

Result<std::vector<std::byte>> readAll(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::vector<std::byte> bytes(file ? static_cast<size_t>(file.tellg()) : 0);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file || bytes.empty())
        return failure("cannot read the linked object " + path);
    return bytes;
}

} // namespace

Result<std::vector<std::byte>> linkShared(const std::vector<std::vector<std::byte>>& objects,
                                          const std::vector<std::string>& exports) {
    std::vector<MemoryFile> files;
    for (const std::vector<std::byte>& object : objects)
        files.emplace_back("lathe-object", object);
    std::string script = "{ global: ";
    for (const std::string& name : exports)
        script += name + "; ";
    script += "local: *; };\n";
    files.emplace_back("lathe-exports", asBytes(script));

    const char* directory = getenv("TMPDIR");
    std::string output = fmt::format("{}/lathe-link-XXXXXX", directory && *directory ? directory : "/tmp");
    int fd = mkstemp(output.data());
    if (fd < 0)
        return failure("cannot make a temporary file in " + output);
    close(fd);

    std::vector<std::string> args{"ld.lld",
                                  "-shared",
                                  "--no-undefined",
                                  "-Bsymbolic",
                                  "--build-id=none",
                                  "-z",
                                  "noexecstack",
                                  "--threads=1",
                                  "-o",
                                  output,
                                  "--version-script=" + files.back().path()};
    for (size_t i = 0; i + 1 < files.size(); ++i) {
        if (!files[i].ok()) {
            unlink(output.c_str());
            return failure("cannot hold an object in memory to link it");
        }
        args.push_back(files[i].path());
    }
    std::vector<const char*> argv;
    for (const std::string& arg : args)
        argv.push_back(arg.c_str());
    std::string messages;
    llvm::raw_string_ostream out(messages);
    bool good = false;
    {
        static std::mutex mutex;
        std::lock_guard lock(mutex);
        good = lld::lldMain(argv, out, out, {{lld::Gnu, &lld::elf::link}}).retCode == 0;
    }
    Result<std::vector<std::byte>> result =
        good ? readAll(output) : Result<std::vector<std::byte>>(failure("linking failed: " + messages));
    unlink(output.c_str());
    return result;
}

} // namespace lathe::codegen
