// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/trial.h"

#include "runtime/dtype.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <sys/statvfs.h>

namespace lathe::selfcheck {
namespace {

using model::HostTensor;
using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct FreeContext {
    void operator()(lathe_context* context) const { lathe_context_free(context); }
};
using ContextPtr = std::unique_ptr<lathe_context, FreeContext>;

std::string lastError(const lathe_context* context) {
    const std::string text = lathe_last_error(context);
    return text.empty() ? lathe_thread_error() : text;
}

/// A context with its inputs set.
Result<ContextPtr> prepare(lathe_model* model, const std::vector<HostTensor>& inputs, int threads) {
    lathe_context_options options{};
    options.struct_bytes = sizeof options;
    options.threads = threads;
    lathe_context* made = nullptr;
    if (lathe_context_create(model, &options, &made) != LATHE_OK)
        return failure(lathe_thread_error());
    ContextPtr context(made);
    for (size_t i = 0; i < inputs.size(); ++i) {
        const auto index = static_cast<int32_t>(i);
        lathe_value_info info;
        if (lathe_model_input(model, index, &info) != LATHE_OK)
            return failure(lathe_thread_error());
        std::vector<int64_t> dims = inputs[i].shape;
        std::vector<lathe_string> strings;
        for (const std::string& text : inputs[i].strings)
            strings.push_back({text.data(), text.size()});
        DLTensor tensor{};
        tensor.data = const_cast<std::byte*>(inputs[i].bytes.data());
        if (runtime::isString(info.dtype))
            tensor.data = strings.data();
        tensor.device = {kDLCPU, 0};
        tensor.dtype = info.dtype;
        tensor.ndim = static_cast<int32_t>(dims.size());
        tensor.shape = dims.data();
        if (lathe_set_input(context.get(), index, &tensor) != LATHE_OK)
            return failure(lastError(context.get()));
    }
    return context;
}

/// Row-major and compact, as the runtime gives outputs.
HostTensor copyOf(const DLTensor& tensor) {
    HostTensor copy;
    copy.dtype = typeOf(tensor.dtype);
    copy.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (copy.dtype == types::String) {
        const auto* strings = static_cast<const lathe_string*>(tensor.data);
        for (int64_t i = 0; i < copy.elements(); ++i)
            copy.strings.emplace_back(strings[i].data, strings[i].size);
        return copy;
    }
    const auto* begin = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    copy.bytes.assign(begin, begin + copy.elements() * copy.dtype.bytes());
    return copy;
}

bool isNoexec(const std::filesystem::path& path) {
    struct statvfs facts{};
    return statvfs(path.c_str(), &facts) == 0 && (facts.f_flag & ST_NOEXEC) != 0;
}

} // namespace

DataType typeOf(DLDataType type) {
    if (runtime::isString(type))
        return types::String;
    for (int32_t code = 0; code < static_cast<int32_t>(runtime::TypeCode::String); ++code) {
        DLDataType candidate;
        if (runtime::toDlpack(code, type.bits, candidate) && runtime::sameType(candidate, type))
            return {static_cast<TypeCode>(code), type.bits}; // the codes are the same
    }
    return types::Void;
}

Trial::~Trial() {
    lathe_model_free(model_);
}

Result<void> Trial::load(const std::filesystem::path& bundle, const std::string& path) {
    const std::filesystem::path file = bundle / path;
    lathe_status status = lathe_model_verify(file.c_str());
    if (status == LATHE_OK) {
        const auto begin = Clock::now();
        status = lathe_model_load(file.c_str(), &model_);
        loadMs_ = msSince(begin);
    }
    if (status == LATHE_OK)
        return {};
    if (status != LATHE_UNSUPPORTED && isNoexec(file))
        return failure("the folder is mounted noexec: code cannot be mapped",
                       "copy the bundle to a folder that allows programs");
    return failure(status == LATHE_UNSUPPORTED ? ErrorKind::Unsupported : ErrorKind::Invalid, lathe_thread_error());
}

Result<void> Trial::open(const lathe_linked_model& linked) {
    const auto begin = Clock::now();
    const lathe_status status = lathe_linked_model_open(&linked, &model_);
    loadMs_ = msSince(begin);
    if (status == LATHE_OK)
        return {};
    return failure(status == LATHE_UNSUPPORTED ? ErrorKind::Unsupported : ErrorKind::Invalid, lathe_thread_error());
}

data::ValueTypes Trial::types() const {
    data::ValueTypes types;
    lathe_value_info info;
    for (int32_t i = 0; lathe_model_input(model_, i, &info) == LATHE_OK; ++i)
        types.inputs.push_back(typeOf(info.dtype));
    for (int32_t i = 0; lathe_model_output(model_, i, &info) == LATHE_OK; ++i)
        types.outputs.push_back(typeOf(info.dtype));
    return types;
}

std::vector<std::string> Trial::outputNames() const {
    std::vector<std::string> names;
    lathe_value_info info;
    for (int32_t i = 0; lathe_model_output(model_, i, &info) == LATHE_OK; ++i)
        names.emplace_back(info.name);
    return names;
}

Result<std::vector<HostTensor>> Trial::run(const std::vector<HostTensor>& inputs, int threads) {
    LATHE_TRY(const ContextPtr context, prepare(model_, inputs, threads));
    if (lathe_run(context.get()) != LATHE_OK)
        return failure(lastError(context.get()));
    std::vector<HostTensor> outputs;
    for (int32_t i = 0; i < lathe_model_output_count(model_); ++i) {
        DLTensor tensor{};
        if (lathe_get_output(context.get(), i, &tensor) != LATHE_OK)
            return failure(lastError(context.get()));
        outputs.push_back(copyOf(tensor));
    }
    lathe_memory_info memory{};
    lathe_memory(context.get(), &memory);
    arenaPeak_ = memory.arena_peak;
    threads_ = lathe_thread_count(context.get());
    return outputs;
}

Result<data::Latency> Trial::time(const std::vector<HostTensor>& inputs, int threads, int runs) {
    LATHE_TRY(const ContextPtr context, prepare(model_, inputs, threads));
    double first = 0;
    std::vector<double> times;
    const auto start = Clock::now();
    for (int i = 0; i <= runs && (i <= data::fewestTimed || msSince(start) < data::longestTimedMs); ++i) {
        const auto begin = Clock::now();
        if (lathe_run(context.get()) != LATHE_OK)
            return failure(lastError(context.get()));
        (i == 0 ? first : times.emplace_back()) = msSince(begin);
    }
    threads_ = lathe_thread_count(context.get());
    return data::latencyOf(first, std::move(times));
}

} // namespace lathe::selfcheck
