// SPDX-License-Identifier: Apache-2.0
#include "driver/tensor_files.h"

#include "base/limits.h"
#include "base/new_file.h"
#include "driver/guarded.h"
#include "frontend/frontend.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;
using model::HostTensor;

static_assert(std::endian::native == std::endian::little, "elements of .npy files are copied as they are");

constexpr std::string_view npyMagic = "\x93NUMPY";
constexpr size_t maximalHeader = 1 << 20;

struct NpyType {
    std::string_view code;
    DataType dtype;
};
constexpr NpyType npyTypes[] = {{"|b1", types::Bool},    {"|i1", types::Int8},    {"|u1", types::UInt8},
                                {"<i2", types::Int16},   {"<u2", types::UInt16},  {"<i4", types::Int32},
                                {"<u4", types::UInt32},  {"<i8", types::Int64},   {"<u8", types::UInt64},
                                {"<f2", types::Float16}, {"<f4", types::Float32}, {"<f8", types::Float64}};

/// The header of a .npy file: a Python dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class Header {
public:
    std::string descr;
    bool fortranOrder = false;
    std::vector<int64_t> shape;

    /// Says what is wrong; nothing if all three keys were read and nothing else stands there.
    std::optional<std::string> read(std::string_view text) {
        text_ = text;
        int keys = 0;
        if (!take('{'))
            return "its header is no dictionary";
        while (!take('}')) {
            std::string key;
            if (!string(key) || !take(':'))
                return "its header is malformed";
            bool good = false;
            if (key == "descr")
                good = string(descr);
            else if (key == "fortran_order")
                good = (fortranOrder = word("True")) || word("False");
            else if (key == "shape")
                good = tuple();
            if (!good)
                return fmt::format("its header's '{}' is unknown or malformed", key);
            keys |= key == "descr" ? 1 : key == "fortran_order" ? 2 : 4;
            if (!take(',') && peek() != '}')
                return "its header is malformed";
        }
        if (keys != 7)
            return "its header is incomplete";
        peek();
        return text_.empty() ? std::nullopt : std::optional("its header goes on after its end");
    }

private:
    /// What comes behind the blanks; also 0 at the end.
    char peek() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
            text_.remove_prefix(1);
        return text_.empty() ? '\0' : text_.front();
    }
    bool take(char wanted) {
        const bool found = peek() == wanted && !text_.empty();
        if (found)
            text_.remove_prefix(1);
        return found;
    }
    bool word(std::string_view wanted) {
        peek();
        const bool found = text_.starts_with(wanted);
        if (found)
            text_.remove_prefix(wanted.size());
        return found;
    }
    bool string(std::string& into) {
        const char quote = peek();
        if ((quote != '\'' && quote != '"') || !take(quote))
            return false;
        const size_t end = text_.find(quote);
        if (end == std::string_view::npos)
            return false;
        into = text_.substr(0, end);
        text_.remove_prefix(end + 1);
        return true;
    }
    bool tuple() {
        if (!take('('))
            return false;
        while (!take(')')) {
            int64_t dim = 0;
            peek();
            const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), dim);
            if (status != std::errc())
                return false;
            text_.remove_prefix(static_cast<size_t>(end - text_.data()));
            take('L'); // Python 2 wrote 3L
            shape.push_back(dim);
            if (!take(',') && peek() != ')')
                return false;
        }
        return true;
    }

    std::string_view text_;
};

DataType typeOf(std::string_view code) {
    for (const NpyType& type : npyTypes)
        if (type.code == code || (type.dtype.bytes() == 1 && code.size() == 3 && code.substr(1) == type.code.substr(1)))
            return type.dtype;
    return types::Void;
}

