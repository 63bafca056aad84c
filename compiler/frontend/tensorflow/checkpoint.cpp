// SPDX-License-Identifier: Apache-2.0
#include "frontend/tensorflow/checkpoint.h"

#include "frontend/tensorflow/checksum.h"
#include "frontend/tensorflow/elements.h"
#include "frontend/tensorflow/sorted_table.h"
#include "frontend/tensorflow/tensors.h"
#include "frontend/tensorflow/types.h"
#include "model/host_tensor.h"

#include <tensorflow/core/protobuf/tensor_bundle.pb.h>

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace lathe::frontend::tensorflow {
namespace {

constexpr const char* saveAgain = "copy or export the model again";

/// A number as keys of parts hold it: its length, then its bytes, the highest first.
void appendCount(std::string& key, uint64_t value) {
    std::string bytes;
    for (; value > 0; value >>= 8)
        bytes.insert(bytes.begin(), static_cast<char>(value & 0xff));
    key += static_cast<char>(bytes.size());
    key += bytes;
}

/// The same with a sign: the first bits say how many bytes there are.
void appendSigned(std::string& key, int64_t value) {
    if (value < 64 && value >= -64) {
        key += static_cast<char>(0x80 ^ (value & 0xff));
        return;
    }
    size_t length = 2;
    while (length < 9 && (value >> (7 * length - 1)) != 0 && (value >> (7 * length - 1)) != -1)
        ++length;
    std::string bytes;
    for (size_t i = length; i-- > 0;)
        bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 0xff : value < 0 ? 0xff : 0);
    for (size_t bit = 0; bit < length; ++bit) // as many ones as bytes, turned round where the number is negative
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (0x80 >> bit % 8));
    key += bytes;
}

/// Whether every extent lies within its dim.
bool liesWithin(const auto& extents, const std::vector<int64_t>& shape) {
    if (extents.size() != shape.size())
        return false;
    for (size_t i = 0; i < shape.size(); ++i)
        if (extents[i].start < 0 || extents[i].length < 0 || extents[i].start > shape[i] ||
            extents[i].length > shape[i] - extents[i].start)
            return false;
    return true;
}

std::vector<int64_t> lengthsOf(const auto& extents) {
    std::vector<int64_t> lengths;
    for (const auto& extent : extents)
        lengths.push_back(extent.length);
    return lengths;
}

/// Copies a block of a tensor of `shape`, at `extents`, row by row: out of it or into it.
void copyPart(std::byte* whole, std::byte* part, bool intoWhole, const std::vector<int64_t>& shape, const auto& extents,
              size_t width) {
    const size_t rank = shape.size();
    const int64_t row = rank == 0 ? 1 : extents[rank - 1].length;
    int64_t rows = row == 0 ? 0 : 1;
    for (size_t i = 0; i + 1 < rank; ++i)
        rows *= extents[i].length;
    std::vector<int64_t> at(rank, 0);
    for (int64_t r = 0; r < rows; ++r) {
        int64_t offset = 0;
        for (size_t i = 0; i < rank; ++i)
            offset = offset * shape[i] + extents[i].start + at[i];
        std::byte* inWhole = whole + static_cast<size_t>(offset) * width;
        std::byte* inPart = part + static_cast<size_t>(r * row) * width;
        std::memcpy(intoWhole ? inWhole : inPart, intoWhole ? inPart : inWhole, static_cast<size_t>(row) * width);
        for (size_t i = rank < 2 ? 0 : rank - 1; i-- > 0;) {
            if (++at[i] < extents[i].length)
                break;
            at[i] = 0;
        }
    }
}

std::optional<int64_t> numberIn(std::string_view text) {
    int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

} // namespace

struct Checkpoint::Stored {
    ::tensorflow::BundleEntryProto entry;
    DataType dtype;
    std::vector<int64_t> shape;
    int64_t bytes = 0;
};

