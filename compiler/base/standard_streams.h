// SPDX-License-Identifier: Apache-2.0
//
// Programs may be started with standard streams closed. The next file that they open would take the number of one, and what
// is said to people would be written into it.
#pragma once

namespace lathe {

/// To be called first in main(): what is closed of standard input, output and error is kept so. Reading finds the end, and
/// writing fails.
void reserveStandardStreams();

} // namespace lathe
