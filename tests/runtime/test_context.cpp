// SPDX-License-Identifier: Apache-2.0
//
// Contexts over models in memory: checks of tensors, strides, bound buffers, failures explained, the profile, and that
// nothing is allocated after the first run.
// Runs: sanitized threads
#include "runtime/lathe_rt.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace lathe::testing::test_context {

namespace {

constexpr int32_t floatCode = 4;
constexpr int32_t stringCode = 12;

/// What the entry of the test model does, from its second input: a scalar int64.
enum Behaviour : int64_t {
    Sum,
    FailKernel,
    FailEntry,
    FailEntryNode,
    FailUnexplained,
    ForgetOutput,
    ArenaUse,
    GiveSeed,
    NestedArena,
    FewerBytes,
    DimsAfterwards,
    Keep,
};

const lathe_functions* functions = nullptr;

struct Region {
    const float* from;
    float* to;
    int64_t columns;
};

int32_t doubleRow(void* closure, int64_t row, lathe_exec*) {
    const auto* region = static_cast<Region*>(closure);
    for (int64_t i = row * region->columns; i < (row + 1) * region->columns; ++i)
        region->to[i] = 2 * region->from[i];
    return 0;
}

int32_t pushInside(void*, int64_t, lathe_exec* exec) {
    return functions->arena_push(exec, 64) ? 5 : 0;
}

int32_t misbehave(lathe_exec* exec, int64_t behaviour) {
    switch (behaviour) {
    case FailKernel:
        functions->fail(exec, 0, 1);
        return 1;
    case FailEntry:
        return 2; // without fail: a check of the entry all the same
    case FailEntryNode:
        return 3;
    case FailUnexplained:
        functions->fail(exec, 0, 77);
        return 77;
    case ArenaUse:
        for (int i = 0; i < 10; ++i) {
            const int64_t mark = functions->arena_mark(exec);
            if (!functions->arena_push(exec, 10'000 + i * 1000) || !functions->arena_push(exec, 1)) {
                functions->fail(exec, -1, 1);
                return 1;
            }
            if (i % 2)
                functions->arena_release(exec, mark);
        }
        return 0;
    case Keep: {
        // Grows in two places by turns, as a loop does; what was written stays.
        char* kept[2] = {};
        for (int i = 1; i <= 200; ++i) {
            char*& place = kept[i % 2];
            place = static_cast<char*>(functions->keep(exec, i % 2, i * 100));
            if (!place || (i > 2 && place[(i - 2) * 100 - 1] != static_cast<char>(i - 2)))
                return 2;
            place[i * 100 - 1] = static_cast<char>(i);
        }
        return functions->keep(exec, -1, 1) || functions->keep(exec, 1 << 30, 1) || functions->keep(exec, 0, -1) ? 2
                                                                                                                 : 0;
    }
    case NestedArena:
        return functions->parallel(exec, pushInside, nullptr, 4);
    default:
        return 0;
    }
}

/// y[n, m] = 2 x[n, m], by rows in parallel.
int32_t entry(lathe_exec* exec) {
    const int64_t behaviour = *static_cast<const int64_t*>(functions->input_data(exec, 1));
    if (const int32_t bad = misbehave(exec, behaviour))
        return bad;
    if (behaviour == ForgetOutput)
        return 0;
    const int64_t n = functions->input_dim(exec, 0, 0), m = functions->input_dim(exec, 0, 1);
    functions->output_dim(exec, 0, 0, n);
    functions->output_dim(exec, 0, 1, m);
    auto* y = static_cast<float*>(functions->output_data(exec, 0, behaviour == FewerBytes ? 0 : n * m * 4));
    if (!y) {
        functions->fail(exec, -1, 1);
        return 1;
    }
    if (behaviour == DimsAfterwards)
        functions->output_dim(exec, 0, 0, int64_t{1} << 32);
    functions->profile(exec, 0, 0);
    Region region{static_cast<const float*>(functions->input_data(exec, 0)), y, m};
    const int32_t status = functions->parallel(exec, doubleRow, &region, n);
    functions->profile(exec, 0, 1);
    if (behaviour == GiveSeed && n * m >= 2) {
        const uint64_t seed = functions->seed(exec);
        std::memcpy(y, &seed, sizeof seed);
    }
    return status;
}

const int64_t matrixDims[] = {-1, -2};
const int64_t fixedDims[] = {2, -2};
const lathe_value_desc inputs[] = {{"x", floatCode, 32, 2, matrixDims, nullptr}, {"what", 2, 64, 0, nullptr, nullptr}};
const lathe_value_desc outputs[] = {{"y", floatCode, 32, 2, matrixDims, nullptr}};
const char* const symbols[] = {"n", "m"};
const char* const nodes[] = {"conv1, relu1", "gather_3"};
const lathe_check_desc kernelChecks[] = {{LATHE_CHECK_INDEX_OUT_OF_RANGE, 1, "index out of range (5 of 4)"}};
const lathe_check_desc entryChecks[] = {{LATHE_CHECK_OUT_OF_MEMORY, 0, "out of memory"},
                                        {LATHE_CHECK_SHAPE_MISMATCH, -1, "input 'x': dim 0 contradicts symbol 'n'"},
                                        {LATHE_CHECK_INVALID_VALUE, 1, "a size is negative"}};
const char* const entryNodes[] = {"", "reshape_4"};
const lathe_kernel_desc kernels[] = {{"double", 1, kernelChecks}};
const lathe_call_desc calls[] = {{"fused_double", 0, 2, nodes, 0, 0}};

lathe_model_desc description() {
    lathe_model_desc desc{};
    desc.abi_version = LATHE_ABI_VERSION;
    desc.name = "test";
    desc.input_count = 2;
    desc.output_count = 1;
    desc.symbol_count = 2;
    desc.kernel_count = 1;
    desc.call_count = 1;
    desc.entry_check_count = 3;
    desc.entry_node_count = 2;
    desc.inputs = inputs;
    desc.outputs = outputs;
    desc.symbols = symbols;
    desc.kernels = kernels;
    desc.calls = calls;
    desc.entry_checks = entryChecks;
    desc.entry_nodes = entryNodes;
    desc.entry = entry;
    desc.functions = &functions;
    return desc;
}

struct Counter {
    int allocations = 0;
    static void* allocate(void* user, size_t bytes, size_t alignment) {
        ++static_cast<Counter*>(user)->allocations;
        return std::aligned_alloc(alignment, bytes);
    }
    static void release(void*, void* memory, size_t) { std::free(memory); }
};

DLTensor tensor(void* data, DLDataType type, std::vector<int64_t>& dims, int64_t* strides = nullptr) {
    return {data, {kDLCPU, 0}, static_cast<int32_t>(dims.size()), type, dims.data(), strides, 0};
}

constexpr DLDataType float32{kDLFloat, 32, 1}, int64{kDLInt, 64, 1};

} // namespace

class TestContext : public QObject {
    Q_OBJECT