Result<Checkpoint> Checkpoint::open(std::shared_ptr<const Members> members, const std::string& prefix,
                                    std::shared_ptr<Budget> budget) {
    Checkpoint made;
    made.members_ = std::move(members);
    made.prefix_ = prefix;
    made.budget_ = std::move(budget);
    LATHE_TRY(const model::Bytes index, made.members_->read(prefix + ".index"));
    LATHE_TRY(made.entries_, readTable(index.view));
    ::tensorflow::BundleHeaderProto header;
    const auto found = made.entries_.find("");
    if (found == made.entries_.end() || !header.ParseFromString(found->second) || header.num_shards() < 1)
        return failure("the index of the variables has no header", saveAgain);
    if (header.endianness() != ::tensorflow::BundleHeaderProto::LITTLE)
        return failure(ErrorKind::Unsupported, "the variables were saved by a machine with bytes in another order",
                       "save the model on a machine of today");
    made.shards_ = header.num_shards();
    return made;
}

Result<Checkpoint::Stored> Checkpoint::find(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end())
        return failure(fmt::format("there are no values of the variable '{}' beside the model", key), saveAgain);
    Stored stored;
    if (!stored.entry.ParseFromString(found->second))
        return failure(fmt::format("the index of the variables is damaged: what it says of '{}' cannot be read", key),
                       saveAgain);
    const std::optional<DataType> dtype = fromProto(stored.entry.dtype());
    if (!dtype || *dtype == types::String)
        return failure(ErrorKind::Unsupported, fmt::format("variable '{}' is of {}, which is not supported", key,
                                                           protoTypeName(stored.entry.dtype())));
    stored.dtype = *dtype;
    LATHE_TRY(auto shape, shapeOf(stored.entry.shape()));
    const auto bytes = shape ? model::byteSize(*dtype, *shape) : std::nullopt;
    if (!bytes)
        return failure(fmt::format("the shape of variable '{}' is not known, or too large", key), saveAgain);
    stored.shape = *std::move(shape);
    stored.bytes = *bytes;
    return stored;
}

Result<model::Bytes> Checkpoint::elementsOf(const Stored& stored, const std::string& key) {
    const ::tensorflow::BundleEntryProto& entry = stored.entry;
    if (entry.shard_id() < 0 || entry.shard_id() >= shards_)
        return failure(fmt::format("variable '{}' lies in file {} of {}", key, entry.shard_id(), shards_), saveAgain);
    if (entry.size() != stored.bytes)
        return failure(fmt::format("variable '{}' takes {} bytes, but {} are stored", key, stored.bytes, entry.size()),
                       saveAgain);
    if (!data_.contains(entry.shard_id())) {
        const std::string name = fmt::format("{}.data-{:05}-of-{:05}", prefix_, entry.shard_id(), shards_);
        LATHE_TRY(const model::Bytes read, members_->read(name));
        data_.emplace(entry.shard_id(), read);
    }
    const model::Bytes& data = data_.at(entry.shard_id());
    const auto all = static_cast<int64_t>(data.view.size());
    if (entry.offset() < 0 || entry.offset() > all || entry.size() > all - entry.offset())
        return failure(fmt::format("variable '{}' lies beyond the end of its file, which has {} bytes", key, all),
                       saveAgain);
    const auto view = data.view.subspan(static_cast<size_t>(entry.offset()), static_cast<size_t>(entry.size()));
    budget_->checkpoint();
    if (maskedChecksum(view) != entry.crc32c())
        return failure(fmt::format("the checksum of variable '{}' does not match: its file is damaged", key),
                       saveAgain);
    return model::Bytes{data.owner, view};
}

