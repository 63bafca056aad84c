// SPDX-License-Identifier: Apache-2.0
//
// What this CPU can do, as the operating system lets programs use it: by CPUID, by the kernel's auxiliary vector and system
// calls, by trying an instruction in a child where a kernel knows fewer extensions than its CPU (RISC-V); never by files or by
// the CPU's name. An artifact is held against it before any of its code runs.
#pragma once

#include "runtime/error_text.h"

#include <string_view>

namespace lathe::runtime {

/// Whether it has an extension of abi/isa.h; false of names that are not in this machine's table.
bool cpuSupports(std::string_view name);

/// Bits of its SVE or RISC-V vector registers for this thread; 0: it has none.
int32_t cpuVectorBits();

/// LATHE_UNSUPPORTED if it lacks any of `isa` (names with blanks between them; null: none) or has vectors of another length
/// than the code is made for; one sentence says all that is missing and what to do. vectorBits: as in lathe_model_desc.
lathe_status checkCpu(const char* isa, int32_t vectorBits, ErrorText& error);

/// LATHE_UNSUPPORTED unless ELF code for that machine and byte order (e_machine, EI_DATA) runs here, with what to do. `path`
/// is for the sentence.
lathe_status checkMachine(unsigned machine, unsigned char byteOrder, const char* path, ErrorText& error);

} // namespace lathe::runtime
