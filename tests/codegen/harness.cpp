// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include "arith/analysis.h"
#include "base/narrow_float.h"
#include "lower/pipeline.h"
#include "runtime/math.h"
#include "tir/interpret.h"
#include "tir/text.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace lathe::codegen::testing {
namespace {

std::atomic<int> regions = 0;

int32_t parallel(lathe_exec* exec, lathe_task task, void* closure, int64_t chunks) {
    ++regions;
    std::atomic<int64_t> next = 0;
    std::vector<int32_t> status(static_cast<size_t>(chunks));
    auto work = [&] {
        for (int64_t i = next++; i < chunks; i = next++)
            status[static_cast<size_t>(i)] = task(closure, i, exec);
    };
    std::thread other(work);
    work();
    other.join();
    for (int32_t s : status)
        if (s != 0)
            return s;
    return 0;
}

const lathe_functions& functionTable() {
    static const lathe_functions table = [] {
        lathe_functions t{};
        t.parallel = parallel;
        t.fail = [](lathe_exec*, int32_t call, int32_t status) { lastFailure() = {call, status}; };
        t.profile = [](lathe_exec*, int32_t, int32_t) {};
        t.math32 = runtime::math32;
        t.math64 = runtime::math64;
        t.copy = [](void* to, const void* from, int64_t bytes) { std::memcpy(to, from, static_cast<size_t>(bytes)); };
        t.fill = [](void* to, int32_t byte, int64_t bytes) { std::memset(to, byte, static_cast<size_t>(bytes)); };
        t.seed = [](lathe_exec*) -> uint64_t { return 42; };
        // The execution stands for a list of pointers: input i, then outputs after inputs as the test laid them out.
        t.input_data = [](lathe_exec* exec, int32_t i) { return reinterpret_cast<void**>(exec)[i]; };
        t.constant = [](lathe_exec* exec, int32_t i) -> const void* { return reinterpret_cast<void**>(exec)[i]; };
        t.output_data = [](lathe_exec* exec, int32_t i, int64_t) { return reinterpret_cast<void**>(exec)[i]; };
        t.input_dim = [](lathe_exec*, int32_t, int32_t axis) -> int64_t { return axis == 0 ? 3 : 5; };
        t.output_dim = [](lathe_exec*, int32_t, int32_t, int64_t) {};
        return t;
    }();
    return table;
}

int64_t sizeOf(const tir::Buffer& buffer, const std::unordered_map<const arith::ExprNode*, int64_t>& values) {
    int64_t size = 1;
    for (const arith::Expr& dim : buffer.shape)
        size *= arith::evaluate(dim, values).value();
    return size;
}

void fillRandom(std::vector<std::byte>& bytes, DataType type, const Case& test, std::mt19937& random) {
    const auto width = static_cast<size_t>(type.bytes());
    std::uniform_real_distribution<double> real(test.low, test.high);
    std::uniform_int_distribution<int64_t> integer(test.lowInt, test.highInt);
    for (size_t at = 0; at + width <= bytes.size(); at += width) {
        const bool small = test.mixed && at / width % 2 == 1;
        const double value = real(random) * (small ? 1e-4 : 1);
        uint64_t bits = 0;
        if (test.everyPattern)
            bits = at / width;
        else if (type.isBool())
            bits = random() & 1;
        else if (type == types::Float32)
            bits = std::bit_cast<uint32_t>(static_cast<float>(value));
        else if (type == types::Float64)
            bits = std::bit_cast<uint64_t>(value);
        else if (type.isFloat())
            bits = floatToBits(value, type);
        else {
            int64_t whole = integer(random);
            if (small)
                whole = whole % 19 - (type.isSigned() ? 9 : 0);
            if (type.bits < 8) // stored in a byte, extended
                whole = type.isSigned()
                            ? static_cast<int64_t>(static_cast<uint64_t>(whole) << (64 - type.bits)) >> (64 - type.bits)
                            : whole & ((1 << type.bits) - 1);
            bits = static_cast<uint64_t>(whole);
        }
        std::memcpy(bytes.data() + at, &bits, width);
    }
}

double valueAt(const std::byte* at, DataType type) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(type.bytes()));
    if (type == types::Float32)
        return std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (type == types::Float64)
        return std::bit_cast<double>(bits);
    if (type.isFloat())
        return bitsToFloat(bits, type);
    if (type.isSigned() && type.bytes() < 8)
        return static_cast<double>(static_cast<int64_t>(bits << (64 - 8 * type.bytes())) >> (64 - 8 * type.bytes()));
    return static_cast<double>(static_cast<int64_t>(bits));
}

std::string difference(const std::vector<std::byte>& wanted, const std::vector<std::byte>& got, DataType type,
                       double tolerance) {
    if (wanted == got)
        return {};
    const auto width = static_cast<size_t>(type.bytes());
    double largest = 0;
    for (size_t at = 0; at < wanted.size(); at += width) {
        double value = std::fabs(valueAt(wanted.data() + at, type));
        if (std::isfinite(value))
            largest = std::max(largest, value);
    }
    for (size_t at = 0; at < wanted.size(); at += width) {
        double a = valueAt(wanted.data() + at, type), b = valueAt(got.data() + at, type);
        bool same =
            std::memcmp(wanted.data() + at, got.data() + at, width) == 0 || (std::isnan(a) && std::isnan(b)) || a == b;
        if (!same && !(std::fabs(a - b) <= tolerance * largest))
            return fmt::format("element {}: wanted {}, got {}", at / width, a, b);
    }
    return {};
}

} // namespace

