// SPDX-License-Identifier: Apache-2.0
#include "driver/tensor_files.h"

#include "base/guarded.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/new_file.h"
#include "data/npy.h"
#include "data/npy_text.h"
#include "data/npz.h"
#include "data/stored_type.h"
#include "frontend/frontend.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

/// Elements as float32, of a type that NumPy lacks.
std::vector<std::byte> widened(DataType dtype, std::span<const std::byte> elements) {
    const size_t count = elements.size() / static_cast<size_t>(dtype.bytes());
    std::vector<std::byte> wide(count * sizeof(float));
    for (size_t i = 0; i < count; ++i) {
        const auto value = static_cast<float>(model::elementAsDouble(dtype, elements, i));
        std::memcpy(wide.data() + i * sizeof(float), &value, sizeof(float));
    }
    return wide;
}

Failure unwritten(const fs::path& path) {
    Diagnostic diagnostic = error("the file cannot be written", "look for space and for the right to write there");
    diagnostic.file = path.string();
    return Failure(std::move(diagnostic));
}

Diagnostic notReadable() {
    return error("the file cannot be read", "name a .npy or .npz file, or a TensorProto (.pb)");
}

/// As the file has it.
Result<HostTensor> readStored(const fs::path& path, const Meant& meant) {
    const auto named = [&](Diagnostic diagnostic) {
        diagnostic.file = path.string();
        return Failure(std::move(diagnostic));
    };
    std::error_code failed;
    const uint64_t fileBytes = fs::file_size(path, failed); // fails for what is no regular file
    std::ifstream file;
    if (!failed) // opening a pipe would wait for whoever writes into it
        file.open(path, std::ios::binary);
    if (failed || !file)
        return named(notReadable());
    char magic[data::npyMagic.size()] = {};
    file.read(magic, sizeof(magic));
    if (file && std::string_view(magic, sizeof(magic)) == data::npyMagic)
        return data::readNpy(path, file, fileBytes, meant.dtype);
    const std::string_view zip(magic, 4);
    if (zip == std::string_view("PK\x03\x04", 4) ||
        zip == std::string_view("PK\x05\x06", 4)) // the latter: with no file in it
        return data::readNpz(path, meant.name, meant.dtype);
    if (path.extension() == ".npz")
        return named(
            error("this is no archive of NumPy arrays: it does not begin as one", "numpy.savez writes such a file"));
    if (path.extension() == ".npy")
        return named(error("this is no NumPy array: it does not begin as one", "numpy.save writes such a file"));
    LATHE_TRY(const model::TensorPtr tensor, frontend::readTensor(path));
    return model::toHost(*tensor);
}

using TensorsByName = std::map<std::string, HostTensor, std::less<>>;

/// The numbers of the parts of a list that stand there: "x.3", or "x.3.0" of a list in it, is part 3 of "x".
std::set<size_t> partNumbers(const TensorsByName& all, const std::string& list) {
    const std::string before = list + ".";
    std::set<size_t> numbers;
    for (auto at = all.lower_bound(before); at != all.end() && at->first.starts_with(before); ++at) {
        const std::string_view rest = std::string_view(at->first).substr(before.size());
        const std::string_view digits = rest.substr(0, rest.find('.'));
        size_t number = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (status == std::errc() && end == digits.data() + digits.size() && (digits[0] != '0' || digits.size() == 1))
            numbers.insert(number);
    }
    return numbers;
}

/// What stands there under the name; nothing if there is none.
Result<std::optional<HostTensor>> valueNamed(const TensorsByName& all, const std::string& name, std::string_view form) {
    if (form.empty()) {
        const auto found = all.find(name);
        return found == all.end() ? std::nullopt : std::optional(found->second);
    }
    HostTensor value = model::composed(form.front());
    const std::string_view inner = form.substr(1);
    if (form.front() == 'o') {
        LATHE_TRY(std::optional<HostTensor> part, valueNamed(all, name, inner));
        if (part)
            value.parts.push_back(*std::move(part));
        return value;
    }
    const std::set<size_t> numbers = partNumbers(all, name);
    if (numbers.empty())
        return std::nullopt;
    const size_t last = *numbers.rbegin();
    const bool mayLack = inner.starts_with('o'); // an optional without value is not written
    if (last >= (mayLack ? limits::sequenceParts : numbers.size()))
        return failure(fmt::format("it holds part {} of the list '{}', but not all parts before it", last, name),
                       "give each part of a list under its number: x.0, x.1");
    for (size_t i = 0; i <= last; ++i) {
        const std::string of = fmt::format("{}.{}", name, i);
        LATHE_TRY(std::optional<HostTensor> part, valueNamed(all, of, inner));
        if (!part)
            return failure(fmt::format("'{}' in it is no part of the form that the model declares", of),
                           "give each part of a list under its number: x.0, x.1");
        value.parts.push_back(*std::move(part));
    }
    return value;
}

/// Each tensor as it is meant.
Result<void> takeAs(HostTensor& value, DataType dtype) {
    if (!value.isComposed()) {
        LATHE_TRY(value, data::takenAs(std::move(value), dtype));
        return {};
    }
    for (HostTensor& part : value.parts)
        LATHE_CHECKED(takeAs(part, dtype));
    return {};
}

