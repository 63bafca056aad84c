// SPDX-License-Identifier: Apache-2.0
#include "tuning/build_protocol.h"

#include "arith/analysis.h"
#include "base/hash.h"
#include "runtime/runner/protocol.h"

namespace lathe::tuning {
namespace {

using runtime::protocol::Reader;
using runtime::protocol::Writer;

constexpr uint32_t mostSizes = 64, mostChecks = 1 << 16;

std::string textOf(const Writer& writer) {
    const auto bytes = writer.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Enough at each of the sizes; -1: it does not follow from them.
int64_t workspaceAt(const lower::Kernel& kernel, const std::vector<std::vector<int64_t>>& allSizes) {
    if (!kernel.workspaceBytes)
        return 0;
    int64_t most = 0;
    for (const std::vector<int64_t>& sizes : allSizes) {
        arith::VarMap values;
        for (size_t i = 0; i < kernel.scalars.size() && i < sizes.size(); ++i)
            values[kernel.scalars[i].get()] = arith::intImm(sizes[i]);
        const auto bytes = arith::asInt(arith::simplify(arith::substitute(kernel.workspaceBytes, values)));
        if (!bytes)
            return -1;
        most = std::max(most, *bytes);
    }
    return most;
}

} // namespace

std::string encode(const BuildRequest& request) {
    Writer writer;
    writer.number(uint8_t{request.setting.has_value()});
    if (request.setting) {
        writer.string(request.setting->options);
        writer.string(request.setting->computation);
        writer.number(static_cast<uint32_t>(request.setting->sizes.size()));
        for (const std::vector<int64_t>& sizes : request.setting->sizes) {
            writer.number(static_cast<uint32_t>(sizes.size()));
            for (const int64_t size : sizes)
                writer.number(size);
        }
        writer.number(request.setting->cpuSeconds);
        writer.number(request.setting->bytes);
    }
    writer.string(request.name);
    writer.number(uint8_t{request.trace.has_value()});
    writer.string(request.trace.value_or(""));
    return textOf(writer);
}

std::optional<BuildRequest> decodeRequest(std::string_view message) {
    Reader reader(std::as_bytes(std::span(message)));
    BuildRequest request;
    if (reader.number<uint8_t>() != 0) {
        BuildSetting& setting = request.setting.emplace();
        setting.options = reader.string();
        setting.computation = reader.string();
        setting.sizes.resize(std::min(reader.count(sizeof(uint32_t)), mostSizes));
        for (std::vector<int64_t>& sizes : setting.sizes) {
            sizes.resize(std::min(reader.count(sizeof(int64_t)), mostSizes));
            for (int64_t& size : sizes)
                size = reader.number<int64_t>();
        }
        setting.cpuSeconds = reader.number<int64_t>();
        setting.bytes = reader.number<int64_t>();
    }
    request.name = reader.string();
    const bool hasTrace = reader.number<uint8_t>() != 0;
    std::string trace = reader.string();
    if (hasTrace)
        request.trace = std::move(trace);
    return reader.finished() ? std::optional(std::move(request)) : std::nullopt;
}

std::string encodeBuilt(const driver::CompiledKernel& kernel, const std::vector<std::vector<int64_t>>& sizes) {
    const Hash128 hash = hashBytes(kernel.object);
    Writer writer;
    writer.number(uint8_t{1});
    writer.string(kernel.kernel.name);
    writer.number(workspaceAt(kernel.kernel, sizes));
    writer.number(static_cast<uint32_t>(kernel.kernel.checks.size()));
    for (const lower::CheckInfo& check : kernel.kernel.checks) {
        writer.number(static_cast<int32_t>(check.kind));
        writer.number(int32_t{check.origin});
        writer.string(check.message);
    }
    writer.number(hash.high);
    writer.number(hash.low);
    writer.number(uint64_t{kernel.object.size()});
    writer.raw(kernel.object.data(), kernel.object.size());
    return textOf(writer);
}

std::string encodeRefused(const std::string& why) {
    Writer writer;
    writer.number(uint8_t{0});
    writer.string(why);
    return textOf(writer);
}

std::optional<BuildAnswer> decodeAnswer(std::string_view message) {
    Reader reader(std::as_bytes(std::span(message)));
    BuildAnswer answer;
    if (reader.number<uint8_t>() == 0) {
        answer.why = reader.string();
        return reader.finished() ? std::optional(std::move(answer)) : std::nullopt;
    }
    driver::CompiledKernel& made = answer.kernel.emplace();
    made.kernel.name = made.record.name = reader.string();
    const auto workspace = reader.number<int64_t>();
    made.kernel.workspaceBytes = arith::intImm(workspace);
    made.kernel.checks.resize(std::min(reader.count(3 * sizeof(int32_t)), mostChecks));
    bool sound = workspace >= 0;
    for (lower::CheckInfo& check : made.kernel.checks) {
        const auto kind = reader.number<int32_t>();
        sound &= kind >= 0 && kind <= static_cast<int32_t>(tir::CheckKind::InvalidValue);
        check.kind = static_cast<tir::CheckKind>(kind);
        check.origin = reader.number<int32_t>();
        check.message = reader.string();
    }
    const auto high = reader.number<uint64_t>(), low = reader.number<uint64_t>();
    const auto object = reader.raw(reader.number<uint64_t>());
    made.object.assign(object.begin(), object.end());
    sound &= reader.finished() && hashBytes(made.object) == Hash128{high, low};
    return sound ? std::optional(std::move(answer)) : std::nullopt;
}

} // namespace lathe::tuning
