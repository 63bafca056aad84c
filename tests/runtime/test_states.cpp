// SPDX-License-Identifier: Apache-2.0
//
// States of contexts over a model in memory that adds each input to what it keeps: over runs, reset, set and read, kept apart
// by context, unchanged by runs that fail; tables of states that contradict themselves.
// Runs: sanitized threads
#include "runtime/lathe_rt.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <climits>
#include <cstring>
#include <vector>

namespace lathe::testing::test_states {

namespace {

constexpr int32_t floatCode = 4, intCode = 2;
const lathe_functions* functions = nullptr;

/// sum[3] += x[3]; calls[] += 1; y[3] = what sum becomes. x[0] = -1 fails when all is written, x[0] = -2 forgets `calls`.
int32_t entry(lathe_exec* exec) {
    const auto* x = static_cast<const float*>(functions->input_data(exec, 0));
    const auto* sum = static_cast<const float*>(functions->input_data(exec, 1));
    const auto* calls = static_cast<const int64_t*>(functions->input_data(exec, 2));
    functions->output_dim(exec, 0, 0, 3);
    auto* y = static_cast<float*>(functions->output_data(exec, 0, 12));
    functions->output_dim(exec, 1, 0, 3);
    auto* nextSum = static_cast<float*>(functions->output_data(exec, 1, 12));
    for (int i = 0; i < 3; ++i)
        y[i] = nextSum[i] = sum[i] + x[i];
    if (x[0] == -2)
        return 0;
    *static_cast<int64_t*>(functions->output_data(exec, 2, 8)) = *calls + 1;
    return x[0] == -1 ? 1 : 0;
}

const int64_t three[] = {3};
const lathe_value_desc inputs[] = {{"x", floatCode, 32, 1, three, nullptr}};
const lathe_value_desc outputs[] = {{"y", floatCode, 32, 1, three, nullptr}};
const lathe_state_desc states[] = {{{"sum", floatCode, 32, 1, three, nullptr}, -1, 0},
                                   {{"calls", intCode, 64, 0, nullptr, nullptr}, 0, 0}};
const lathe_constant_desc constants[] = {{1, 2, 0, 8, 0}};
alignas(64) constexpr int64_t weights[8] = {40};
const lathe_check_desc entryChecks[] = {{LATHE_CHECK_INVALID_VALUE, -1, "x is negative"}};

lathe_model_desc description() {
    lathe_model_desc desc{};
    desc.abi_version = LATHE_ABI_VERSION;
    desc.name = "counter";
    desc.input_count = desc.output_count = desc.constant_count = desc.entry_check_count = 1;
    desc.state_count = 2;
    desc.inputs = inputs;
    desc.outputs = outputs;
    desc.states = states;
    desc.constants = constants;
    desc.entry_checks = entryChecks;
    desc.entry = entry;
    desc.functions = &functions;
    return desc;
}

lathe_status load(const lathe_model_desc& desc, lathe_model** model) {
    return lathe_model_from_memory(&desc, weights, sizeof weights, model);
}

DLTensor floats(void* data, std::vector<int64_t>& dims) {
    return {data, {kDLCPU, 0}, static_cast<int32_t>(dims.size()), {kDLFloat, 32, 1}, dims.data(), nullptr, 0};
}

lathe_status run(lathe_context* context, std::vector<float> values) {
    std::vector<int64_t> dims{3};
    DLTensor x = floats(values.data(), dims);
    if (const lathe_status bad = lathe_set_input(context, 0, &x))
        return bad;
    return lathe_run(context);
}

std::vector<float> sumOf(lathe_context* context) {
    DLTensor state{};
    if (lathe_get_state(context, 0, &state) != LATHE_OK || state.ndim != 1 || state.shape[0] != 3)
        return {};
    const auto* data = static_cast<const float*>(state.data);
    return {data, data + 3};
}

int64_t callsOf(lathe_context* context) {
    DLTensor state{};
    return lathe_get_state(context, 1, &state) == LATHE_OK ? *static_cast<const int64_t*>(state.data) : -1;
}

} // namespace

class TestStates : public QObject {
    Q_OBJECT

