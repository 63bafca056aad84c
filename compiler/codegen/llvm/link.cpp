// SPDX-License-Identifier: Apache-2.0
//
// LLD in process. It keeps global state, so one link at a time. Objects go in through files in memory, the result comes
// out through a pipe: nothing of a link is ever on disk.
#include "base/memory_file.h"
#include "codegen/codegen.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace lathe::codegen {
namespace {

/// What LLD writes, caught without a file: LLD writes to a pipe as it stands, where it would put a file beside a regular
/// one and rename it.
class Output {
public:
    Output() {
        if (pipe2(ends_, O_CLOEXEC) == 0)
            reader_ = std::thread([this] { readAll(); });
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() { (void)take(); }
    bool ok() const { return reader_.joinable(); }
    std::string path() const { return fmt::format("/proc/self/fd/{}", ends_[1]); }
    /// All that was written; nothing more can be.
    std::vector<std::byte> take() {
        if (ok()) {
            close(ends_[1]);
            reader_.join();
            close(ends_[0]);
        }
        return std::move(bytes_);
    }

private:
    void readAll() {
        for (;;) {
            const size_t before = bytes_.size();
            bytes_.resize(before + piece);
            const ssize_t got = read(ends_[0], bytes_.data() + before, piece);
            bytes_.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
            if (got == 0 || (got < 0 && errno != EINTR))
                return;
        }
    }

    static constexpr size_t piece = size_t{1} << 16;
    int ends_[2] = {-1, -1}; // read, write
    std::vector<std::byte> bytes_;
    std::thread reader_;
};

std::span<const std::byte> asBytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

} // namespace

Result<std::vector<std::byte>> linkShared(const std::vector<std::vector<std::byte>>& objects,
                                          const std::vector<std::string>& exports) {
    std::vector<MemoryFile> files;
    auto hold = [&](const char* name, std::span<const std::byte> bytes) {
        return files.emplace_back(name).append(bytes);
    };
    for (const std::vector<std::byte>& object : objects)
        LATHE_CHECKED(hold("lathe-object", object));
    std::string script = "{ global: ";
    for (const std::string& name : exports)
        script += name + "; ";
    script += "local: *; };\n";
    LATHE_CHECKED(hold("lathe-exports", asBytes(script)));
    Output output;
    if (!output.ok())
        return failure(fmt::format("cannot make a pipe for the linker: {}", std::strerror(errno)));

    std::vector<std::string> args{"ld.lld",
                                  "-shared",
                                  "--no-undefined",
                                  "-Bsymbolic",
                                  "--build-id=none",
                                  "-z",
                                  "noexecstack",
                                  "--threads=1",
                                  "-o",
                                  output.path(),
                                  "--version-script=" + files.back().path().string()};
    for (size_t i = 0; i + 1 < files.size(); ++i)
        args.push_back(files[i].path().string());
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
    std::vector<std::byte> linked = output.take();
    if (!good || linked.empty())
        return failure("linking failed: " + messages);
    return linked;
}

} // namespace lathe::codegen
