// SPDX-License-Identifier: Apache-2.0
//
// Extensions of instruction sets that generated code may use, by LLVM's names, and how a machine tells that it has them. Data
// alone: the compiler writes those of a target into its artifacts, the runtime asks the CPU for them before any code runs.
// What code generation never uses (cryptography, atomics of other sizes, privileged instructions) is not in the tables.
#pragma once

#include <cstdint>

namespace lathe::abi {

/// x86-64: a bit that CPUID gives, and what the operating system has to keep of registers for it (bits of XCR0).
struct X86Isa {
    enum class Word : uint8_t { Leaf1Ecx, Leaf7Ebx, Leaf7Ecx, Leaf7Edx, Leaf7Sub1Eax, Leaf7Sub1Edx, Extended1Ecx };
    const char* name;
    Word word;
    uint8_t bit;
    uint32_t kept = 0;
};
inline constexpr uint32_t keptAvx = 0x06, keptAvx512 = 0xe6, keptApx = 1U << 19;
inline constexpr X86Isa x86Isa[] = {
    {"avx", X86Isa::Word::Leaf1Ecx, 28, keptAvx},
    {"avx2", X86Isa::Word::Leaf7Ebx, 5, keptAvx},
    {"avx512bf16", X86Isa::Word::Leaf7Sub1Eax, 5, keptAvx512},
    {"avx512bitalg", X86Isa::Word::Leaf7Ecx, 12, keptAvx512},
    {"avx512bw", X86Isa::Word::Leaf7Ebx, 30, keptAvx512},
    {"avx512cd", X86Isa::Word::Leaf7Ebx, 28, keptAvx512},
    {"avx512dq", X86Isa::Word::Leaf7Ebx, 17, keptAvx512},
    {"avx512f", X86Isa::Word::Leaf7Ebx, 16, keptAvx512},
    {"avx512fp16", X86Isa::Word::Leaf7Edx, 23, keptAvx512},
    {"avx512ifma", X86Isa::Word::Leaf7Ebx, 21, keptAvx512},
    {"avx512vbmi", X86Isa::Word::Leaf7Ecx, 1, keptAvx512},
    {"avx512vbmi2", X86Isa::Word::Leaf7Ecx, 6, keptAvx512},
    {"avx512vl", X86Isa::Word::Leaf7Ebx, 31, keptAvx512},
    {"avx512vnni", X86Isa::Word::Leaf7Ecx, 11, keptAvx512},
    {"avx512vpopcntdq", X86Isa::Word::Leaf7Ecx, 14, keptAvx512},
    {"avxifma", X86Isa::Word::Leaf7Sub1Eax, 23, keptAvx},
    {"avxneconvert", X86Isa::Word::Leaf7Sub1Edx, 5, keptAvx},
    {"avxvnni", X86Isa::Word::Leaf7Sub1Eax, 4, keptAvx},
    {"avxvnniint16", X86Isa::Word::Leaf7Sub1Edx, 10, keptAvx},
    {"avxvnniint8", X86Isa::Word::Leaf7Sub1Edx, 4, keptAvx},
    {"bmi", X86Isa::Word::Leaf7Ebx, 3},
    {"bmi2", X86Isa::Word::Leaf7Ebx, 8},
    {"ccmp", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"cf", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"egpr", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"ndd", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"nf", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"ppx", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"push2pop2", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"zu", X86Isa::Word::Leaf7Sub1Edx, 21, keptApx},
    {"f16c", X86Isa::Word::Leaf1Ecx, 29, keptAvx},
    {"fma", X86Isa::Word::Leaf1Ecx, 12, keptAvx},
    {"fma4", X86Isa::Word::Extended1Ecx, 16, keptAvx},
    {"gfni", X86Isa::Word::Leaf7Ecx, 8},
    {"lzcnt", X86Isa::Word::Extended1Ecx, 5},
    {"movbe", X86Isa::Word::Leaf1Ecx, 22},
    {"popcnt", X86Isa::Word::Leaf1Ecx, 23},
    {"sse3", X86Isa::Word::Leaf1Ecx, 0},
    {"sse4.1", X86Isa::Word::Leaf1Ecx, 19},
    {"sse4.2", X86Isa::Word::Leaf1Ecx, 20},
    {"sse4a", X86Isa::Word::Extended1Ecx, 6},
    {"ssse3", X86Isa::Word::Leaf1Ecx, 9},
    {"tbm", X86Isa::Word::Extended1Ecx, 21},
    {"xop", X86Isa::Word::Extended1Ecx, 11, keptAvx},
};

/// AArch64: a bit of the kernel's AT_HWCAP or AT_HWCAP2.
struct ArmIsa {
    const char* name;
    bool second; // of AT_HWCAP2
    uint8_t bit;
};
inline constexpr ArmIsa armIsa[] = {
    {"altnzcv", true, 7},    {"bf16", true, 14},     {"complxnum", false, 14}, {"crc", false, 7},
    {"cssc", true, 34},      {"dotprod", false, 20}, {"f32mm", true, 10},      {"f64mm", true, 11},
    {"flagm", false, 27},    {"fp-armv8", false, 0}, {"fp16fml", false, 23},   {"fptoint", true, 8},
    {"fullfp16", false, 10}, {"i8mm", true, 13},     {"jsconv", false, 13},    {"lse", false, 8},
    {"mops", true, 43},      {"neon", false, 1},     {"rcpc", false, 15},      {"sha3", false, 17},
    {"rdm", false, 12},      {"sve", false, 22},     {"sve2", true, 1},        {"sve2p1", true, 36},
};

/// RISC-V: a letter of AT_HWCAP; a bit of the answer of riscv_hwprobe to RISCV_HWPROBE_KEY_IMA_EXT_0; or, where the kernel
/// says neither, for it may know fewer extensions than its CPU, an instruction to try. Those on vectors are tried with one
/// element of 64 bits for zvbc, which has no others, and of 16 bits for the rest.
struct RiscvIsa {
    const char* name;
    int8_t probeBit; // -1: none
    char letter;     // 0: none
    uint32_t instruction;
};
inline constexpr RiscvIsa riscvIsa[] = {
    {"a", -1, 'a', 0},
    {"c", 1, 'c', 0},
    {"d", 0, 'd', 0},
    {"f", 0, 'f', 0},
    {"m", -1, 'm', 0},
    {"v", 2, 'v', 0xcd00f057},      // vsetivli zero, 1, e32, m1, ta, ma
    {"zba", 3, 0, 0x20a52533},      // sh1add a0, a0, a0
    {"zbb", 4, 0, 0x40a57533},      // andn a0, a0, a0
    {"zbc", 7, 0, 0x0aa51533},      // clmul a0, a0, a0
    {"zbs", 5, 0, 0x28a51533},      // bset a0, a0, a0
    {"zbkb", 8, 0, 0x08a54533},     // pack a0, a0, a0
    {"zcb", 44, 0, 0x00019d61},     // c.zext.b a0; c.nop
    {"zfa", 32, 0, 0xf0180053},     // fli.s ft0, 1.0
    {"zfh", 27, 0, 0x04007053},     // fadd.h ft0, ft0, ft0
    {"zfhmin", 28, 0, 0x40200053},  // fcvt.s.h ft0, ft0
    {"zicond", 35, 0, 0x0ea55533},  // czero.eqz a0, a0, a0
    {"zvbb", 17, 0, 0x4a1620d7},    // vclz.v v1, v1, which zvkb has not
    {"zvbc", 18, 0, 0x3210a0d7},    // vclmul.vv v1, v1, v1
    {"zvkb", 19, 0, 0x061080d7},    // vandn.vv v1, v1, v1
    {"zvfh", 30, 0, 0x021090d7},    // vfadd.vv v1, v1, v1, of 16 bits
    {"zvfhmin", 31, 0, 0x4a161157}, // vfwcvt.f.f.v v2, v1
};

} // namespace lathe::abi