    lathe_model_desc desc_ = description();
    lathe_model* model_ = nullptr;
    lathe_context* context_ = nullptr;

    lathe_status set(std::vector<float> values, std::vector<int64_t> dims, int64_t behaviour = Sum) {
        std::vector<int64_t> none;
        DLTensor what = tensor(&behaviour, int64, none);
        if (const lathe_status bad = lathe_set_input(context_, 1, &what))
            return bad;
        DLTensor x = tensor(values.data(), float32, dims);
        return lathe_set_input(context_, 0, &x);
    }

    std::vector<float> result() {
        DLTensor y{};
        if (lathe_get_output(context_, 0, &y) != LATHE_OK)
            return {};
        const auto* data = static_cast<const float*>(y.data);
        return {data, data + y.shape[0] * y.shape[1]};
    }

    void remake(lathe_context_options options) {
        lathe_context_free(context_);
        options.struct_bytes = sizeof options;
        QCOMPARE(lathe_context_create(model_, &options, &context_), LATHE_OK);
    }

private slots:
    void init() {
        QCOMPARE(lathe_model_from_memory(&desc_, nullptr, 0, &model_), LATHE_OK);
        QCOMPARE(lathe_context_create(model_, nullptr, &context_), LATHE_OK);
    }

    void cleanup() {
        lathe_context_free(context_);
        lathe_model_free(model_);
    }

