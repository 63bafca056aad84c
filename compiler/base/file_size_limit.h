// SPDX-License-Identifier: Apache-2.0
//
// A system may limit how large a file can be (ulimit -f). By default a program that writes beyond it is ended by SIGXFSZ,
// without a word, and what it has begun is left.
#pragma once

namespace lathe {

/// To be called in main(): such a write fails then (EFBIG), as on a full disk, which whoever writes says.
void failBeyondFileSizeLimit();

} // namespace lathe
