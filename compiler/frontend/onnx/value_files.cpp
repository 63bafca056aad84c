// SPDX-License-Identifier: Apache-2.0
//
// Files of sequences and optionals, as ONNX's test data have them. What the model declares says how they are read.
#include "frontend/onnx/import.h"
#include "frontend/onnx/tensors.h"

#include <fmt/format.h>

namespace lathe::frontend::onnx {
namespace {

using model::HostTensor;

class ValueReader {
public:
    ValueReader(std::shared_ptr<const void> owner, const Source& source)
        : tensors_(std::move(owner), source.folders, std::make_shared<Budget>()) {}

    Result<HostTensor> read(const ::onnx::TensorProto& proto, std::string_view form) {
        if (!form.empty())
            return contradiction("a tensor");
        LATHE_TRY(const model::TensorPtr tensor, tensors_.read(proto));
        return model::toHost(*tensor);
    }
    Result<HostTensor> read(const ::onnx::SequenceProto& proto, std::string_view form) {
        if (!form.starts_with('l'))
            return contradiction("a sequence");
        HostTensor list = model::composed('l');
        const auto take = [&](const auto& elements) -> Result<void> {
            for (const auto& element : elements) {
                LATHE_TRY(HostTensor part, read(element, form.substr(1)));
                list.parts.push_back(std::move(part));
            }
            return {};
        };
        LATHE_CHECKED(take(proto.tensor_values()));
        LATHE_CHECKED(take(proto.sequence_values()));
        LATHE_CHECKED(take(proto.optional_values()));
        if (proto.sparse_tensor_values_size() + proto.map_values_size() > 0)
            return contradiction("a sequence of sparse tensors or maps");
        return list;
    }
    Result<HostTensor> read(const ::onnx::OptionalProto& proto, std::string_view form) {
        if (!form.starts_with('o'))
            return contradiction("an optional");
        HostTensor optional = model::composed('o');
        const auto take = [&](bool has, const auto& value) -> Result<void> {
            if (!has)
                return {};
            LATHE_TRY(HostTensor part, read(value, form.substr(1)));
            optional.parts.push_back(std::move(part));
            return {};
        };
        LATHE_CHECKED(take(proto.has_tensor_value(), proto.tensor_value()));
        LATHE_CHECKED(take(proto.has_sequence_value(), proto.sequence_value()));
        LATHE_CHECKED(take(proto.has_optional_value(), proto.optional_value()));
        if (proto.has_sparse_tensor_value() || proto.has_map_value() || optional.parts.size() > 1)
            return contradiction("an optional of a sparse tensor, of a map or of several values");
        return optional;
    }

private:
    static Failure contradiction(std::string_view what) {
        return failure(fmt::format("the file holds {}, which is not what the model declares", what),
                       "write the value again, as the model declares it");
    }

    TensorReader tensors_;
};

} // namespace

Result<HostTensor> readValue(const Source& source, std::string_view form) {
    if (form.starts_with('l')) {
        LATHE_TRY(const auto proto, readSequenceProto(source.bytes.view));
        return ValueReader(proto, source).read(*proto, form);
    }
    LATHE_TRY(const auto proto, readOptionalProto(source.bytes.view));
    return ValueReader(proto, source).read(*proto, form);
}

} // namespace lathe::frontend::onnx