    /// Before any code of it runs: what is called here would write to address 0.
    void otherCpusAreRefused() {
        const auto load = [](const char* isa, int32_t vectorBits) {
            lathe_model_desc desc = description();
            desc.isa = isa;
            desc.vector_bits = vectorBits;
            lathe_model* model = nullptr;
            const lathe_status status = lathe_model_from_memory(&desc, nullptr, 0, &model);
            lathe_model_free(model);
            return status;
        };
        const auto said = [](const char* text) {
            const bool found = QByteArray(lathe_thread_error()).contains(text);
            if (!found)
                qWarning() << lathe_thread_error();
            return found;
        };
        QCOMPARE(load(nullptr, 0), LATHE_OK);
        QCOMPARE(load("", 0), LATHE_OK);
        QCOMPARE(load("warp9 flux", 0), LATHE_UNSUPPORTED);
        QVERIFY(said("it needs warp9, flux; this CPU"));
        QVERIFY(said(": compile the model for what this CPU has"));
        QCOMPARE(load("warp9", 1 << 20), LATHE_UNSUPPORTED); // all that is missing, in one sentence
        QVERIFY(said("it needs warp9, and is made for "));
        QVERIFY(said("1048576 bits; this CPU"));
#if defined(__x86_64__)
        const bool avx2 = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512bw");
        QCOMPARE(lathe_cpu_supports("avx2"), static_cast<int32_t>(avx2));
        QCOMPARE(lathe_cpu_supports("avx512bw"), static_cast<int32_t>(avx512));
        QCOMPARE(lathe_cpu_supports("fma4"), static_cast<int32_t>(__builtin_cpu_supports("fma4") != 0));
        QCOMPARE(lathe_cpu_supports("sse4.2"), static_cast<int32_t>(__builtin_cpu_supports("sse4.2") != 0));
        QCOMPARE(load("sse3 avx2 fma", 0), avx2 ? LATHE_OK : LATHE_UNSUPPORTED);
        QCOMPARE(load("avx512f avx512bw", 0), avx512 ? LATHE_OK : LATHE_UNSUPPORTED);
        QCOMPARE(lathe_cpu_vector_bits(), 0);
#endif
        QCOMPARE(lathe_cpu_supports("warp9"), 0);
        QCOMPARE(lathe_cpu_supports(nullptr), 0);
    }

    void runsAtEverySize() {
        for (const int64_t rows : {1, 3, 0, 2}) {
            std::vector<float> x(static_cast<size_t>(rows * 2)), expected;
            for (size_t i = 0; i < x.size(); ++i) {
                x[i] = static_cast<float>(i) + 0.5F;
                expected.push_back(2 * x[i]);
            }
            QCOMPARE(set(x, {rows, 2}), LATHE_OK);
            QCOMPARE(lathe_run(context_), LATHE_OK);
            QCOMPARE(result(), expected);
        }
    }

    /// An output whose dims are not those of its memory is nobody's to read, and no kernel's to write.
    void outputsHaveTheBytesOfTheirDims() {
        for (const Behaviour behaviour : {FewerBytes, DimsAfterwards}) {
            QCOMPARE(set({1, 2, 3, 4}, {2, 2}, behaviour), LATHE_OK);
            QCOMPARE(lathe_run(context_), LATHE_INTERNAL);
            QVERIFY(QByteArray(lathe_last_error(context_)).contains("which its dims ("));
            DLTensor y{};
            QCOMPARE(lathe_get_output(context_, 0, &y), LATHE_INVALID_ARGUMENT);
        }
    }

    void tensorsAreWithinTheLimit() {
        constexpr int64_t limit = int64_t{1} << 40;
        float data[1] = {};
        for (std::vector<int64_t> dims : std::vector<std::vector<int64_t>>{
                 {0, limit + 1}, {limit, 2}, {int64_t{1} << 32, int64_t{1} << 32}, {INT64_MAX, 0}, {-1, 0}, {3, -3}}) {
            DLTensor x = tensor(data, float32, dims);
            QCOMPARE(lathe_set_input(context_, 0, &x), LATHE_INVALID_ARGUMENT);
            QVERIFY(
                QByteArray(lathe_last_error(context_)).contains(QByteArray::number(static_cast<qlonglong>(dims[0]))));
        }
        for (std::vector<int64_t> dims : std::vector<std::vector<int64_t>>{{0, limit}, {limit, 0}, {0, 0}}) {
            DLTensor x = tensor(data, float32, dims);
            QCOMPARE(lathe_set_input(context_, 0, &x), LATHE_OK);
        }
    }

