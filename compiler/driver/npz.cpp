// SPDX-License-Identifier: Apache-2.0
#include "driver/npz.h"

#include "base/limits.h"
#include "data/npy.h"
#include "data/stored_type.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <locale.h>
#include <memory>
#include <set>
#include <span>
#include <sstream>

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

constexpr std::string_view npyEnding = ".npy";

struct FreeNpzReader {
    void operator()(archive* reader) const { archive_read_free(reader); }
};

Diagnostic inNpz(const fs::path& path, std::string what, std::string hint) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = path.string();
    return problem;
}

/// While it lives libarchive has names as UTF-8, in this thread: it gives none that the locale lacks.
class Utf8Names {
public:
    Utf8Names() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(uselocale(utf8_)) {}
    ~Utf8Names() {
        uselocale(before_);
        if (utf8_)
            freelocale(utf8_);
    }
    Utf8Names(const Utf8Names&) = delete;
    Utf8Names& operator=(const Utf8Names&) = delete;

private:
    locale_t utf8_, before_;
};

/// The arrays of a file, one after the other.
class NpzReader {
public:
    explicit NpzReader(const fs::path& path) : path_(path), reader_(archive_read_new()) {
        std::error_code failed;
        const uint64_t held = fs::file_size(path_, failed);
        most_ = std::max<uint64_t>(limits::npzArrayBytes, failed ? 0 : held);
        archive_read_support_format_zip(reader_.get());
        opened_ = archive_read_open_filename(reader_.get(), path.c_str(), partBytes) == ARCHIVE_OK;
    }

    /// Goes to the next one. False: there is none.
    Result<bool> next() {
        archive_entry* entry = nullptr;
        int status = opened_ ? ARCHIVE_OK : ARCHIVE_FATAL;
        while (status == ARCHIVE_OK && (status = archive_read_next_header(reader_.get(), &entry)) == ARCHIVE_OK) {
            if (++entries_ > limits::npzEntries)
                return bad(fmt::format("it holds more than {} files", limits::npzEntries));
            const char* named = archive_entry_pathname_utf8(entry);
            name_ = named ? named : "";
            if (archive_entry_filetype(entry) == AE_IFREG && name_.ends_with(npyEnding)) {
                name_.resize(name_.size() - npyEnding.size());
                return true;
            }
        }
        if (status != ARCHIVE_EOF)
            return damaged();
        return false;
    }

    const std::string& name() const { return name_; }

    /// The one that it went to.
    Result<HostTensor> read(DataType meant) {
        std::string content, part(partBytes, '\0');
        la_ssize_t got = 0;
        // What the archive says of the size is not asked: what comes out is counted.
        while ((got = archive_read_data(reader_.get(), part.data(), part.size())) > 0) {
            if (taken_ += static_cast<uint64_t>(got); taken_ > most_)
                return bad(fmt::format("there are more than {} bytes up to the end of '{}'", most_, name_),
                           "save large arrays by numpy.save, as .npy");
            content.append(part, 0, static_cast<size_t>(got));
        }
        if (got < 0)
            return damaged();
        if (!content.starts_with(data::npyMagic))
            return bad(fmt::format("'{}' in it is no NumPy array", name_));
        const uint64_t bytes = content.size();
        std::istringstream array(std::move(content));
        array.ignore(data::npyMagic.size());
        return data::readNpy(path_, array, bytes, meant);
    }

    Failure bad(std::string what, std::string hint = "numpy.savez writes such a file from arrays of numbers") const {
        return Failure(inNpz(path_, std::move(what), std::move(hint)));
    }

private:
    static constexpr size_t partBytes = size_t{1} << 17;

    Failure damaged() const {
        const char* words = archive_error_string(reader_.get());
        return bad(fmt::format("the archive is damaged: {}", words ? words : "no reason is given"));
    }

    fs::path path_;
    Utf8Names names_;
    std::unique_ptr<archive, FreeNpzReader> reader_;
    bool opened_ = false;
    size_t entries_ = 0;
    uint64_t most_ = 0, taken_ = 0; // bytes of the arrays that are read
    std::string name_;
};

/// For a hint, which is no list of thousands.
std::string firstNames(std::span<const std::string> names) {
    constexpr size_t shown = 10;
    const std::string text = fmt::format("{}", fmt::join(names.first(std::min(names.size(), shown)), ", "));
    return names.size() > shown ? text + " …" : text;
}

Result<void> checkIsFile(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) // a pipe would be waited for
        return Failure(inNpz(path, "the file cannot be read", "name a .npz file"));
    return {};
}

} // namespace

Result<std::vector<std::string>> arraysIn(const fs::path& path) {
    LATHE_CHECKED(checkIsFile(path));
    NpzReader reader(path);
    std::vector<std::string> names;
    std::set<std::string> seen;
    while (true) {
        LATHE_TRY(const bool found, reader.next());
        if (!found)
            break;
        if (!seen.insert(reader.name()).second)
            return reader.bad(fmt::format("it holds '{}' twice", reader.name()));
        names.push_back(reader.name());
    }
    if (names.empty())
        return reader.bad("it holds no array");
    return names;
}

Result<HostTensor> readNpz(const fs::path& path, const Meant& meant) {
    LATHE_TRY(const std::vector<std::string> names, arraysIn(path));
    NpzReader reader(path);
    const auto chosen = names.size() == 1 ? names.begin() : std::ranges::find(names, meant.name);
    if (chosen == names.end())
        return reader.bad(meant.name.empty()
                              ? fmt::format("it holds {} arrays, and nothing says which is meant", names.size())
                              : fmt::format("it holds {} arrays, and none is called '{}'", names.size(), meant.name),
                          fmt::format("they are called {}", firstNames(names)));
    while (true) {
        LATHE_TRY(const bool found, reader.next());
        if (!found)
            return reader.bad("the file changed while it was read", "try again");
        if (reader.name() == *chosen)
            return reader.read(meant.dtype);
    }
}

Result<NamedTensors> readAllOfNpz(const fs::path& path, const std::function<DataType(std::string_view name)>& meant) {
    LATHE_CHECKED(checkIsFile(path));
    NpzReader reader(path);
    NamedTensors tensors;
    std::set<std::string> seen;
    while (true) {
        LATHE_TRY(const bool found, reader.next());
        if (!found)
            return tensors;
        if (!seen.insert(reader.name()).second)
            return reader.bad(fmt::format("it holds '{}' twice", reader.name()));
        const DataType dtype = meant(reader.name());
        LATHE_TRY(HostTensor stored, reader.read(dtype));
        Result<HostTensor> tensor = data::takenAs(std::move(stored), dtype);
        if (!tensor) {
            tensor.error().file = path.string();
            return Failure(std::move(tensor).error());
        }
        tensors.emplace_back(reader.name(), *std::move(tensor));
    }
}

} // namespace lathe::driver