Result<HostTensor> readComposed(const fs::path& path, const Meant& meant) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) // a pipe would be waited for
        return Failure(notReadable());
    std::ifstream file(path, std::ios::binary);
    char magic[data::npyMagic.size()] = {};
    file.read(magic, sizeof(magic));
    const bool isArray = file && std::string_view(magic, sizeof(magic)) == data::npyMagic;
    if (isArray && meant.form == "o") { // what is in it
        LATHE_TRY(HostTensor tensor, readStored(path, meant));
        return model::composed('o', {std::move(tensor)});
    }
    const bool isZip = file && std::string_view(magic, 2) == "PK";
    if (!isZip && path.extension() != ".npz")
        return frontend::readValue(path, meant.form);
    LATHE_TRY(data::NamedTensors read, data::readAllOfNpz(path, [&](std::string_view) { return meant.dtype; }));
    TensorsByName all;
    for (auto& [name, tensor] : read)
        all.emplace(std::move(name), std::move(tensor));
    LATHE_TRY(std::optional<HostTensor> value, valueNamed(all, std::string(meant.name), meant.form));
    return value ? *std::move(value) : model::composed(meant.form.front());
}

} // namespace

Result<HostTensor> readValueFile(const fs::path& path, const Meant& meant) {
    if (meant.form.empty())
        return readTensorFile(path, meant);
    Result<HostTensor> value = readComposed(path, meant);
    if (value)
        if (const Result<void> taken = takeAs(*value, meant.dtype); !taken)
            value = std::unexpected(taken.error());
    if (!value)
        value.error().file = path.string();
    return value;
}

std::vector<std::pair<std::string, const HostTensor*>> namedParts(const std::string& name, const HostTensor& value) {
    if (!value.isComposed())
        return {{name, &value}};
    std::vector<std::pair<std::string, const HostTensor*>> all;
    for (size_t i = 0; i < value.parts.size(); ++i) {
        const bool isList = value.form == HostTensor::Form::List;
        for (auto& part : namedParts(isList ? fmt::format("{}.{}", name, i) : name, value.parts[i]))
            all.push_back(std::move(part));
    }
    return all;
}

Result<HostTensor> readTensorFile(const fs::path& path, const Meant& meant) {
    LATHE_TRY(HostTensor stored, readStored(path, meant));
    auto tensor = data::takenAs(std::move(stored), meant.dtype);
    if (!tensor)
        tensor.error().file = path.string();
    return tensor;
}

Result<void> writeNpy(const fs::path& path, const TensorView& tensor, const std::function<bool()>& cancelled) {
    constexpr size_t partBytes = size_t{4} << 20;
    std::string_view code = data::npyCode(tensor.dtype);
    const bool widens = code.empty() && tensor.dtype.isFloat();
    if (widens)
        code = "<f4";
    if (code.empty())
        code = tensor.dtype.isSigned() ? "|i1" : "|u1";
    const std::string prefix = data::npyPrefix(code, tensor.shape);
    NewFile file(path, NewFile::Kind::Text);
    bool good = file.write(std::as_bytes(std::span(prefix)));
    for (std::span<const std::byte> rest = tensor.bytes; good && !rest.empty();) {
        if (cancelled && cancelled())
            throw Cancelled{};
        const std::span<const std::byte> part = rest.first(std::min(partBytes, rest.size()));
        good = widens ? file.write(widened(tensor.dtype, part)) : file.write(part);
        rest = rest.subspan(part.size());
    }
    if (good && file.keep())
        return {};
    return unwritten(path);
}

Result<void> writeNpy(const fs::path& path, std::span<const int64_t> shape, const std::vector<std::string>& strings) {
    auto text = data::npyOfStrings(shape, strings);
    if (!text) {
        text.error().file = path.string();
        return Failure(std::move(text).error());
    }
    NewFile file(path, NewFile::Kind::Text);
    if (file.write(std::as_bytes(std::span(*text))) && file.keep())
        return {};
    return unwritten(path);
}

Result<void> writeNpy(const fs::path& path, const HostTensor& tensor) {
    if (tensor.dtype == types::String)
        return writeNpy(path, tensor.shape, tensor.strings);
    return writeNpy(path, TensorView{tensor.dtype, tensor.shape, tensor.bytes});
}

std::string npyOf(const TensorView& tensor) {
    const std::string_view code = data::npyCode(tensor.dtype);
    LATHE_ASSERT(!code.empty(), "NumPy has the type");
    std::string text = data::npyPrefix(code, tensor.shape);
    text.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    return text;
}

std::string fileNameOf(std::string_view valueName) {
    std::string name;
    for (const char c : valueName) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || c == '/' || c == '%' || (c == '.' && name.empty()))
            name += fmt::format("%{:02X}", byte);
        else
            name += c;
    }
    if (name.empty())
        return "%"; // no other name gives a lone percent sign
    // File systems end names at 255 bytes, of which a suffix and a temporary name need some. TFLite's names list all operators
    // that were made one.
    constexpr size_t most = 200;
    if (name.size() > most) {
        size_t kept = most - 34;
        while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80)
            --kept; // not within a character
        name.resize(kept);
        name += "%-" + toString(hashBytes(std::as_bytes(std::span(valueName)))); // %- is no escape
    }
    return name;
}

} // namespace lathe::driver
