// SPDX-License-Identifier: Apache-2.0
//
// Lists and optionals over a model in memory that puts what an optional holds in front of a list: they are copied in, shown
// until the next run, may be handed on, and what is malformed or short of memory is refused and leaves nothing.
// Runs: sanitized
#include "runtime/lathe_rt.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <cstdint>
#include <vector>

namespace lathe::testing::test_values {

namespace {

using Rows = std::vector<std::vector<float>>;

constexpr int32_t floatCode = 4, intCode = 2;
constexpr DLDataType float32{kDLFloat, 32, 1};
constexpr float unlucky = 13; // a list that begins with it makes the run fail
const lathe_functions* functions = nullptr;

int32_t failed(lathe_exec* exec) {
    functions->fail(exec, -1, 1);
    return 1;
}

/// y = s with what o holds in front of it, n = how many that are.
int32_t entry(lathe_exec* exec) {
    lathe_object* list = functions->object_input(exec, 0);
    lathe_object* const option = functions->object_input(exec, 1);
    functions->object_retain(exec, list);
    if (functions->object_length(exec, option) == 1)
        list = functions->object_insert(exec, list, 0, functions->object_at(exec, option, 0));
    if (!list)
        return failed(exec);
    const int64_t count = functions->object_length(exec, list);
    if (count > 0) {
        lathe_object* const first = functions->object_at(exec, list, 0);
        if (functions->object_dim(exec, first, 0) > 0 &&
            *static_cast<float*>(functions->object_data(exec, first)) == unlucky)
            return failed(exec); // with two references
        functions->object_release(exec, first);
    }
    functions->object_output(exec, 0, list);
    auto* n = static_cast<int64_t*>(functions->output_data(exec, 1, sizeof count));
    if (!n)
        return failed(exec);
    *n = count;
    return 0;
}

const int64_t anySize[] = {INT64_MIN}, two[] = {2};
const lathe_value_desc inputs[] = {{"s", floatCode, 32, 1, anySize, "l"}, {"o", floatCode, 32, 1, two, "o"}};
const lathe_value_desc outputs[] = {{"y", floatCode, 32, 1, anySize, "l"}, {"n", intCode, 64, 0, nullptr, nullptr}};
const lathe_check_desc checks[] = {{LATHE_CHECK_INVALID_VALUE, -1, "it begins with 13"}};

lathe_model_desc description() {
    lathe_model_desc desc{};
    desc.abi_version = LATHE_ABI_VERSION;
    desc.name = "lists";
    desc.input_count = desc.output_count = 2;
    desc.entry_check_count = 1;
    desc.inputs = inputs;
    desc.outputs = outputs;
    desc.entry_checks = checks;
    desc.entry = entry;
    desc.functions = &functions;
    return desc;
}

/// A list or an optional of rows.
struct Given {
    Rows rows;
    std::vector<int64_t> sizes;
    std::vector<lathe_value> parts;
    lathe_value whole{};

    Given(lathe_form form, Rows given) : rows(std::move(given)) {
        for (const std::vector<float>& row : rows)
            sizes.push_back(std::ssize(row));
        for (size_t i = 0; i < rows.size(); ++i) {
            lathe_value& part = parts.emplace_back();
            part.form = LATHE_TENSOR;
            part.tensor = {rows[i].data(), {kDLCPU, 0}, 1, float32, &sizes[i], nullptr, 0};
        }
        whole.form = form;
        whole.count = std::ssize(parts);
        whole.elements = parts.data();
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
};

Rows rowsOf(const lathe_value& value) {
    Rows rows;
    for (int64_t i = 0; i < value.count; ++i) {
        const DLTensor& tensor = value.elements[i].tensor;
        const auto* data = static_cast<const float*>(tensor.data);
        rows.emplace_back(data, data + tensor.shape[0]);
    }
    return rows;
}

} // namespace

class TestValues : public QObject {
    Q_OBJECT

    lathe_model_desc desc_ = description();
    lathe_model* model_ = nullptr;
    lathe_context* context_ = nullptr;

