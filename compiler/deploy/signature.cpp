// SPDX-License-Identifier: Apache-2.0
#include "deploy/signature.h"

#include "base/child_process.h"
#include "base/guarded.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "deploy/file_failure.h"
#include "deploy/temporary_folder.h"

#include <chrono>
#include <fstream>
#include <iterator>

namespace lathe::deploy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view space = "lathe-bundle"; // of signatures, so that one of something else is none of a bundle
constexpr size_t longestWords = size_t{1} << 20;
constexpr std::chrono::minutes longest{2}; // a key may ask for its passphrase

/// What ssh-keygen says, with the file as its input; nothing if it was not content, and then `said` has its words.
std::optional<std::string> keygen(const std::vector<std::string>& arguments, const fs::path& input, std::string& said,
                                  const std::function<bool()>& cancelled) {
    ChildProcess child;
    child.setCancelled(cancelled);
    // By a shell, for both streams in one, and so that nobody writes to a child that reads nothing.
    std::vector<std::string> command{"-c", "exec 2>&1; exec ssh-keygen \"$@\" < \"$0\"", input.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (const auto started = child.start("/bin/sh", command); !started) {
        said = started.error().what;
        return std::nullopt;
    }
    child.endInput();
    const auto io = child.readToEnd(said, longestWords, std::chrono::steady_clock::now() + longest);
    if (io == ChildProcess::Io::Cancelled)
        throw Cancelled{};
    if (io != ChildProcess::Io::Done) {
        child.kill();
        said = "ssh-keygen does not end";
        return std::nullopt;
    }
    (void)child.reap();
    if (child.succeeded())
        return said;
    said = child.exitCode() == 127 ? "there is no ssh-keygen: install openssh-client"
                                   : printable(said.substr(0, said.find_first_of("\r\n")));
    return std::nullopt;
}

Result<void> write(const fs::path& path, std::string_view text) {
    NewFile file(path, NewFile::Kind::Text);
    if (!file.write(std::as_bytes(std::span(text))) || !file.keep())
        return Failure(file.problem());
    return {};
}

std::optional<std::string> readAll(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > longestWords || failed)
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace

Result<std::string> sign(std::string_view sums, const fs::path& key, const std::function<bool()>& cancelled) {
    std::error_code failed;
    if (!fs::is_regular_file(key, failed))
        return fileFailure(key, "there is no such key", "ssh-keygen -t ed25519 -f FILE makes one");
    LATHE_TRY(const TemporaryFolder work, TemporaryFolder::make());
    LATHE_CHECKED(write(work.path() / "sums", sums));
    std::string said;
    const auto text =
        keygen({"-Y", "sign", "-n", std::string(space), "-f", key.string()}, work.path() / "sums", said, cancelled);
    const size_t begin = text ? text->find("-----BEGIN SSH SIGNATURE-----") : std::string::npos;
    if (begin == std::string::npos)
        return fileFailure(key, "the key signs nothing: " + said, "name a private key that OpenSSH reads");
    return text->substr(begin);
}

Result<void> verifySignature(const fs::path& folder, const fs::path& keys, const std::function<bool()>& cancelled) {
    const fs::path signature = folder / signatureName;
    const auto sums = readAll(folder / "SHA256SUMS"), signedBy = readAll(signature), known = readAll(keys);
    if (!known)
        return fileFailure(keys, "the file of keys cannot be read",
                           "name a file of public keys, such as id_ed25519.pub");
    if (!sums)
        return fileFailure(folder / "SHA256SUMS", "the file is missing, or may not be read", "copy the bundle again");
    if (!signedBy)
        return fileFailure(signature, "the bundle is not signed", "lathe bundle MODEL --sign KEY signs");
    std::string allowed;
    for (size_t at = 0; at < known->size();) {
        const size_t end = std::min(known->find('\n', at), known->size());
        const std::string line = known->substr(at, end - at);
        if (!line.empty() && line[0] != '#')
            allowed += std::string(space) + " namespaces=\"" + std::string(space) + "\" " + line + "\n";
        at = end + 1;
    }
    // ssh-keygen takes files; what it gets is what was read here.
    LATHE_TRY(const TemporaryFolder work, TemporaryFolder::make());
    LATHE_CHECKED(write(work.path() / "keys", allowed));
    LATHE_CHECKED(write(work.path() / "signature", *signedBy));
    LATHE_CHECKED(write(work.path() / "sums", *sums));
    std::string said;
    if (keygen({"-Y", "verify", "-n", std::string(space), "-I", std::string(space), "-f",
                (work.path() / "keys").string(), "-s", (work.path() / "signature").string()},
               work.path() / "sums", said, cancelled))
        return {};
    return fileFailure(signature, "it is no signature of this bundle by a key that is known: " + said,
                       "take the bundle, and the public key, from who made it");
}

} // namespace lathe::deploy
