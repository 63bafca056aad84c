// SPDX-License-Identifier: Apache-2.0
#include "data/listed_files.h"

#include "base/sha256.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <ranges>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace lathe::data {
namespace {

namespace fs = std::filesystem;

constexpr size_t longestList = size_t{16} << 20, longestPath = 1024;

Failure named(const std::string& file, Diagnostic problem) {
    problem.file = file;
    return Failure(std::move(problem));
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0)
            close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

bool isSafe(std::string_view path) {
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
    if (path.empty() || path.size() > longestPath || std::ranges::any_of(path, isControl))
        return false;
    return std::ranges::none_of(std::views::split(path, '/'), [](auto part) {
        const std::string_view name(part.begin(), part.end());
        return name.empty() || name == "." || name == "..";
    });
}

/// Opens folder/path one part after the other, so that no link on the way leads elsewhere.
Descriptor openInside(const fs::path& folder, const std::string& path) {
    Descriptor at(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (size_t begin = 0; at.number() >= 0;) {
        const size_t end = path.find('/', begin);
        const std::string part = path.substr(begin, end == std::string::npos ? end : end - begin);
        const bool last = end == std::string::npos;
        // Not blocking: opening a pipe would wait for whoever writes into it.
        at = Descriptor(
            openat(at.number(), part.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY)));
        if (last)
            break;
        begin = end + 1;
    }
    return at;
}

constexpr const char *again = "copy the bundle again", *isLink = "it is a link, and a bundle has none";

/// What is wrong with one file; nothing if it is as listed.
std::optional<Diagnostic> problemOf(const fs::path& folder, const ListedFile& file, uint64_t& bytes,
                                    const std::function<void()>& progressed) {
    const Descriptor opened = openInside(folder, file.path);
    if (opened.number() < 0) {
        if (errno == ENOENT)
            return error("it is missing", again);
        if (errno == ELOOP || errno == ENOTDIR)
            return error(isLink, again);
        return error(fmt::format("it cannot be read: {}", std::strerror(errno)));
    }
    struct stat facts{};
    if (fstat(opened.number(), &facts) != 0 || !S_ISREG(facts.st_mode))
        return error("it is no plain file", again);
    Sha256 hash;
    std::vector<std::byte> part(size_t{1} << 18);
    for (;;) {
        const ssize_t got = read(opened.number(), part.data(), part.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error(fmt::format("it cannot be read: {}", std::strerror(errno)));
        if (got == 0)
            break;
        progressed();
        hash.add(std::span(part).first(static_cast<size_t>(got)));
        bytes += static_cast<uint64_t>(got);
    }
    const std::string is = hash.finish();
    if (is == file.sha256)
        return std::nullopt;
    return error(fmt::format("its SHA-256 is {}, {} says {}", is, sumsName, file.sha256),
                 "copy the bundle again; do not strip or patch its files");
}

} // namespace

Result<std::vector<ListedFile>> readSums(const fs::path& folder) {
    const Descriptor opened = openInside(folder, sumsName);
    if (opened.number() < 0 && errno == ELOOP)
        return named(sumsName, error(isLink, again));
    struct stat facts{};
    if (opened.number() < 0 || fstat(opened.number(), &facts) != 0 || !S_ISREG(facts.st_mode))
        return named(sumsName,
                     error("it is missing", "give the folder of an unpacked bundle; if it is one, copy it again"));
    if (facts.st_size > static_cast<off_t>(longestList))
        return named(sumsName, error("it is too long"));
    std::string text(static_cast<size_t>(facts.st_size), '\0');
    if (pread(opened.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        return named(sumsName, error("it cannot be read"));

    std::vector<ListedFile> files;
    std::set<std::string_view> seen;
    int number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        ++number;
        constexpr size_t digits = 64, gap = 2;
        const auto wrong = [&](const char* why) {
            return named(sumsName, error(fmt::format("line {} {}", number, why), "copy the bundle again"));
        };
        if (line.size() <= digits + gap || !isSha256(line.substr(0, digits)) || line[digits] != ' ' ||
            line[digits + 1] != ' ' || end == std::string_view::npos)
            return wrong("is not a hash, two blanks, a path and its end");
        const std::string_view path = line.substr(digits + gap);
        if (!isSafe(path))
            return wrong("names a path that leads out of the bundle, or is none");
        if (!seen.insert(path).second)
            return wrong("names a file again");
        files.push_back({std::string(path), std::string(line.substr(0, digits))});
    }
    if (files.empty())
        return named(sumsName, error("it lists no files", "copy the bundle again"));
    return files;
}

std::vector<Diagnostic> strangersIn(const fs::path& folder, const std::vector<ListedFile>& files, Beside allowed) {
    // Of resources/bundle: Makefile, static.mk.
    static constexpr std::string_view products[] = {"examples/main", "examples/main_c", "examples/main_cpp"};
    const auto mayHoldMore = [&](const std::string& path, const fs::path& name) {
        if (allowed == Beside::Nothing)
            return false;
        return name == "__pycache__" || path == "build" || path == "examples/build" ||
               (allowed == Beside::Used && path == "examples");
    };
    const auto isProduct = [&](const std::string& path) {
        return allowed != Beside::Nothing && std::ranges::find(products, path) != std::end(products);
    };
    std::set<std::string_view> listed = {sumsName, signatureName};
    for (const ListedFile& file : files)
        listed.insert(file.path);
    std::vector<Diagnostic> strangers;
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        const std::string path = at->path().lexically_relative(folder).generic_string();
        const bool isFolder = at->is_directory(failed) && !at->is_symlink(failed);
        if (isFolder && mayHoldMore(path, at->path().filename()))
            at.disable_recursion_pending();
        else if (!isFolder && !listed.contains(path) && !isProduct(path)) {
            strangers.push_back(error("the file is not of this bundle", "remove it"));
            strangers.back().file = path;
        }
    }
    if (failed)
        strangers.push_back(
            error(fmt::format("not all of its folders can be read: {}", failed.message()), "look at their modes"));
    return strangers;
}

Verified verify(const fs::path& folder, const std::vector<ListedFile>& files,
                const std::function<void(size_t)>& progressed) {
    Verified verified;
    size_t done = 0;
    const auto told = [&] {
        if (progressed)
            progressed(done);
    };
    for (const ListedFile& file : files) {
        told();
        if (auto problem = problemOf(folder, file, verified.bytes, told)) {
            problem->file = file.path;
            verified.problems.push_back(*std::move(problem));
        }
        ++done;
    }
    return verified;
}

} // namespace lathe::data
