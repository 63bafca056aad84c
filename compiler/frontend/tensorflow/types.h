// SPDX-License-Identifier: Apache-2.0
//
// Element types by the numbers that TensorFlow's files have for them.
#pragma once

#include "base/data_type.h"

#include <optional>
#include <string>

namespace lathe::frontend::tensorflow {

/// Lathe's type; nothing for complex numbers, handles and unknown numbers. A quantized type is its integer.
std::optional<DataType> fromProto(int dtype);
/// "DT_COMPLEX64" or "type 99".
std::string protoTypeName(int dtype);
/// The reverse of protoTypeName: what attributes of nodes hold.
std::optional<DataType> fromTypeName(const std::string& name);

} // namespace lathe::frontend::tensorflow