    lathe_status set(Rows rows, int32_t index = 0, lathe_form form = LATHE_LIST) {
        const Given given(form, std::move(rows));
        return lathe_set_input_value(context_, index, &given.whole);
    }
    lathe_value shown() {
        lathe_value value{};
        return lathe_get_output_value(context_, 0, &value) == LATHE_OK ? value : lathe_value{};
    }
    int64_t heldByRuns() {
        lathe_memory_info info{};
        lathe_memory(context_, &info);
        return info.arena_reserved;
    }
    int64_t heldForInputs() {
        lathe_memory_info info{};
        lathe_memory(context_, &info);
        return info.inputs;
    }

private slots:
    void init() {
        QCOMPARE(lathe_model_from_memory(&desc_, nullptr, 0, &model_), LATHE_OK);
        QCOMPARE(lathe_context_create(model_, nullptr, &context_), LATHE_OK);
    }

    void cleanup() {
        lathe_context_free(context_);
        lathe_model_free(model_);
        context_ = nullptr;
        model_ = nullptr;
    }

    void valuesGoInAndOut() {
        QCOMPARE(lathe_run(context_), LATHE_MISSING_INPUT); // of s; o is absent until it is set
        const Rows rows = {{1}, {}, {2, 3, 4}};
        QCOMPARE(set(rows), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(shown().form, LATHE_LIST);
        QCOMPARE(rowsOf(shown()), rows);
        QCOMPARE(set({{9, 8}}, 1, LATHE_OPTIONAL), LATHE_OK);
        for (int i = 0; i < 2; ++i) { // inputs stay as they were set
            QCOMPARE(lathe_run(context_), LATHE_OK);
            QCOMPARE(rowsOf(shown()), (Rows{{9, 8}, {1}, {}, {2, 3, 4}}));
        }
        QCOMPARE(set({}, 1, LATHE_OPTIONAL), LATHE_OK);
        QCOMPARE(set({}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(rowsOf(shown()), Rows());
        lathe_value n{};
        QCOMPARE(lathe_get_output_value(context_, 1, &n), LATHE_OK);
        QCOMPARE(n.form, LATHE_TENSOR);
        QCOMPARE(*static_cast<const int64_t*>(n.tensor.data), int64_t{0});
    }

    void outputsAreShownUntilTheNextRun() {
        QCOMPARE(set({{1, 2}, {3}}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        const lathe_value before = shown(); // parts of the input itself
        QCOMPARE(set({{4}}), LATHE_OK);
        QCOMPARE(set({{5}}), LATHE_OK);
        QCOMPARE(rowsOf(before), (Rows{{1, 2}, {3}}));
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(rowsOf(shown()), (Rows{{5}}));
    }

    void outputsCanBeNextInputs() {
        QCOMPARE(set({}), LATHE_OK);
        QCOMPARE(set({{6, 7}}, 1, LATHE_OPTIONAL), LATHE_OK);
        for (size_t i = 1; i <= 20; ++i) {
            QCOMPARE(lathe_run(context_), LATHE_OK);
            QCOMPARE(rowsOf(shown()), Rows(i, {6, 7}));
            const lathe_value y = shown();
            QCOMPARE(lathe_set_input_value(context_, 0, &y), LATHE_OK);
        }
    }

    void aRunThatFailsLeavesNothing() {
        const int64_t before = heldByRuns();
        QCOMPARE(set({{1}}), LATHE_OK);
        QCOMPARE(set({{unlucky, 0}}, 1, LATHE_OPTIONAL), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_RUN_FAILED);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("it begins with 13"));
        QCOMPARE(heldByRuns(), before);
        lathe_value y{};
        QCOMPARE(lathe_get_output_value(context_, 0, &y), LATHE_INVALID_ARGUMENT);
        QCOMPARE(set({}, 1, LATHE_OPTIONAL), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(rowsOf(shown()), (Rows{{1}}));
    }

    void wrongValuesAreRefusedAndChangeNothing() {
        QCOMPARE(set({{1}}), LATHE_OK);
        const int64_t before = heldForInputs();
        Given given(LATHE_LIST, {{2}, {3, 4}});
        const auto refused = [&](lathe_status expected, int32_t index, const lathe_value* value) {
            const lathe_status status = lathe_set_input_value(context_, index, value);
            return status == expected && *lathe_last_error(context_) && heldForInputs() == before;
        };
        QVERIFY(refused(LATHE_INVALID_ARGUMENT, 0, nullptr));
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("'s': no value"));
        QVERIFY(refused(LATHE_INVALID_ARGUMENT, 2, &given.whole));
        QVERIFY(refused(LATHE_INVALID_ARGUMENT, -1, &given.whole));
        QVERIFY(refused(LATHE_MISMATCH, 1, &given.whole)); // a list, where an optional is needed
        given.whole.form = LATHE_OPTIONAL;
        QVERIFY(refused(LATHE_MISMATCH, 0, &given.whole));
        QVERIFY(refused(LATHE_INVALID_ARGUMENT, 1, &given.whole)); // of two elements
        given.whole.form = LATHE_LIST;
        given.whole.count = -1;
        QVERIFY(refused(LATHE_INVALID_ARGUMENT, 0, &given.whole));
        given.whole.count = 2;
        given.whole.elements = nullptr;
        QVERIFY(refused(LATHE_INVALID_ARGUMENT, 0, &given.whole));
        given.whole.elements = given.parts.data();
        given.parts[1].tensor.dtype = {kDLInt, 32, 1}; // the first is copied by then
        QVERIFY(refused(LATHE_MISMATCH, 0, &given.whole));
        given.parts[1] = given.whole; // a list in a list, itself
        QVERIFY(refused(LATHE_MISMATCH, 0, &given.whole));
        QVERIFY(refused(LATHE_MISMATCH, 0, &given.parts[0])); // a tensor
        DLTensor tensor = given.parts[0].tensor;
        QCOMPARE(lathe_set_input(context_, 0, &tensor), LATHE_MISMATCH);
        QCOMPARE(lathe_bind_output(context_, 0, &tensor), LATHE_MISMATCH);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(rowsOf(shown()), (Rows{{1}}));
        QCOMPARE(lathe_get_output(context_, 0, &tensor), LATHE_MISMATCH);
        QCOMPARE(lathe_get_output(context_, 1, nullptr), LATHE_INVALID_ARGUMENT);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("'n': no tensor"));
        QCOMPARE(lathe_get_output_value(context_, 0, nullptr), LATHE_INVALID_ARGUMENT);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("'y': no value"));
    }

    void memoryIsLimited() {
        lathe_context_free(context_);
        lathe_context_options options{};
        options.struct_bytes = sizeof options;
        options.memory_limit = 1 << 13;
        QCOMPARE(lathe_context_create(model_, &options, &context_), LATHE_OK);
        const int64_t before = heldForInputs();
        QCOMPARE(set(Rows(1000, {1})), LATHE_OUT_OF_MEMORY);
        QCOMPARE(heldForInputs(), before);
        QCOMPARE(set({{1}, std::vector<float>(100'000)}), LATHE_OUT_OF_MEMORY);
        QCOMPARE(heldForInputs(), before);
        QCOMPARE(set({{1}}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(rowsOf(shown()), (Rows{{1}}));
    }

    void listsOfNoRankAreEmpty() {
        const lathe_value_desc empty[] = {{"s", 0, 0, -1, nullptr, "l"}, inputs[1]};
        lathe_model_desc desc = description();
        desc.inputs = empty;
        lathe_model* model = nullptr;
        QCOMPARE(lathe_model_from_memory(&desc, nullptr, 0, &model), LATHE_OK);
        lathe_context_free(context_);
        QCOMPARE(lathe_context_create(model, nullptr, &context_), LATHE_OK);
        lathe_model_free(model);
        QCOMPARE(set({{1}}), LATHE_MISMATCH);
        QCOMPARE(set({}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(rowsOf(shown()), Rows());
    }
};

Test test() {
    return {makes<TestValues>};
}

} // namespace lathe::testing::test_values

#include "test_values.moc"