Result<model::TensorPtr> Checkpoint::assembled(const Stored& stored, const std::string& key) {
    if (!budget_->takeBytes(stored.bytes))
        return failure(ErrorKind::Unsupported,
                       fmt::format("variable '{}', which is stored in parts, is too large", key));
    const auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(stored.bytes));
    int64_t missing = stored.bytes;
    for (const ::tensorflow::TensorSliceProto& slice : stored.entry.slices()) {
        Extents extents;
        std::string part(1, '\0');
        for (const char c : key) {
            part += c;
            if (c == '\0' || c == '\xff')
                part += c == '\0' ? '\xff' : '\0';
        }
        part += std::string("\0\1", 2);
        appendCount(part, static_cast<uint64_t>(slice.extent_size()));
        for (int i = 0; i < slice.extent_size(); ++i) {
            const auto& extent = slice.extent(i);
            const bool isAll = extent.has_length_case() == ::tensorflow::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET;
            appendSigned(part, isAll ? 0 : extent.start());
            appendSigned(part, isAll ? -1 : extent.length());
            const bool exists = static_cast<size_t>(i) < stored.shape.size();
            extents.push_back(isAll && exists ? Extent{0, stored.shape[static_cast<size_t>(i)]}
                                              : Extent{extent.start(), extent.length()});
        }
        if (!liesWithin(extents, stored.shape))
            return failure(fmt::format("a part of variable '{}' does not lie in it", key), saveAgain);
        LATHE_TRY(const Stored found, find(part));
        if (found.dtype != stored.dtype || found.shape != lengthsOf(extents))
            return failure(fmt::format("a part of variable '{}' has another shape than is said of it", key), saveAgain);
        if (found.bytes > missing)
            return failure(fmt::format("the parts of variable '{}' overlap", key), saveAgain);
        missing -= found.bytes;
        LATHE_TRY(const model::Bytes elements, elementsOf(found, key));
        std::vector<std::byte> copy(elements.view.begin(), elements.view.end());
        copyPart(bytes->data(), copy.data(), true, stored.shape, extents, stored.dtype.bytes());
    }
    if (missing > 0)
        return failure(fmt::format("parts of variable '{}' are missing", key), saveAgain);
    return std::make_shared<model::TensorData>(model::TensorData{stored.dtype, stored.shape, {bytes, *bytes}, {}});
}

Result<model::TensorPtr> Checkpoint::whole(const std::string& key) {
    if (const auto known = assembled_.find(key); known != assembled_.end())
        return known->second;
    LATHE_TRY(const Stored stored, find(key));
    if (stored.entry.slices_size() > 0)
        return assembled_.emplace(key, assembled(stored, key)).first->second;
    LATHE_TRY(const model::Bytes inFile, elementsOf(stored, key));
    LATHE_TRY(model::Bytes elements, readable(inFile, stored.dtype, *budget_));
    return std::make_shared<model::TensorData>(model::TensorData{stored.dtype, stored.shape, std::move(elements), {}});
}

Result<model::TensorPtr> Checkpoint::read(const std::string& key, const std::string& slice) {
    LATHE_TRY(const model::TensorPtr tensor, whole(key));
    if (slice.empty())
        return tensor;
    const auto malformed = [&] {
        return failure(fmt::format("variable '{}' is read in part, '{}', which does not fit it", key, slice),
                       saveAgain);
    };
    // The dims, each with a space behind it, then a part of each dim with a colon between them.
    const size_t last = slice.rfind(' ');
    std::string_view parts = last == std::string::npos ? slice : std::string_view(slice).substr(last + 1);
    Extents extents;
    for (size_t i = 0; i < tensor->shape.size(); ++i) {
        const std::string_view part = parts.substr(0, parts.find(':'));
        parts.remove_prefix(std::min(part.size() + 1, parts.size()));
        if (part == "-") {
            extents.push_back({0, tensor->shape[i]});
            continue;
        }
        const size_t comma = part.find(',');
        const auto start = numberIn(part.substr(0, comma));
        const auto length = comma == std::string_view::npos ? std::nullopt : numberIn(part.substr(comma + 1));
        if (!start || !length)
            return malformed();
        extents.push_back({*start, *length});
    }
    if (!parts.empty() || !liesWithin(extents, tensor->shape))
        return malformed();
    const std::vector<int64_t> shape = lengthsOf(extents);
    const auto size = model::byteSize(tensor->dtype, shape);
    if (!size || !budget_->takeBytes(*size))
        return failure(ErrorKind::Unsupported, fmt::format("variable '{}', which is read in part, is too large", key));
    const auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(*size));
    std::vector<std::byte> copy(tensor->bytes.view.begin(), tensor->bytes.view.end());
    copyPart(copy.data(), bytes->data(), false, tensor->shape, extents, tensor->dtype.bytes());
    return std::make_shared<model::TensorData>(model::TensorData{tensor->dtype, shape, {bytes, *bytes}, {}});
}

} // namespace lathe::frontend::tensorflow
