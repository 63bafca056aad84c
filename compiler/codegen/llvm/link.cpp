// SPDX-License-Identifier: Apache-2.0
//
// LLD in process. It keeps global state, so one link at a time, and none begins with what the last one left. Objects go in
// through files in memory, the result comes out through a pipe: nothing of a link is ever on disk.
#include "codegen/link.h"
#include "base/memory_file.h"
#include "codegen/codegen.h"
#include "codegen/llvm/static_library.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

// LLD's pointers to symbols that it defines itself. LLD 19 frees these symbols with a link, but forgets the pointers only where
// the next one defines the same: a shared object after a static program is written to freed memory.
namespace lld::elf {
class Defined;
struct ElfSym {
    static Defined *bss, *etext1, *etext2, *edata1, *edata2, *end1, *end2, *globalOffsetTable, *mipsGp, *mipsGpDisp,
        *mipsLocalGp, *riscvGlobalPointer, *relaIpltStart, *relaIpltEnd, *tlsModuleBase;
};
} // namespace lld::elf

namespace lathe::codegen {
namespace {

void forgetSymbols() {
    using S = lld::elf::ElfSym;
    for (lld::elf::Defined** symbol : {&S::bss, &S::etext1, &S::etext2, &S::edata1, &S::edata2, &S::end1, &S::end2,
                                       &S::globalOffsetTable, &S::mipsGp, &S::mipsGpDisp, &S::mipsLocalGp,
                                       &S::riscvGlobalPointer, &S::relaIpltStart, &S::relaIpltEnd, &S::tlsModuleBase})
        *symbol = nullptr;
}

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

/// Runs LLD with these arguments and what says where the result goes.
Result<std::vector<std::byte>> runLinker(std::vector<std::string> args) {
    Output output;
    if (!output.ok())
        return failure(fmt::format("cannot make a pipe for the linker: {}", std::strerror(errno)));
    args.insert(args.end(), {"-o", output.path()});
    std::vector<const char*> argv;
    for (const std::string& arg : args)
        argv.push_back(arg.c_str());
    std::string messages;
    llvm::raw_string_ostream out(messages);
    bool good = false;
    {
        static std::mutex mutex;
        std::lock_guard lock(mutex);
        forgetSymbols();
        good = lld::lldMain(argv, out, out, {{lld::Gnu, &lld::elf::link}}).retCode == 0;
    }
    std::vector<std::byte> linked = output.take();
    if (!good || linked.empty())
        return failure("linking failed: " + messages);
    return linked;
}

/// Files in memory of these, and their paths.
struct Held {
    std::vector<MemoryFile> files;

    Result<void> add(const char* name, std::span<const std::byte> bytes) {
        return files.emplace_back(name).append(bytes);
    }
    Result<void> add(const std::vector<std::vector<std::byte>>& objects) {
        for (const std::vector<std::byte>& object : objects)
            LATHE_CHECKED(add("lathe-object", object));
        return {};
    }
    std::vector<std::string> paths() const {
        std::vector<std::string> all;
        for (const MemoryFile& file : files)
            all.push_back(file.path().string());
        return all;
    }
};

} // namespace

Result<std::vector<std::byte>> linkShared(const std::vector<std::vector<std::byte>>& objects,
                                          const std::vector<std::string>& exports) {
    Held held;
    LATHE_CHECKED(held.add(objects));
    std::vector<std::string> args{"ld.lld",          "-shared", "--no-undefined", "-Bsymbolic",
                                  "--build-id=none", "-z",      "noexecstack",    "--threads=1"};
    std::ranges::copy(held.paths(), std::back_inserter(args));
    std::string script = "{ global: ";
    for (const std::string& name : exports)
        script += name + "; ";
    script += "local: *; };\n";
    LATHE_CHECKED(held.add("lathe-exports", asBytes(script)));
    args.push_back("--version-script=" + held.files.back().path().string());
    return runLinker(std::move(args));
}

std::string linkedSymbol(std::string_view name) {
    std::string symbol;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (letter || (c >= '0' && c <= '9' && !symbol.empty()))
            symbol += c;
        else
            symbol += fmt::format("_{:02x}_", static_cast<unsigned char>(c));
    }
    return symbol + "_lathe_model";
}

Result<std::vector<std::byte>> linkLibrary(const std::vector<std::vector<std::byte>>& objects,
                                           const std::filesystem::path& moreObjects, const std::string& symbol,
                                           const std::string& member) {
    Held held;
    LATHE_CHECKED(held.add(objects));
    // Files in memory have paths of the process; without symbols of files the result does not tell them.
    std::vector<std::string> args{"ld.lld", "-r", "--threads=1", moreObjects.string()};
    std::ranges::copy(held.paths(), std::back_inserter(args));
    LATHE_TRY(std::vector<std::byte> linked, runLinker(std::move(args)));
    return libraryOf(std::move(linked), symbol, member);
}

std::vector<std::string> programArguments(const std::string& folder, const std::string& library,
                                          const std::string& symbol) {
    // lathe_program_model: what the main function calls the model (selfcheck/program).
    std::vector<std::string> args{"ld.lld",
                                  "-static",
                                  "--gc-sections",
                                  "--build-id=none",
                                  "-s",
                                  "-z",
                                  "noexecstack",
                                  "-z",
                                  "max-page-size=65536",
                                  "--threads=1",
                                  "--defsym=lathe_program_model=" + symbol,
                                  "-u",
                                  symbol};
    for (const std::string part : programParts) {
        if (part == "liblathe_program.a")
            args.push_back(library);
        args.push_back(folder + "/" + part);
    }
    return args;
}

Result<std::vector<std::byte>> linkProgram(const std::filesystem::path& folder, const std::filesystem::path& library,
                                           const std::string& symbol) {
    return runLinker(programArguments(folder.string(), library.string(), symbol));
}

} // namespace lathe::codegen
