// SPDX-License-Identifier: Apache-2.0
#include "data/npz.h"

#include "base/limits.h"
#include "data/npy.h"
#include "data/stored_type.h"
#include "data/zip_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <span>
#include <sstream>

namespace lathe::data {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

constexpr std::string_view npyEnding = ".npy";

Diagnostic inNpz(const fs::path& path, std::string what, std::string hint) {
    Diagnostic problem = error(std::move(what), std::move(hint));
    problem.file = path.string();
    return problem;
}

/// The arrays of a file, one after the other.
class NpzReader {
public:
    explicit NpzReader(const fs::path& path) : path_(path), zip_(path) {
        std::error_code failed;
        const uint64_t held = fs::file_size(path_, failed);
        left_ = std::max<uint64_t>(limits::npzArrayBytes, failed ? 0 : held);
    }

    /// Goes to the next one. False: there is none.
    Result<bool> next() {
        while (true) {
            const Result<bool> found = zip_.next();
            if (!found)
                return bad(found.error());
            if (!*found)
                return false;
            if (zip_.name().ends_with(npyEnding)) {
                name_ = zip_.name().substr(0, zip_.name().size() - npyEnding.size());
                return true;
            }
        }
    }

    const std::string& name() const { return name_; }

    /// The one that it went to.
    Result<HostTensor> read(DataType meant) {
        Result<std::string> content = zip_.read(left_);
        if (!content)
            return bad(content.error());
        left_ -= content->size();
        if (!content->starts_with(npyMagic))
            return bad(fmt::format("'{}' in it is no NumPy array", name_));
        const uint64_t bytes = content->size();
        std::istringstream array(*std::move(content));
        array.ignore(npyMagic.size());
        return readNpy(path_, array, bytes, meant);
    }

    Failure bad(std::string what, std::string hint = "numpy.savez writes such a file from arrays of numbers") const {
        return Failure(inNpz(path_, std::move(what), std::move(hint)));
    }

private:
    Failure bad(Diagnostic problem) const {
        problem.file = path_.string();
        return Failure(std::move(problem));
    }

    fs::path path_;
    ZipFile zip_;
    uint64_t left_ = 0; // bytes that arrays may still have
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

Result<HostTensor> readNpz(const fs::path& path, std::string_view name, DataType meant) {
    LATHE_TRY(const std::vector<std::string> names, arraysIn(path));
    NpzReader reader(path);
    const auto chosen = names.size() == 1 ? names.begin() : std::ranges::find(names, name);
    if (chosen == names.end())
        return reader.bad(name.empty()
                              ? fmt::format("it holds {} arrays, and nothing says which is meant", names.size())
                              : fmt::format("it holds {} arrays, and none is called '{}'", names.size(), name),
                          fmt::format("they are called {}", firstNames(names)));
    while (true) {
        LATHE_TRY(const bool found, reader.next());
        if (!found)
            return reader.bad("the file changed while it was read", "try again");
        if (reader.name() == *chosen)
            return reader.read(meant);
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
        Result<HostTensor> tensor = takenAs(std::move(stored), dtype);
        if (!tensor) {
            tensor.error().file = path.string();
            return Failure(std::move(tensor).error());
        }
        tensors.emplace_back(reader.name(), *std::move(tensor));
    }
}

} // namespace lathe::data
