// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lathe::frontend::torch {
namespace {

constexpr const char* saveAgain = "the file is damaged; copy it or save the program again";

/// Where elements lie, in elements of the storage.
struct Strided {
    Ints sizes, strides;
    int64_t offset = 0;
    int64_t count = 1;   // of elements
    int64_t needed = 0;  // elements that the storage has at least
    bool inOrder = true; // one behind the other
};

Result<int64_t> knownSize(const ProgramSize& size, int64_t most) {
    const int64_t* number = std::get_if<int64_t>(&size);
    if (!number || *number < 0 || *number > most)
        return failure(number ? fmt::format("a tensor of the archive has a size or stride of {}", *number)
                              : fmt::format("a tensor of the archive has the size '{}', which is no number",
                                            std::get<std::string>(size).substr(0, 80)),
                       saveAgain);
    return *number;
}

Result<Strided> readStrided(const TensorMeta& meta) {
    Strided strided;
    LATHE_TRY(strided.offset, knownSize(meta.offset, limits::tensorElements));
    for (const ProgramSize& size : meta.sizes) {
        LATHE_TRY(const int64_t one, knownSize(size, limits::tensorElements));
        strided.sizes.push_back(one);
        if (one > 0 && strided.count > limits::tensorElements / one)
            return failure(
                ErrorKind::Unsupported,
                fmt::format("a tensor of the archive has more elements than the limit of {}", limits::tensorElements),
                "split the tensor");
        strided.count *= std::max<int64_t>(one, 1);
    }
    if (std::ranges::find(strided.sizes, 0) != strided.sizes.end())
        strided.count = 0;
    int64_t next = 1;
    for (size_t i = meta.sizes.size(); i > 0; --i) {
        LATHE_TRY(const int64_t stride, knownSize(meta.strides[i - 1], limits::tensorElements));
        strided.strides.insert(strided.strides.begin(), stride);
        const int64_t size = strided.sizes[i - 1];
        strided.inOrder = strided.inOrder && (size == 1 || stride == next);
        next *= std::max<int64_t>(size, 1);
        // Both at most 2^40, but a storage has no elements beyond that.
        if (size > 1 && stride > limits::tensorElements / (size - 1))
            return failure("a tensor of the archive lies outside of its storage", saveAgain);
        strided.needed += size > 1 ? (size - 1) * stride : 0;
    }
    strided.needed = strided.count == 0 ? 0 : strided.needed + strided.offset + 1;
    return strided;
}

/// Copies the elements in row order.
void gatherRows(const Strided& from, const std::byte* storage, int64_t bytes, std::byte* to) {
    const size_t rank = from.sizes.size();
    Ints index(rank, 0);
    int64_t at = from.offset;
    for (int64_t i = 0; i < from.count; ++i, to += bytes) {
        std::memcpy(to, storage + at * bytes, static_cast<size_t>(bytes));
        for (size_t d = rank; d > 0; --d) {
            at += from.strides[d - 1];
            if (++index[d - 1] < from.sizes[d - 1])
                break;
            at -= from.sizes[d - 1] * from.strides[d - 1];
            index[d - 1] = 0;
        }
    }
}

} // namespace

Result<model::TensorPtr> makeTensor(const TensorMeta& meta, const model::Bytes& storage, Budget& budget) {
    if (meta.dtype == types::Void)
        return failure(ErrorKind::Unsupported, "a tensor of the archive is of an element type that is not supported",
                       "convert it to another type in the program");
    LATHE_TRY(const Strided strided, readStrided(meta));
    const int64_t bytes = meta.dtype.bytes() * (meta.isComplex ? 2 : 1);
    if (strided.needed > std::ssize(storage.view) / bytes)
        return failure(fmt::format("a tensor of the archive needs {} elements of {} bytes, its storage has {} bytes",
                                   strided.needed, bytes, storage.view.size()),
                       saveAgain);
    auto tensor = std::make_shared<model::TensorData>();
    tensor->dtype = meta.dtype;
    tensor->shape = strided.sizes;
    if (meta.isComplex)
        tensor->shape.push_back(2);
    const int64_t total = strided.count * bytes;
    const std::byte* first = storage.view.data() + (total > 0 ? strided.offset * bytes : 0);
    const bool isAligned = reinterpret_cast<uintptr_t>(first) % static_cast<uintptr_t>(meta.dtype.bytes()) == 0;
    if (strided.inOrder && isAligned && !meta.dtype.isBool()) {
        tensor->bytes = {storage.owner, {first, static_cast<size_t>(total)}};
        return tensor;
    }
    if (!budget.takeBytes(total))
        return failure(ErrorKind::Unsupported,
                       fmt::format("tensors of the archive take more than {} bytes once each has its own elements",
                                   limits::foldedBytes),
                       "let large tensors not be views of smaller ones: clone() them before saving");
    const auto own = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(total));
    if (total > 0)
        gatherRows(strided, storage.view.data(), bytes, own->data());
    if (meta.dtype.isBool()) // any byte but 0 is true, and a bool's is 1
        std::ranges::transform(*own, own->begin(), [](std::byte b) { return std::byte{b != std::byte{0}}; });
    tensor->bytes = {own, *own};
    return tensor;
}

} // namespace lathe::frontend::torch