FailureNote& lastFailure() {
    static FailureNote note;
    return note;
}

int parallelRegions() {
    return regions;
}

tir::PrimFuncPtr lowered(const tir::PrimFuncPtr& function, const Pipeline& pipeline, arith::Expr* workspaceBytes) {
    lower::Kernel kernel;
    kernel.name = function->name;
    kernel.computation = function;
    kernel.schedulable = false;
    lower::KernelHook hook;
    hook.enabled = [&](std::string_view) { return pipeline.optional; };
    hook.verify = true;
    if (Result<void> done = lower::lowerKernel(kernel, pipeline.target, lower::CodeKind::Native, {}, hook); !done)
        throw InternalError(toString(done.error()));
    if (workspaceBytes)
        *workspaceBytes = kernel.workspaceBytes;
    return kernel.lowered;
}

Loaded::Loaded(const std::vector<tir::PrimFuncPtr>& functions, const Target& target) {
    CodegenOptions options;
    options.target = target;
    std::vector<std::vector<std::byte>> objects;
    std::vector<std::string> exports{"lathe_model"};
    ModelTables tables;
    tables.name = "test";
    tables.entry = functions.back()->name;
    for (const tir::PrimFuncPtr& function : functions) {
        Result<KernelCode> code = compileFunction(*function, options);
        if (!code)
            throw InternalError(toString(code.error()));
        objects.push_back(code->object);
        codes_.push_back(*std::move(code));
        exports.push_back(function->name);
    }
    auto model = emitModelTables(tables, options);
    if (!model)
        throw InternalError(toString(model.error()));
    objects.push_back(*model);
    auto image = linkShared(objects, exports);
    if (!image)
        throw InternalError(toString(image.error()));
    image_ = *std::move(image);
    path_ = "/tmp/lathe-test-XXXXXX";
    int fd = mkstemp(path_.data());
    if (fd < 0 || write(fd, image_.data(), image_.size()) != static_cast<ssize_t>(image_.size()))
        throw InternalError("cannot write the artifact");
    close(fd);
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_)
        throw InternalError(dlerror());
    model_ = static_cast<const lathe_model_desc*>(dlsym(handle_, "lathe_model"));
    *model_->functions = &functionTable();
}

Loaded::~Loaded() {
    if (handle_)
        dlclose(handle_);
    unlink(path_.c_str());
}

int32_t Loaded::call(const std::string& name, const std::vector<int64_t>& args) const {
    void* found = dlsym(handle_, name.c_str());
    if (!found || args.size() > 14)
        throw InternalError("cannot call " + name);
    // All of these are integers and pointers, so more arguments than the function has do no harm.
    using Function = int32_t (*)(void*, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                 int64_t, int64_t, int64_t, int64_t, int64_t);
    std::vector<int64_t> a = args;
    a.resize(14);
    return reinterpret_cast<Function>(found)(nullptr, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                                             a[11], a[12], a[13]);
}

std::string compare(const Case& test) {
    const tir::PrimFunc& function = *test.function;
    std::unordered_map<const arith::ExprNode*, int64_t> values;
    size_t scalar = 0;
    for (const tir::Param& param : function.params)
        if (!param.buffer)
            values[param.scalar.get()] = test.scalars.at(scalar++);
    std::mt19937 random(7);
    std::vector<std::vector<std::byte>> original;
    for (const tir::Param& param : function.params)
        if (param.buffer) {
            int64_t size = sizeOf(*param.buffer, values);
            original.emplace_back(static_cast<size_t>(size * param.buffer->dtype.bytes()));
            fillRandom(original.back(), param.buffer->dtype, test, random);
        }

    auto wanted = original;
    std::vector<tir::Argument> arguments;
    size_t next = 0;
    for (const tir::Param& param : function.params)
        arguments.push_back(param.buffer ? tir::Argument{wanted[next++], 0}
                                         : tir::Argument{{}, values[param.scalar.get()]});
    Result<void> interpreted = tir::interpret(function, arguments);
    if (!interpreted)
        return "the interpreter says: " + toString(interpreted.error());

    std::vector<std::pair<std::string, Pipeline>> variants{
        {"plain", {}}, {"optimized", {}}, {"optimized for x86-64-v2", {}}};
    variants[0].second.optional = false;
    variants[2].second.target = *codegen::parseTarget("x86-64-v2");
    for (const auto& [name, pipeline] : variants) {
        arith::Expr workspaceBytes;
        tir::PrimFuncPtr ready = lowered(test.function, pipeline, &workspaceBytes);
        Loaded loaded({ready}, pipeline.target);
        auto got = original;
        std::vector<int64_t> args;
        next = 0;
        for (const tir::Param& param : function.params)
            args.push_back(param.buffer ? reinterpret_cast<int64_t>(got[next++].data()) : values[param.scalar.get()]);
        std::vector<std::byte> workspace(static_cast<size_t>(arith::evaluate(workspaceBytes, values).value()) + 64);
        args.push_back((reinterpret_cast<int64_t>(workspace.data()) + 63) / 64 * 64);
        int32_t status = loaded.call(ready->name, args);
        if (status != 0)
            return fmt::format("{}: status {}", name, status);
        next = 0;
        for (const tir::Param& param : function.params)
            if (param.buffer) {
                std::string message = difference(wanted[next], got[next], param.buffer->dtype, test.tolerance);
                ++next;
                if (!message.empty())
                    return fmt::format("{}, {}: {}\n{}", name, param.buffer->name, message, tir::print(*ready));
            }
    }
    return {};
}

} // namespace lathe::codegen::testing