    lathe_model_desc desc_ = description();
    lathe_model* model_ = nullptr;
    lathe_context* context_ = nullptr;

private slots:
    void init() {
        QCOMPARE(load(desc_, &model_), LATHE_OK);
        QCOMPARE(lathe_context_create(model_, nullptr, &context_), LATHE_OK);
    }

    void cleanup() {
        lathe_context_free(context_);
        lathe_model_free(model_);
    }

    void theyAreNoInputsAndNoOutputs() {
        QCOMPARE(lathe_model_input_count(model_), 1);
        QCOMPARE(lathe_model_output_count(model_), 1);
        QCOMPARE(lathe_model_state_count(model_), 2);
        lathe_value_info info{};
        QCOMPARE(lathe_model_input(model_, 1, &info), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_model_output(model_, 1, &info), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_model_state(model_, 2, &info), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_model_state(model_, 1, &info), LATHE_OK);
        QCOMPARE(QByteArray(info.name), QByteArray("calls"));
        QCOMPARE(info.rank, 0);
        QCOMPARE(info.dtype.bits, uint8_t{64});
        QCOMPARE(lathe_model_find_state(model_, "calls"), 1);
        QCOMPARE(lathe_model_find_state(model_, "x"), -1);
    }

    void runsGoOn() {
        QCOMPARE(sumOf(context_), (std::vector<float>{0, 0, 0}));
        QCOMPARE(callsOf(context_), 40);
        for (int i = 1; i <= 3; ++i) {
            const auto by = static_cast<float>(i);
            QCOMPARE(run(context_, {1, 10, 100}), LATHE_OK);
            QCOMPARE(sumOf(context_), (std::vector<float>{by, 10 * by, 100 * by}));
            QCOMPARE(callsOf(context_), 40 + i);
            DLTensor y{};
            QCOMPARE(lathe_get_output(context_, 0, &y), LATHE_OK);
            QCOMPARE(static_cast<const float*>(y.data)[1], 10 * by);
        }
    }