Result<HostTensor> readNpy(const fs::path& path, std::ifstream& file, uint64_t fileBytes) {
    const auto bad = [&](std::string_view why) {
        Diagnostic diagnostic = error(fmt::format("this is no NumPy array that can be read: {}", why),
                                      "numpy.save writes such a file from numpy.ascontiguousarray(x)");
        diagnostic.file = path.string();
        return Failure(diagnostic);
    };
    char version[2];
    unsigned char length[4] = {};
    if (!file.read(version, 2) || !file.read(reinterpret_cast<char*>(length), version[0] >= 2 ? 4 : 2))
        return bad("it is truncated");
    const size_t headerBytes = length[0] | size_t{length[1]} << 8 | size_t{length[2]} << 16 | size_t{length[3]} << 24;
    if (version[0] < 1 || version[0] > 3)
        return bad("it has a later format");
    if (headerBytes > maximalHeader)
        return bad("its header is too long");
    std::string text(headerBytes, ' ');
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
        return bad("it is truncated");
    Header header;
    if (const auto problem = header.read(text))
        return bad(*problem);
    HostTensor tensor;
    tensor.dtype = typeOf(header.descr);
    if (tensor.dtype == types::Void)
        return bad(fmt::format("elements of type '{}' are unknown here", header.descr));
    if (header.fortranOrder && header.shape.size() > 1)
        return bad("it is in column-major order");
    tensor.shape = std::move(header.shape);
    const auto size = model::byteSize(tensor.dtype, tensor.shape);
    if (!size)
        return bad(fmt::format("[{}] is no size of a tensor", fmt::join(tensor.shape, ",")));
    const uint64_t held = fileBytes - static_cast<uint64_t>(file.tellg());
    if (held != static_cast<uint64_t>(*size))
        return bad(fmt::format("it holds {} bytes of elements, and {}[{}] takes {}", held, toString(tensor.dtype),
                               fmt::join(tensor.shape, ","), *size));
    tensor.bytes.resize(static_cast<size_t>(*size));
    if (!file.read(reinterpret_cast<char*>(tensor.bytes.data()), *size))
        return bad("it is truncated");
    if (tensor.dtype == types::Bool) // a kernel may rely on 0 and 1
        for (std::byte& value : tensor.bytes)
            value = std::byte{value != std::byte{0}};
    return tensor;
}

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

} // namespace

Result<HostTensor> readTensorFile(const fs::path& path) {
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
        return named(error("the file cannot be read", "name a .npy file or a TensorProto (.pb)"));
    char magic[npyMagic.size()] = {};
    file.read(magic, sizeof(magic));
    if (file && std::string_view(magic, sizeof(magic)) == npyMagic)
        return readNpy(path, file, fileBytes);
    if (path.extension() == ".npy")
        return named(error("this is no NumPy array: it does not begin as one", "numpy.save writes such a file"));
    LATHE_TRY(const model::TensorPtr tensor, frontend::readTensor(path));
    return model::toHost(*tensor);
}

Result<void> writeNpy(const fs::path& path, const TensorView& tensor, const std::function<bool()>& cancelled) {
    constexpr size_t partBytes = size_t{4} << 20;
    std::string_view code;
    for (const NpyType& type : npyTypes)
        if (type.dtype == tensor.dtype)
            code = type.code;
    const bool widens = code.empty() && tensor.dtype.isFloat();
    if (widens)
        code = "<f4";
    if (code.empty())
        code = tensor.dtype.isSigned() ? "|i1" : "|u1";
    const std::string shape = tensor.shape.size() == 1 ? fmt::format("{},", tensor.shape[0])
                                                       : fmt::format("{}", fmt::join(tensor.shape, ", "));
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", code, shape);
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' '); // elements begin at a multiple of 64
    header += '\n';
    const auto length = static_cast<uint16_t>(header.size()); // at most 32 dims of 20 digits
    const std::string prefix = std::string(npyMagic) + '\x01' + '\0' + static_cast<char>(length & 0xff) +
                               static_cast<char>(length >> 8) + header;
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
    Diagnostic diagnostic = error("the file cannot be written", "look for space and for the right to write there");
    diagnostic.file = path.string();
    return Failure(diagnostic);
}

Result<void> writeNpy(const fs::path& path, const HostTensor& tensor) {
    return writeNpy(path, TensorView{tensor.dtype, tensor.shape, tensor.bytes});
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
    return name.empty() ? "%" : name; // no other name gives a lone percent sign
}

} // namespace lathe::driver
