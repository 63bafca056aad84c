// SPDX-License-Identifier: Apache-2.0
//
// Who made a bundle: a signature of SHA256SUMS, which names all other files, in SHA256SUMS.sig. OpenSSH makes and verifies it
// (ssh-keygen -Y, namespace lathe-bundle), so that whoever has the bundle can verify it without Lathe.
#pragma once

#include "base/result.h"
#include "data/listed_files.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace lathe::deploy {

using data::signatureName;

/// The signature of `sums` by a private key, or by a public one whose private key ssh-agent holds. Fails with ssh-keygen's
/// words. Throws Cancelled (base/guarded.h).
Result<std::string> sign(std::string_view sums, const std::filesystem::path& key,
                         const std::function<bool()>& cancelled = {});

/// Fails unless the bundle in `folder` has a signature of its SHA256SUMS by one of the public keys in `keys`, a file with one
/// a line as ssh-keygen writes NAME.pub. As sign.
Result<void> verifySignature(const std::filesystem::path& folder, const std::filesystem::path& keys,
                             const std::function<bool()>& cancelled = {});

} // namespace lathe::deploy
