// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu.h"

#include "abi/isa.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <iterator>
#include <string>
#include <sys/auxv.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/prctl.h>
#elif defined(__riscv)
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#endif

namespace lathe::runtime {

namespace {

template <class Table>
auto* rowOf(const Table& table, std::string_view name) {
    const auto found =
        std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return name == row.name; });
    return found == std::end(table) ? nullptr : &*found;
}

#if defined(__x86_64__)

constexpr unsigned ownMachine = EM_X86_64;
constexpr const char* ownName = "x86_64";
constexpr const auto& ownTable = abi::x86Isa;

struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Zeros of a leaf that the CPU has not.
Registers cpuid(unsigned leaf, unsigned sub = 0) {
    Registers r;
    __get_cpuid_count(leaf, sub, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

unsigned wordOf(abi::X86Isa::Word word) {
    switch (word) {
    case abi::X86Isa::Word::Leaf1Ecx:
        return cpuid(1).ecx;
    case abi::X86Isa::Word::Leaf7Ebx:
        return cpuid(7).ebx;
    case abi::X86Isa::Word::Leaf7Ecx:
        return cpuid(7).ecx;
    case abi::X86Isa::Word::Leaf7Edx:
        return cpuid(7).edx;
    case abi::X86Isa::Word::Leaf7Sub1Eax:
        return cpuid(7, 1).eax;
    case abi::X86Isa::Word::Leaf7Sub1Edx:
        return cpuid(7, 1).edx;
    case abi::X86Isa::Word::Extended1Ecx:
        return cpuid(0x80000001).ecx;
    }
    return 0;
}

/// XCR0: the registers that the operating system keeps for programs.
unsigned keptRegisters() {
    constexpr unsigned osxsave = 1U << 27;
    if (!(cpuid(1).ecx & osxsave))
        return 0;
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool has(const abi::X86Isa& isa) {
    return (wordOf(isa.word) >> isa.bit & 1) && (keptRegisters() & isa.kept) == isa.kept;
}

/// The newest of the x86-64 levels that it is, for it is what to compile for.
std::string whatItHas() {
    const auto all = [](std::initializer_list<const char*> names) {
        return std::all_of(names.begin(), names.end(), cpuSupports);
    };
    if (!all({"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"}))
        return "less than x86-64-v2";
    if (!all({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}))
        return "x86-64-v2";
    return all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? "x86-64-v4" : "x86-64-v3";
}

/// As the maker calls it, in brackets; "" if it does not say.
std::string whatItIs() {
    if (cpuid(0x80000000).eax < 0x80000004)
        return "";
    char name[49] = "";
    for (unsigned i = 0; i < 3; ++i) {
        const Registers r = cpuid(0x80000002 + i);
        std::memcpy(name + 16 * i, &r, sizeof r);
    }
    std::string_view text = name;
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text.empty() ? "" : " (" + std::string(text) + ")";
}

#elif defined(__aarch64__)

constexpr unsigned ownMachine = EM_AARCH64;
constexpr const char* ownName = "aarch64";
constexpr const auto& ownTable = abi::armIsa;

bool has(const abi::ArmIsa& isa) {
    return getauxval(isa.second ? AT_HWCAP2 : AT_HWCAP) >> isa.bit & 1;
}

#elif defined(__riscv) && __riscv_xlen == 64

constexpr unsigned ownMachine = EM_RISCV;
constexpr const char* ownName = "riscv64";
constexpr const auto& ownTable = abi::riscvIsa;

/// The kernel's answer (Documentation/arch/riscv/hwprobe.rst), and whether it gives one: Linux 6.4 was the first.
bool probeKernel(uint64_t& extensions) {
    struct {
        int64_t key;
        uint64_t value;
    } pair{4 /* RISCV_HWPROBE_KEY_IMA_EXT_0 */, 0};
    constexpr long riscvHwprobe = 258;
    if (syscall(riscvHwprobe, &pair, 1, 0, nullptr, 0) != 0 || pair.key != 4)
        return false;
    extensions = pair.value;
    return true;
}

/// Whether a child process lives through the instruction: what older kernels and emulators do not tell. False where there
/// is none to try.
bool canExecute(const abi::RiscvIsa& isa) {
    constexpr uint32_t nothing = 0x00000013, returns = 0x00008067;
    constexpr uint32_t vectorOf16 = 0xcc80f057, vectorOf64 = 0xcd80f057; // vsetivli zero, 1, e16 or e64, m1, ta, ma
    const std::string_view name(isa.name);
    const uint32_t before = name == "zvbc" ? vectorOf64 : name.starts_with("zv") ? vectorOf16 : nothing;
    const uint32_t code[] = {before, isa.instruction, returns};
    if (isa.instruction == 0)
        return false;
    void* page = mmap(nullptr, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return false;
    std::memcpy(page, code, sizeof code);
    // It says by a byte that it lived: where nobody waits for children the system forgets how they ended.
    int ends[2];
    bool lived = false;
    if (mprotect(page, sizeof code, PROT_READ | PROT_EXEC) == 0 && pipe2(ends, O_CLOEXEC) == 0) {
        __builtin___clear_cache(static_cast<char*>(page), static_cast<char*>(page) + sizeof code);
        const pid_t child = fork();
        if (child == 0) {
            const rlimit noCore{0, 0};
            setrlimit(RLIMIT_CORE, &noCore);
            signal(SIGILL, SIG_DFL);
            reinterpret_cast<void (*)()>(page)();
            _exit(write(ends[1], "", 1) == 1 ? 0 : 1);
        }
        close(ends[1]);
        char byte = 0;
        ssize_t got = -1;
        do
            got = read(ends[0], &byte, 1);
        while (got < 0 && errno == EINTR);
        lived = child > 0 && got == 1;
        close(ends[0]);
        while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR)
            continue;
    }
    munmap(page, sizeof code);
    return lived;
}

bool has(const abi::RiscvIsa& isa) {
    if (isa.letter && getauxval(AT_HWCAP) >> (isa.letter - 'a') & 1)
        return true;
    uint64_t extensions = 0;
    if (isa.probeBit >= 0 && probeKernel(extensions) && (extensions >> isa.probeBit & 1))
        return true;
    return canExecute(isa);
}

#else
#error "this runtime knows x86_64, aarch64 and riscv64"
#endif

#if !defined(__x86_64__)

std::string whatItHas() {
    std::string names;
    for (const auto& isa : ownTable)
        if (cpuSupports(isa.name))
            names += (names.empty() ? "" : ", ") + std::string(isa.name);
    return names;
}

std::string whatItIs() {
    return "";
}

#endif

/// As qemu calls it too; "" of those that nobody asks for.
std::string machineName(unsigned machine) {
    switch (machine) {
    case EM_X86_64:
        return "x86_64";
    case EM_AARCH64:
        return "aarch64";
    case EM_RISCV:
        return "riscv64";
    case EM_ARM:
        return "arm";
    case EM_386:
        return "i386";
    case EM_PPC64:
        return "ppc64";
    case EM_S390:
        return "s390x";
    default:
        return "";
    }
}

} // namespace

bool cpuSupports(std::string_view name) {
    const auto* row = rowOf(ownTable, name);
    return row && has(*row);
}

int32_t cpuVectorBits() {
#if defined(__aarch64__)
    constexpr int lengthMask = 0xffff; // PR_SVE_VL_LEN_MASK
    const int bytes = cpuSupports("sve") ? prctl(PR_SVE_GET_VL) : 0;
    return bytes > 0 ? (bytes & lengthMask) * 8 : 0;
#elif defined(__riscv)
    if (!cpuSupports("v"))
        return 0;
    uint64_t bytes = 0;
    asm volatile("csrr %0, 0xc22" : "=r"(bytes)); // vlenb
    return static_cast<int32_t>(bytes * 8);
#else
    return 0;
#endif
}

lathe_status checkCpu(const char* isa, int32_t vectorBits, ErrorText& error) {
    std::string missing;
    for (std::string_view left = isa ? isa : ""; !left.empty();) {
        const std::string_view name = left.substr(0, left.find(' '));
        left.remove_prefix(std::min(left.size(), name.size() + 1));
        if (!name.empty() && !cpuSupports(name))
            missing += (missing.empty() ? "" : ", ") + std::string(name);
    }
    const int32_t here = vectorBits > 0 ? cpuVectorBits() : 0;
    const bool exactly = ownMachine == EM_AARCH64;
    const bool fits = vectorBits <= 0 || (exactly ? here == vectorBits : here >= vectorBits);
    if (missing.empty() && fits)
        return LATHE_OK;
    std::string text = missing.empty() ? "" : "it needs " + missing;
    std::string has = missing.empty() ? "" : whatItHas();
    if (!fits) {
        text += std::string(missing.empty() ? "it is" : ", and is") + " made for " + (exactly ? "SVE" : "vectors") +
                " of " + (exactly ? "" : "at least ") + std::to_string(vectorBits) + " bits";
        has += (has.empty() ? "" : ", and ") +
               (here > 0 ? "vectors of " + std::to_string(here) + " bits" : std::string("no such vectors"));
    }
    return error.set(LATHE_UNSUPPORTED, "%s; this CPU%s has %s: compile the model for what this CPU has", text.c_str(),
                     whatItIs().c_str(), has.c_str());
}

lathe_status checkMachine(unsigned machine, unsigned char byteOrder, const char* path, ErrorText& error) {
    constexpr unsigned char ownOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (machine == ownMachine && byteOrder == ownOrder)
        return LATHE_OK;
    const unsigned ordered = byteOrder == ownOrder ? machine : __builtin_bswap16(static_cast<uint16_t>(machine));
    const std::string known = machineName(ordered);
    const std::string name = (byteOrder == ELFDATA2MSB ? "big-endian " : "") +
                             (known.empty() ? "machine " + std::to_string(ordered) + " of ELF's list" : known);
    return error.set(LATHE_UNSUPPORTED, "%s is code for %s, this is %s: compile the model for %s%s%s", path,
                     name.c_str(), ownName, ownName, known.empty() ? "" : ", or run it through qemu-", known.c_str());
}

} // namespace lathe::runtime
