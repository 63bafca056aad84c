// SPDX-License-Identifier: Apache-2.0
#include "data/npy.h"

#include "data/npy_text.h"
#include "data/stored_type.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace lathe::data {
namespace {

using model::HostTensor;

static_assert(std::endian::native == std::endian::little, "elements of .npy files are copied as they are");

constexpr size_t maximalHeader = 1 << 20;

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

/// Of elements that have a size and no name.
bool isNameless(std::string_view code) {
    return code.size() > 2 && code[1] == 'V';
}

DataType typeOf(std::string code, DataType meant) {
    if (code.starts_with('>')) // the bytes are turned round when they are read
        code.front() = '<';
    if (isNameless(code))
        for (const DataType bits : {types::UInt8, types::UInt16})
            if (code.size() == 3 && code[2] == '0' + bits.bytes() && areBitsOf(bits, meant))
                return bits;
    if (code == "<f1") // as ml_dtypes names it; its other types are nameless
        return {TypeCode::Float8E5M2, 8};
    for (const NpyType& type : npyTypes)
        if (type.code == code ||
            (type.dtype.bytes() == 1 && code.size() == 3 && code.compare(1, 2, type.code, 1, 2) == 0))
            return type.dtype;
    return types::Void;
}

void turnBytes(std::span<std::byte> bytes, size_t element) {
    for (size_t at = 0; at < bytes.size(); at += element)
        std::ranges::reverse(bytes.subspan(at, element));
}

/// Elements whose first index runs fastest, with the last one fastest.
std::vector<std::byte> rowMajor(std::span<const std::byte> bytes, const std::vector<int64_t>& shape, size_t element) {
    std::vector<std::byte> result(bytes.size());
    std::vector<int64_t> index(shape.size());
    for (size_t to = 0; to < bytes.size(); to += element) {
        size_t from = 0;
        for (size_t d = shape.size(); d-- > 0;)
            from = from * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
        std::ranges::copy(bytes.subspan(from * element, element), result.begin() + static_cast<ptrdiff_t>(to));
        for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
            index[d] = 0;
    }
    return result;
}

/// Bytes of so many strings. Nothing if they are more than can be, or take none: the file would say nothing of how many.
std::optional<int64_t> textBytes(const NpyText& type, const std::vector<int64_t>& shape) {
    const std::optional<int64_t> each = type.bytes(), count = model::elementsOf(shape);
    int64_t bytes = 0;
    if (!each || !count || (*each == 0 && *count > 0) || __builtin_mul_overflow(*each, *count, &bytes))
        return std::nullopt;
    return bytes;
}

} // namespace

Result<HostTensor> readNpy(const std::filesystem::path& path, std::istream& file, uint64_t fileBytes, DataType meant) {
    const auto bad = [&](std::string_view why,
                         std::string hint = "numpy.save writes such a file from an array of numbers") {
        Diagnostic diagnostic = error(fmt::format("this is no NumPy array that can be read: {}", why), std::move(hint));
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
    const std::optional<NpyText> ofText = npyTextOf(header.descr);
    tensor.dtype = ofText ? types::String : typeOf(header.descr, meant);
    if (tensor.dtype == types::Void && isNameless(header.descr))
        return bad(fmt::format("its elements have no type, only a size ('{}'), as NumPy saves those that it lacks, and "
                               "{} is meant",
                               header.descr, meant == types::Void ? "nothing" : toString(meant)),
                   "save them as float32, or view their bits as unsigned integers");
    if (tensor.dtype == types::Void)
        return bad(fmt::format("elements of type '{}' are unknown here", header.descr));
    tensor.shape = std::move(header.shape);
    auto size = model::byteSize(tensor.dtype, tensor.shape);
    const std::optional<int64_t> element = ofText ? ofText->bytes() : tensor.dtype.bytes();
    if (size && ofText)
        size = textBytes(*ofText, tensor.shape);
    if (!size)
        return bad(fmt::format("[{}] is no size of a tensor", fmt::join(tensor.shape, ",")));
    const uint64_t held = fileBytes - static_cast<uint64_t>(file.tellg());
    if (held != static_cast<uint64_t>(*size))
        return bad(fmt::format("it holds {} bytes of elements, and {}[{}] takes {}", held,
                               ofText ? header.descr : toString(tensor.dtype), fmt::join(tensor.shape, ","), *size));
    tensor.bytes.resize(static_cast<size_t>(*size));
    if (!file.read(reinterpret_cast<char*>(tensor.bytes.data()), *size))
        return bad("it is truncated");
    const auto each = static_cast<size_t>(*element);
    if (header.descr.starts_with('>') && !ofText)
        turnBytes(tensor.bytes, each);
    if (header.fortranOrder)
        tensor.bytes = rowMajor(tensor.bytes, tensor.shape, each);
    if (ofText) {
        auto strings = stringsOf(*ofText, tensor.bytes);
        if (!strings)
            return bad("a character of a string is none of Unicode");
        tensor.strings = *std::move(strings);
        tensor.bytes.clear();
    }
    if (tensor.dtype == types::Bool) // a kernel may rely on 0 and 1
        for (std::byte& value : tensor.bytes)
            value = std::byte{value != std::byte{0}};
    return tensor;
}

std::string_view npyCode(DataType dtype) {
    for (const NpyType& type : npyTypes)
        if (type.dtype == dtype)
            return type.code;
    return {};
}

std::string npyPrefix(std::string_view code, std::span<const int64_t> dims) {
    const std::string shape = dims.size() == 1 ? fmt::format("{},", dims[0]) : fmt::format("{}", fmt::join(dims, ", "));
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", code, shape);
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' '); // elements begin at a multiple of 64
    header += '\n';
    const auto length = static_cast<uint16_t>(header.size()); // at most 32 dims of 20 digits
    return std::string(npyMagic) + '\x01' + '\0' + static_cast<char>(length & 0xff) + static_cast<char>(length >> 8) +
           header;
}

} // namespace lathe::data