    void resettingBeginsAgain() {
        for (int i = 0; i < 3; ++i)
            QCOMPARE(run(context_, {1, 2, 3}), LATHE_OK);
        QCOMPARE(lathe_reset_states(context_), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{0, 0, 0}));
        QCOMPARE(callsOf(context_), 40);
        QCOMPARE(run(context_, {1, 2, 3}), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{1, 2, 3}));
    }

    void whatIsSetIsGoneOnFrom() {
        std::vector<float> spread{5, -1, 6, -1, 7, -1};
        std::vector<int64_t> dims{3};
        int64_t stride = 2;
        DLTensor value = floats(spread.data(), dims);
        value.strides = &stride;
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_OK);
        QCOMPARE(lathe_set_state(context_, 0, &value), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{5, 6, 7}));
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{6, 7, 8}));
        QCOMPARE(callsOf(context_), 42);
    }

    void whatDoesNotFitIsRefused() {
        std::vector<float> values(4);
        std::vector<int64_t> four{4};
        DLTensor value = floats(values.data(), four);
        QCOMPARE(lathe_set_state(context_, 0, &value), LATHE_MISMATCH);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("state 'sum': dim 0 is 3 in the model"));
        QCOMPARE(lathe_set_state(context_, 1, &value), LATHE_MISMATCH);
        QCOMPARE(lathe_set_state(context_, 2, &value), LATHE_INVALID_ARGUMENT);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("no state 2, it has 2"));
        QCOMPARE(lathe_set_state(context_, 0, nullptr), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_get_state(context_, -1, &value), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_get_state(context_, 0, nullptr), LATHE_INVALID_ARGUMENT);
        QCOMPARE(lathe_reset_states(nullptr), LATHE_INVALID_ARGUMENT);
        QCOMPARE(sumOf(context_), (std::vector<float>{0, 0, 0}));
    }

    void runsThatFailChangeNothing_data() {
        QTest::addColumn<float>("first");
        QTest::addColumn<int>("status");
        QTest::newRow("a check") << -1.F << int(LATHE_RUN_FAILED);
        QTest::newRow("a state that is not written") << -2.F << int(LATHE_INTERNAL);
    }

    void runsThatFailChangeNothing() {
        QFETCH(float, first);
        QFETCH(int, status);
        QCOMPARE(run(context_, {1, 2, 3}), LATHE_OK);
        QCOMPARE(int(run(context_, {first, 5, 5})), status);
        QCOMPARE(sumOf(context_), (std::vector<float>{1, 2, 3}));
        QCOMPARE(callsOf(context_), 41);
        QCOMPARE(run(context_, {1, 2, 3}), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{2, 4, 6}));
        QCOMPARE(callsOf(context_), 42);
    }

    void contextsHaveTheirOwn() {
        lathe_context* other = nullptr;
        QCOMPARE(lathe_context_create(model_, nullptr, &other), LATHE_OK);
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_OK);
        QCOMPARE(run(other, {5, 5, 5}), LATHE_OK);
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{2, 2, 2}));
        QCOMPARE(sumOf(other), (std::vector<float>{5, 5, 5}));
        QCOMPARE(callsOf(other), 41);
        lathe_context_free(other);
    }

    void theirMemoryIsNobodyElses() {
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_OK);
        DLTensor state{};
        QCOMPARE(lathe_get_state(context_, 0, &state), LATHE_OK);
        QCOMPARE(lathe_bind_output(context_, 0, &state), LATHE_OK);
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_INVALID_ARGUMENT);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("'sum'"));
        QCOMPARE(lathe_bind_output(context_, 0, nullptr), LATHE_OK);
        QCOMPARE(run(context_, {1, 1, 1}), LATHE_OK);
        QCOMPARE(sumOf(context_), (std::vector<float>{2, 2, 2}));
    }

    void theyCountAsMemory() {
        lathe_memory_info info{};
        lathe_memory(context_, &info);
        QVERIFY(info.inputs >= 2 * (12 + 8));
        lathe_context_options options{};
        options.struct_bytes = sizeof options;
        options.memory_limit = 128; // two pieces of 64 bytes, of four
        lathe_context* none = nullptr;
        QCOMPARE(lathe_context_create(model_, &options, &none), LATHE_OUT_OF_MEMORY);
        QVERIFY(!none);
    }

    void brokenTablesAreRefused() {
        const auto statusOf = [](lathe_state_desc state, int32_t count = 1) {
            lathe_model_desc desc = description();
            desc.states = &state;
            desc.state_count = count;
            lathe_model* model = nullptr;
            const lathe_status status = load(desc, &model);
            lathe_model_free(model);
            return status;
        };
        const lathe_state_desc good = states[0];
        QCOMPARE(statusOf(good), LATHE_OK);
        QCOMPARE(statusOf(good, -1), LATHE_BAD_ARTIFACT);
        QCOMPARE(statusOf(good, INT_MAX), LATHE_BAD_ARTIFACT);
        lathe_state_desc bad = good;
        bad.initial = 1;
        QCOMPARE(statusOf(bad), LATHE_BAD_ARTIFACT);
        bad.initial = -2;
        QCOMPARE(statusOf(bad), LATHE_BAD_ARTIFACT);
        bad.initial = 0; // 8 bytes for 12
        QCOMPARE(statusOf(bad), LATHE_BAD_ARTIFACT);
        bad = good;
        bad.value.name = nullptr;
        QCOMPARE(statusOf(bad), LATHE_BAD_ARTIFACT);
        bad = good;
        const int64_t open[] = {INT64_MIN}, huge[] = {INT64_MAX};
        bad.value.dims = open;
        QCOMPARE(statusOf(bad), LATHE_BAD_ARTIFACT);
        bad.value.dims = huge;
        QCOMPARE(statusOf(bad), LATHE_BAD_ARTIFACT);
        lathe_model_desc desc = description();
        desc.states = nullptr;
        lathe_model* model = nullptr;
        QCOMPARE(load(desc, &model), LATHE_BAD_ARTIFACT);
    }
};

Test test() {
    return {makes<TestStates>};
}

} // namespace lathe::testing::test_states

#include "test_states.moc"
