// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a file: their declared types, with what stored integers stand for, and the elements of constants. Elements
// are shared with the file where they lie as they are needed; packed, misaligned and sparse ones are copied. Counts and
// sizes are checked before anything is allocated or read.
#pragma once

#include "base/budget.h"
#include "frontend/tflite/read.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace tflite {
struct Tensor;
}

namespace lathe::frontend::tflite {

/// Lathe's type of a TensorType; nothing for complex numbers, resources, variants and unknown codes.
std::optional<DataType> fromTensorType(int code);
/// "COMPLEX64" or "type 99", for messages.
std::string tensorTypeName(int code);

class TensorReader {
public:
    TensorReader(OpenModel open, std::shared_ptr<Budget> budget);

    /// The declared type. isInput: of a graph that people call; a shape without dims is a scalar's there, but may be an
    /// unknown one elsewhere. What may be wrong but has one meaning is added to `warnings`.
    Result<model::ValueType> typeOf(const ::tflite::Tensor& tensor, bool isInput, std::vector<Diagnostic>& warnings);

    /// Whether the file has elements for the tensor.
    Result<bool> hasElements(const ::tflite::Tensor& tensor) const;
    Result<model::TensorPtr> read(const ::tflite::Tensor& tensor);

    /// The bytes of a buffer: in the FlatBuffer or behind it.
    Result<model::Bytes> buffer(uint32_t index) const;
    /// Bytes of the file from its start.
    Result<model::Bytes> behind(uint64_t offset, uint64_t size) const;

private:
    using CopyKey = std::tuple<const std::byte*, size_t, DataType>;

    Result<model::TensorPtr> readStrings(const model::Bytes& raw, std::vector<int64_t> shape, int64_t elements);
    Result<model::Bytes> elementsOf(const model::Bytes& raw, DataType dtype, int64_t elements);
    Result<void> takeCopy(size_t bytes);
    Result<std::shared_ptr<const model::Quantization>> quantizationOf(const ::tflite::Tensor& tensor, DataType dtype,
                                                                      std::vector<Diagnostic>& warnings);

    OpenModel open_;
    std::shared_ptr<Budget> budget_;
    std::map<CopyKey, model::Bytes> copies_; // buffers may be shared
    size_t copied_ = 0;
};

} // namespace lathe::frontend::tflite
