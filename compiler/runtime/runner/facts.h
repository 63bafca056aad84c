// SPDX-License-Identifier: Apache-2.0
//
// What there is to know of the machine that the runner runs on, for whoever wants to use it from another one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lathe::runtime::runner {

/// Names and values, in this order; what the machine does not tell is left out:
///   machine       "x86_64"                            kernel     "Linux 6.1.0"
///   cpu           as its maker calls it               isa        extensions of abi/isa.h, with blanks between
///   vector_bits   of SVE or RISC-V registers          page_size  bytes
///   cores         that this process may use           cpu_quota  of the control group, in cores: "1.5"
///   memory, memory_available                          bytes
///   libc          "glibc 2.36", or "none" where no glibc is found
///   folder        where files are put                 disk_free  bytes there
///   noexec        "yes" if no code can be mapped from there, or "no"
///   governor      of the first core's clock
std::vector<std::pair<std::string, std::string>> facts(const std::string& folder);

} // namespace lathe::runtime::runner