    void keptMemoryGrowsAndKeepsItsContents() {
        for (int round = 0; round < 3; ++round) {
            QCOMPARE(set({1, 2}, {1, 2}, Keep), LATHE_OK);
            QVERIFY2(lathe_run(context_) == LATHE_OK, lathe_last_error(context_));
            lathe_memory_info memory{};
            lathe_memory(context_, &memory);
            QVERIFY(memory.arena_reserved >= 2 * 19'900 && memory.arena_reserved < 4 * 20'000);
        }
    }

    void stridedAndOffsetTensorsAreCopied() {
        float data[] = {99, 1, 4, 2, 5, 3, 6}; // the transpose of 1 2 3 / 4 5 6, behind one element
        std::vector<int64_t> dims{2, 3};
        int64_t strides[] = {1, 2};
        QCOMPARE(set({0}, {1, 1}), LATHE_OK);
        DLTensor x = tensor(data, float32, dims, strides);
        x.byte_offset = sizeof(float);
        QCOMPARE(lathe_set_input(context_, 0, &x), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(result(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
        QCOMPARE(lathe_bind_input(context_, 0, &x), LATHE_INVALID_ARGUMENT); // not compact
    }

    void wrongTensorsAreRefused() {
        float data[4] = {};
        std::vector<int64_t> dims{2, 2}, flat{4}, negative{-1, 2}, huge{int64_t{1} << 40, int64_t{1} << 40};
        const auto set = [&](DLTensor x) { return lathe_set_input(context_, 0, &x); };
        QCOMPARE(set(tensor(data, {kDLFloat, 64, 1}, dims)), LATHE_MISMATCH);
        QCOMPARE(lathe_last_error(context_), "input 'x' is float32, but the tensor is float64");
        QCOMPARE(set(tensor(data, {kDLFloat, 32, 2}, dims)), LATHE_MISMATCH);
        QCOMPARE(set(tensor(data, float32, flat)), LATHE_MISMATCH);
        QCOMPARE(lathe_last_error(context_), "input 'x' has 2 dims, but the tensor has 1");
        QCOMPARE(set(tensor(data, float32, negative)), LATHE_INVALID_ARGUMENT);
        QCOMPARE(set(tensor(data, float32, huge)), LATHE_INVALID_ARGUMENT);
        QCOMPARE(set(tensor(nullptr, float32, dims)), LATHE_INVALID_ARGUMENT);
        DLTensor elsewhere = tensor(data, float32, dims);
        elsewhere.device.device_type = kDLCUDA;
        QCOMPARE(set(elsewhere), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_set_input(context_, 7, &elsewhere), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_set_input(context_, 0, nullptr), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_run(context_), LATHE_MISSING_INPUT);
        QCOMPARE(lathe_last_error(context_), "input 'x' is not set");
        DLTensor y{};
        QCOMPARE(lathe_get_output(context_, 0, &y), LATHE_INVALID_ARGUMENT);
    }

    void fixedDimsAreChecked() {
        lathe_value_desc fixed[] = {{"x", floatCode, 32, 2, fixedDims, nullptr}, inputs[1]};
        lathe_model_desc desc = description();
        desc.inputs = fixed;
        lathe_model* model = nullptr;
        lathe_context* context = nullptr;
        QCOMPARE(lathe_model_from_memory(&desc, nullptr, 0, &model), LATHE_OK);
        QCOMPARE(lathe_context_create(model, nullptr, &context), LATHE_OK);
        float data[3] = {};
        std::vector<int64_t> dims{3, 1};
        const DLTensor x = tensor(data, float32, dims);
        QCOMPARE(lathe_set_input(context, 0, &x), LATHE_MISMATCH);
        QCOMPARE(lathe_last_error(context), "input 'x': dim 0 is 2 in the model, but 3 in the tensor");
        lathe_context_free(context);
        lathe_model_free(model);
    }

    void buffersCanBeBound() {
        alignas(64) float x[8] = {1, 2, 3, 4}, y[16] = {};
        std::vector<int64_t> dims{2, 2}, room{4, 4}, little{1, 1};
        QCOMPARE(set({0}, {1, 1}), LATHE_OK);
        DLTensor in = tensor(x, float32, dims), out = tensor(y, float32, room), small = tensor(y, float32, little);
        QCOMPARE(lathe_bind_input(context_, 0, &in), LATHE_OK);
        QCOMPARE(lathe_bind_output(context_, 0, &out), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        DLTensor result{};
        QCOMPARE(lathe_get_output(context_, 0, &result), LATHE_OK);
        QCOMPARE(result.data, static_cast<void*>(y));
        QCOMPARE(result.shape[0], int64_t{2});
        QCOMPARE(y[3], 8.F);
        x[3] = 5; // bound, so the next run sees it
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(y[3], 10.F);

        QCOMPARE(lathe_bind_output(context_, 0, &small), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_MISMATCH);
        QCOMPARE(lathe_last_error(context_), "output 'y' needs 16 bytes, but the buffer bound to it has 4");
        QCOMPARE(lathe_bind_output(context_, 0, nullptr), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        in.data = x + 1;
        QCOMPARE(lathe_bind_input(context_, 0, &in), LATHE_INVALID_ARGUMENT); // not aligned
    }

    /// What is written is neither read nor written otherwise in the same run: not the same memory, nor a part of it.
    void memoryOfOutputsIsNoOthers() {
        alignas(64) float x[64] = {1, 2, 3, 4};
        std::vector<int64_t> rows{2, 16}, few{1, 16};
        QCOMPARE(set({0}, {1, 1}), LATHE_OK);
        const DLTensor in = tensor(x + 16, float32, few);
        QCOMPARE(lathe_bind_input(context_, 0, &in), LATHE_OK);
        for (const size_t from : {0, 16}) { // its second half, its first half
            const DLTensor out = tensor(x + from, float32, rows);
            QCOMPARE(lathe_bind_output(context_, 0, &out), LATHE_OK);
            QCOMPARE(lathe_run(context_), LATHE_INVALID_ARGUMENT);
            QCOMPARE(lathe_last_error(context_), "output 'y' would be written to memory that input 'x' is read from: "
                                                 "give one of them memory of its own");
        }
        const DLTensor beside = tensor(x + 32, float32, rows), before = tensor(x, float32, few);
        for (const DLTensor* out : {&beside, &before}) {
            QCOMPARE(lathe_bind_output(context_, 0, out), LATHE_OK);
            QVERIFY2(lathe_run(context_) == LATHE_OK, lathe_last_error(context_));
        }
        // The context's own memory of the output is read while the next run writes it.
        QCOMPARE(lathe_bind_output(context_, 0, nullptr), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        DLTensor own{};
        QCOMPARE(lathe_get_output(context_, 0, &own), LATHE_OK);
        QCOMPARE(lathe_bind_input(context_, 0, &own), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_bind_output(context_, 0, &beside), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK); // written elsewhere
    }

    void failuresAreExplained() {
        QCOMPARE(set({1}, {1, 1}, FailKernel), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_RUN_FAILED);
        QCOMPARE(lathe_last_error(context_), "node 'gather_3': index out of range (5 of 4)");
        QCOMPARE(lathe_last_error_node(context_), "gather_3");
        DLTensor none{};
        QVERIFY(lathe_get_output(context_, 0, &none) != LATHE_OK);
        QCOMPARE(lathe_last_error_node(context_), ""); // of the run, not of what is said now
        QCOMPARE(set({1}, {1, 1}, FailEntry), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_MISMATCH);
        QCOMPARE(lathe_last_error(context_), "input 'x': dim 0 contradicts symbol 'n' (with x: 1 x 1)");
        QCOMPARE(lathe_last_error_node(context_), "");
        QCOMPARE(set({1}, {1, 1}, FailEntryNode), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_RUN_FAILED);
        QCOMPARE(lathe_last_error(context_), "node 'reshape_4': a size is negative (with x: 1 x 1)");
        QCOMPARE(lathe_last_error_node(context_), "reshape_4");
        QCOMPARE(set({1}, {1, 1}, FailUnexplained), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_INTERNAL);
        QCOMPARE(set({1}, {1, 1}, ForgetOutput), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_INTERNAL);
        QCOMPARE(lathe_last_error(context_), "the model did not set dim 0 of output 'y'");
        QCOMPARE(set({1}, {1, 1}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK); // a failure does not stick
        QCOMPARE(lathe_last_error(context_), "");
    }

    void nothingIsAllocatedAfterTheFirstRun() {
        Counter counter;
        remake({0, 2, 0, Counter::allocate, Counter::release, &counter});
        QCOMPARE(set({1, 2, 3, 4}, {2, 2}, ArenaUse), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        const int before = counter.allocations;
        QVERIFY(before > 0);
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(set({1, 2, 3, 4}, {2, 2}, ArenaUse), LATHE_OK);
            QCOMPARE(lathe_run(context_), LATHE_OK);
        }
        QCOMPARE(counter.allocations, before);
        lathe_memory_info memory{};
        lathe_memory(context_, &memory);
        QVERIFY(memory.arena_peak >= 5 * 10'000);
        QVERIFY(memory.arena_reserved >= memory.arena_peak);
        remake({});
    }

    void memoryLimitIsAStatus() {
        remake({0, 1, 30'000, nullptr, nullptr, nullptr});
        QCOMPARE(set({1}, {1, 1}, ArenaUse), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OUT_OF_MEMORY);
        QVERIFY(std::string(lathe_last_error(context_)).starts_with("out of memory ("));
        QCOMPARE(set({1}, {1, 1}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(set(std::vector<float>(10'000), {100, 100}), LATHE_OUT_OF_MEMORY);
        // The input is not set any more, and the output of before is none of this run.
        QCOMPARE(lathe_run(context_), LATHE_MISSING_INPUT);
        QVERIFY(result().empty());
    }

    void chunksCannotReachTheArena() {
        QCOMPARE(set({1}, {1, 1}, NestedArena), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
    }

    void seedsRepeatOnlyWhenGiven() {
        const auto seed = [&] {
            uint64_t value = 0;
            [&] { QCOMPARE(lathe_run(context_), LATHE_OK); }();
            std::memcpy(&value, result().data(), sizeof value);
            return value;
        };
        QCOMPARE(set({1, 2}, {1, 2}, GiveSeed), LATHE_OK);
        QVERIFY(seed() != seed());
        QCOMPARE(lathe_set_seed(context_, 42), LATHE_OK);
        QCOMPARE(seed(), uint64_t{42});
        QCOMPARE(seed(), uint64_t{42});
    }

    void profileCountsCallsAndChunks() {
        remake({0, 2, 0, nullptr, nullptr, nullptr});
        QCOMPARE(set({1, 2, 3, 4, 5, 6}, {6, 1}), LATHE_OK);
        lathe_profile_entry entry{};
        QCOMPARE(lathe_profile_read(context_, 0, &entry), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_profile_start(context_, 100), LATHE_OK);
        for (int i = 0; i < 3; ++i)
            QCOMPARE(lathe_run(context_), LATHE_OK);
        lathe_profile_stop(context_);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(lathe_profile_read(context_, 0, &entry), LATHE_OK);
        QCOMPARE(entry.count, int64_t{3});
        QVERIFY(entry.min_ns > 0 && entry.min_ns <= entry.max_ns && entry.total_ns >= 3 * entry.min_ns);
        int chunks = 0, calls = 0, waits = 0;
        for (int32_t thread = 0; thread < 2; ++thread) {
            const lathe_timeline_event* events = nullptr;
            int32_t count = 0;
            QCOMPARE(lathe_timeline_read(context_, thread, &events, &count), LATHE_OK);
            for (int32_t i = 0; i < count; ++i) {
                QCOMPARE(events[i].call, 0);
                QVERIFY(events[i].begin_ns <= events[i].end_ns);
                if (events[i].chunks > 0)
                    chunks += events[i].chunks;
                else
                    ++(events[i].chunks == -1 ? calls : waits);
            }
        }
        QCOMPARE(calls, 3);
        QCOMPARE(chunks, 18);
        QCOMPARE(waits, 3); // for the region of each run
    }

    void contextsRunAtTheSameTime() {
        std::vector<std::thread> threads;
        std::atomic<int> good = 0;
        for (int number = 1; number <= 3; ++number)
            threads.emplace_back([&, number] {
                lathe_context* context = nullptr;
                lathe_context_options options{sizeof options, 2, 0, nullptr, nullptr, nullptr};
                lathe_context_create(model_, &options, &context);
                int64_t behaviour = ArenaUse;
                std::vector<int64_t> none, dims{8, 2};
                const DLTensor what = tensor(&behaviour, int64, none);
                std::vector<float> values(16, static_cast<float>(number));
                const DLTensor x = tensor(values.data(), float32, dims);
                DLTensor y{};
                for (int i = 0; i < 100; ++i)
                    if (!lathe_set_input(context, 1, &what) && !lathe_set_input(context, 0, &x) &&
                        !lathe_run(context) && !lathe_get_output(context, 0, &y))
                        good += static_cast<float*>(y.data)[15] == static_cast<float>(2 * number);
                lathe_context_free(context);
            });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 300);
    }

    void brokenTablesAreRefused() {
        const auto load = [](const lathe_model_desc& desc, int64_t constantBytes = 0) {
            alignas(64) static const char constants[256] = {};
            lathe_model* model = nullptr;
            const lathe_status status = lathe_model_from_memory(&desc, constants, constantBytes, &model);
            lathe_model_free(model);
            return status;
        };
        lathe_model_desc desc = description();
        desc.abi_version = 99;
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
        desc = description();
        desc.entry = nullptr;
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
        desc = description();
        desc.input_count = -1;
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
        desc = description();
        desc.symbol_count = 1; // dim 1 of x names the second
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
        desc = description();
        const lathe_value_desc strings[] = {{"s", stringCode, 128, 1, matrixDims, nullptr},
                                            inputs[1]}; // a handle has 64
        desc.inputs = strings;
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
        desc = description();
        const lathe_constant_desc constants[] = {{0, 0, 64, 128, 0}};
        desc.constants = constants;
        desc.constant_count = 1;
        QCOMPARE(load(desc, 192), LATHE_OK);
        QCOMPARE(load(desc, 191), LATHE_BAD_ARTIFACT);
        desc = description();
        lathe_call_desc wrong[] = {calls[0]};
        wrong[0].kernel = 1;
        desc.calls = wrong;
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
        desc = description();
        desc.entry_nodes = nullptr;
        QCOMPARE(load(desc), LATHE_BAD_ARTIFACT);
    }

    void mathFollowsTheTable() {
        const auto f64 = [](int32_t function, double a, double b = 0, double c = 0) {
            return functions->math64(function, a, b, c);
        };
        QCOMPARE(f64(LATHE_MATH_EXP, 0), 1.0);
        QCOMPARE(f64(LATHE_MATH_LOG1P, 0), 0.0);
        QCOMPARE(f64(LATHE_MATH_POW, 2, 10), 1024.0);
        QCOMPARE(f64(LATHE_MATH_FMOD, -7, 3), -1.0);
        QCOMPARE(f64(LATHE_MATH_FMA, 2, 3, 4), 10.0);
        QCOMPARE(f64(LATHE_MATH_ROUND_EVEN, 2.5), 2.0);
        QCOMPARE(f64(LATHE_MATH_ROUND_EVEN, 3.5), 4.0);
        QCOMPARE(f64(LATHE_MATH_FLOOR, -0.5), -1.0);
        QCOMPARE(f64(LATHE_MATH_CEIL, 0.5), 1.0);
        QCOMPARE(f64(LATHE_MATH_TRUNC, -1.5), -1.0);
        QVERIFY(qAbs(f64(LATHE_MATH_ERF, 1) - 0.8427007929497149) < 1e-15); // Abramowitz & Stegun, table 7.1
        QCOMPARE(functions->math32(LATHE_MATH_COSH, 0, 0, 0), 1.F);
        QVERIFY(qIsNaN(functions->math32(1000, 0, 0, 0)));
        const float denormal = std::numeric_limits<float>::denorm_min();
        QCOMPARE(functions->math32(LATHE_MATH_FMA, denormal, 1, 0), denormal); // kept
    }
};

Test test() {
    return {makes<TestContext>};
}

} // namespace lathe::testing::test_context

#include "test_context.moc"
