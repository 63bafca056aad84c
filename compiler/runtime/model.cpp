// SPDX-License-Identifier: Apache-2.0
//
// Loading a model is: map it, check its tables and the CPU, give it the functions that it calls.
#include "runtime/model.h"

#include "abi/packed_strings.h"
#include "runtime/cpu.h"
#include "runtime/dtype.h"
#include "runtime/functions.h"

#include <atomic>

namespace lathe::runtime {

namespace {

/// That the bytes of constants of strings are these.
lathe_status checkStrings(const lathe_model_desc& desc, const char* constants, ErrorText& error) {
    for (int32_t i = 0; i < desc.constant_count; ++i) {
        const lathe_constant_desc& constant = desc.constants[i];
        const auto* bytes = reinterpret_cast<const std::byte*>(constants) + constant.offset;
        if (constant.strings > 0 &&
            !abi::unpackStrings({bytes, static_cast<size_t>(constant.bytes)}, static_cast<uint64_t>(constant.strings),
                                [](std::string_view) {}))
            return error.set(LATHE_BAD_ARTIFACT, "constant %d does not hold %lld strings", i,
                             static_cast<long long>(constant.strings));
    }
    return LATHE_OK;
}

void setType(const lathe_value_desc& value, DLDataType& type) {
    toDlpack(value.type_code, value.bits, type);
}

} // namespace

lathe_status Model::load(const char* path, ErrorText& error, std::shared_ptr<const Model>& model) {
    auto loaded = std::make_shared<Model>();
    if (const lathe_status bad = loaded->file_.load(path, error))
        return bad;
    const ArtifactFile& file = loaded->file_;
    if (const lathe_status bad = loaded->adopt(file.desc(), file.constants(), file.constantBytes(), error)) {
        ErrorText why = error;
        return error.set(bad, "%s: %s", path, why.c_str());
    }
    model = std::move(loaded);
    return LATHE_OK;
}

lathe_status Model::fromMemory(const lathe_model_desc* desc, const void* constants, int64_t constantBytes,
                               ErrorText& error, std::shared_ptr<const Model>& model) {
    auto loaded = std::make_shared<Model>();
    if (const lathe_status bad = loaded->adopt(desc, static_cast<const char*>(constants), constantBytes, error))
        return bad;
    model = std::move(loaded);
    return LATHE_OK;
}

lathe_status Model::adopt(const lathe_model_desc* desc, const char* constants, int64_t constantBytes,
                          ErrorText& error) {
    if (const lathe_status bad = checkTables(*desc, constantBytes, error))
        return bad;
    if (const lathe_status bad = checkStrings(*desc, constants, error))
        return bad;
    if (const lathe_status bad = checkCpu(desc->isa, desc->vector_bits, error))
        return bad;
    desc_ = desc;
    constants_ = constants;
    inputTypes_.resize(static_cast<size_t>(desc->input_count) + static_cast<size_t>(desc->state_count));
    outputTypes_.resize(static_cast<size_t>(desc->output_count) + static_cast<size_t>(desc->state_count));
    for (size_t i = 0; i < inputTypes_.size(); ++i)
        setType(inputDesc(static_cast<int32_t>(i)), inputTypes_[i]);
    for (size_t i = 0; i < outputTypes_.size(); ++i)
        setType(outputDesc(static_cast<int32_t>(i)), outputTypes_[i]);
    if (desc->functions)
        // Atomic: two threads may load one artifact, which the loader then maps once.
        std::atomic_ref(*desc->functions).store(functionTable(), std::memory_order_relaxed);
    return LATHE_OK;
}

const lathe_value_desc& Model::inputDesc(int32_t index) const {
    return index < desc_->input_count ? desc_->inputs[index] : desc_->states[index - desc_->input_count].value;
}

const lathe_value_desc& Model::outputDesc(int32_t index) const {
    return index < desc_->output_count ? desc_->outputs[index] : desc_->states[index - desc_->output_count].value;
}

const void* Model::constant(int32_t index) const {
    if (index < 0 || index >= desc_->constant_count)
        return nullptr;
    return constants_ + desc_->constants[index].offset;
}

} // namespace lathe::runtime
