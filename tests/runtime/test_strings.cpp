// SPDX-License-Identifier: Apache-2.0
//
// Tensors of strings over a model in memory that puts a constant behind each of its input's: handles are equal for equal
// strings, inputs are copied or used where they lie, outputs are given or written to bound memory, and what is short of memory or
// malformed is refused. The functions of text, against what Python gives.
// Runs: sanitized
#include "abi/packed_strings.h"
#include "runtime/lathe_rt.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace lathe::testing::test_strings {

namespace {

using namespace std::string_literals;

constexpr int32_t stringCode = 12, boolCode = 1;
const lathe_functions* functions = nullptr;
lathe_exec* running = nullptr; // of the last run

/// y[n] = x[n] with the constant's second string behind each; same[n]: whether it is that string.
int32_t entry(lathe_exec* exec) {
    const int64_t count = functions->input_dim(exec, 0, 0);
    const auto* x = static_cast<const int64_t*>(functions->input_data(exec, 0));
    const auto* texts = static_cast<const int64_t*>(functions->constant(exec, 0));
    functions->output_dim(exec, 0, 0, count);
    auto* y = static_cast<int64_t*>(functions->output_data(exec, 0, 8 * count));
    functions->output_dim(exec, 1, 0, count);
    auto* same = static_cast<bool*>(functions->output_data(exec, 1, count));
    if (!y || !same)
        return 1;
    for (int64_t i = 0; i < count; ++i) {
        y[i] = functions->string(exec, LATHE_STRING_CONCAT, x[i], texts[1], 0);
        same[i] = x[i] == texts[1];
    }
    running = exec;
    return 0;
}

const int64_t anySize[] = {-1};
const lathe_value_desc inputs[] = {{"x", stringCode, 64, 1, anySize, nullptr}};
const lathe_value_desc outputs[] = {{"y", stringCode, 64, 1, anySize, nullptr},
                                    {"same", boolCode, 8, 1, anySize, nullptr}};
const char* const symbols[] = {"n"};
const std::vector<std::byte> packed = abi::packStrings(std::vector<std::string>{"", "né\0!"s});

lathe_model_desc description(lathe_constant_desc& constant) {
    constant = {1, 2, 0, std::ssize(packed), 2};
    lathe_model_desc desc{};
    desc.abi_version = LATHE_ABI_VERSION;
    desc.name = "texts";
    desc.input_count = desc.constant_count = desc.symbol_count = 1;
    desc.output_count = 2;
    desc.inputs = inputs;
    desc.outputs = outputs;
    desc.symbols = symbols;
    desc.constants = &constant;
    desc.entry = entry;
    desc.functions = &functions;
    return desc;
}

lathe_string textOf(const std::string& text) {
    return {text.data(), text.size()};
}

DLTensor strings(std::vector<lathe_string>& elements, int64_t& count) {
    count = std::ssize(elements);
    return {elements.data(), {kDLCPU, 0}, 1, {kDLOpaqueHandle, 128, 1}, &count, nullptr, 0};
}

std::vector<std::string> outputOf(lathe_context* context) {
    DLTensor y{};
    if (lathe_get_output(context, 0, &y) != LATHE_OK || y.dtype.code != kDLOpaqueHandle || y.dtype.bits != 128)
        return {"no output"};
    std::vector<std::string> texts;
    for (int64_t i = 0; i < y.shape[0]; ++i) {
        const lathe_string& text = static_cast<const lathe_string*>(y.data)[i];
        texts.emplace_back(text.data, text.size);
        if (text.data[text.size] != '\0')
            texts.back() += " without its end";
    }
    return texts;
}

/// Where the last run was: a context's strings are there until the next one.
int64_t call(lathe_string_function function, int64_t a, int64_t b = 0, int64_t c = 0) {
    return functions->string(running, function, a, b, c);
}

} // namespace

class TestStrings : public QObject {
    Q_OBJECT

    lathe_constant_desc constant_{};
    lathe_model_desc desc_ = description(constant_);
    lathe_model* model_ = nullptr;
    lathe_context* context_ = nullptr;

    lathe_status set(std::vector<lathe_string> elements) {
        int64_t count = 0;
        const DLTensor x = strings(elements, count);
        return lathe_set_input(context_, 0, &x);
    }
    static std::string printed(int64_t handle) {
        std::string text;
        for (int64_t i = 0; i < call(LATHE_STRING_SIZE, handle); ++i)
            text += reinterpret_cast<const char*>(handle)[i];
        return text;
    }

private slots:
    void init() {
        desc_ = description(constant_);
        QCOMPARE(lathe_model_from_memory(&desc_, packed.data(), std::ssize(packed), &model_), LATHE_OK);
        QCOMPARE(lathe_context_create(model_, nullptr, &context_), LATHE_OK);
    }

    void cleanup() {
        lathe_context_free(context_);
        lathe_model_free(model_);
        context_ = nullptr;
        model_ = nullptr;
    }

    void typesAreToldAsStrings() {
        lathe_value_info info{};
        QCOMPARE(lathe_model_input(model_, 0, &info), LATHE_OK);
        QCOMPARE(info.dtype.code, uint8_t{kDLOpaqueHandle});
        QCOMPARE(info.dtype.bits, uint8_t{128});
    }

    void runs() {
        const std::string same = "né\0!"s, other = "né\0?"s;
        QCOMPARE(set({textOf(same), textOf(other), {nullptr, 0}, textOf(same)}), LATHE_OK);
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(lathe_run(context_), LATHE_OK);
            QCOMPARE(outputOf(context_), (std::vector{same + same, other + same, same, same + same}));
            DLTensor equal{};
            QCOMPARE(lathe_get_output(context_, 1, &equal), LATHE_OK);
            const auto* flags = static_cast<const bool*>(equal.data);
            QVERIFY(flags[0] && !flags[1] && !flags[2] && flags[3]);
        }
    }

    void setCopiesAndBindDoesNot() {
        std::string text = "before";
        QCOMPARE(set({textOf(text)}), LATHE_OK);
        text = "behind";
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(outputOf(context_), (std::vector{"beforené\0!"s}));
        alignas(64) lathe_string element[1] = {textOf(text)};
        int64_t one = 1;
        const DLTensor bound = {element, {kDLCPU, 0}, 1, {kDLOpaqueHandle, 128, 1}, &one, nullptr, 0};
        QCOMPARE(lathe_bind_input(context_, 0, &bound), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(outputOf(context_), (std::vector{"behindné\0!"s}));
        text = "anew";
        element[0] = textOf(text);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(outputOf(context_), (std::vector{"anewné\0!"s}));
    }

    void outputsCanBeNextInputs() {
        const std::string letter = "a";
        QCOMPARE(set({textOf(letter)}), LATHE_OK);
        std::string expected = letter;
        for (int i = 0; i < 20; ++i) {
            QCOMPARE(lathe_run(context_), LATHE_OK);
            expected += "né\0!"s;
            QCOMPARE(outputOf(context_), (std::vector{expected}));
            DLTensor y{};
            QCOMPARE(lathe_get_output(context_, 0, &y), LATHE_OK);
            QCOMPARE(lathe_set_input(context_, 0, &y), LATHE_OK);
        }
    }

    void stridedTensorsAreRead() {
        const std::string a = "a", b = "b", c = "c";
        std::vector<lathe_string> elements = {textOf(a), textOf(b), textOf(c)};
        int64_t two = 2, step = 2;
        const DLTensor x = {elements.data(), {kDLCPU, 0}, 1, {kDLOpaqueHandle, 128, 1}, &two, &step, 0};
        QCOMPARE(lathe_set_input(context_, 0, &x), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(outputOf(context_), (std::vector{"ané\0!"s, "cné\0!"s}));
    }

    void boundOutputsAreWritten() {
        const std::string a = "a";
        alignas(64) lathe_string memory[2] = {};
        int64_t two = 2, one = 1;
        DLTensor bound = {memory, {kDLCPU, 0}, 1, {kDLOpaqueHandle, 128, 1}, &two, nullptr, 0};
        QCOMPARE(lathe_bind_output(context_, 0, &bound), LATHE_OK);
        QCOMPARE(set({textOf(a), textOf(a)}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(std::string(memory[1].data, memory[1].size), "ané\0!"s);
        bound.shape = &one;
        QCOMPARE(lathe_bind_output(context_, 0, &bound), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_MISMATCH);
    }

    void wrongTensorsAreRefused() {
        QCOMPARE(set({{nullptr, 3}}), LATHE_INVALID_ARGUMENT);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("'x'"));
        QCOMPARE(lathe_run(context_), LATHE_MISSING_INPUT);
        int64_t one = 1;
        double number = 1;
        const DLTensor x = {&number, {kDLCPU, 0}, 1, {kDLFloat, 64, 1}, &one, nullptr, 0};
        QCOMPARE(lathe_set_input(context_, 0, &x), LATHE_MISMATCH);
        QVERIFY(QByteArray(lathe_last_error(context_)).contains("string"));
    }

    void memoryIsLimited() {
        lathe_context_free(context_);
        lathe_context_options options{};
        options.struct_bytes = sizeof options;
        options.memory_limit = 1 << 17;
        QCOMPARE(lathe_context_create(model_, &options, &context_), LATHE_OK);
        const std::string large(1 << 16, 'x');
        QCOMPARE(set({textOf(large)}), LATHE_OK); // the copy, its handle and what is made of it are more than there is
        QCOMPARE(lathe_run(context_), LATHE_OUT_OF_MEMORY);
        const std::string small = "s";
        QCOMPARE(set({textOf(small)}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(outputOf(context_), (std::vector{"sné\0!"s}));
    }

    void damagedConstantsAreRefused() {
        lathe_model* model = nullptr;
        std::vector<std::byte> damaged = packed;
        damaged[8] = std::byte{200}; // the size of the second
        QCOMPARE(lathe_model_from_memory(&desc_, damaged.data(), std::ssize(damaged), &model), LATHE_BAD_ARTIFACT);
        constant_.strings = 3;
        QCOMPARE(lathe_model_from_memory(&desc_, packed.data(), std::ssize(packed), &model), LATHE_BAD_ARTIFACT);
        constant_.strings = int64_t{1} << 62;
        QCOMPARE(lathe_model_from_memory(&desc_, packed.data(), std::ssize(packed), &model), LATHE_BAD_ARTIFACT);
    }

    void functionsOfText() {
        QCOMPARE(set({}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        QCOMPARE(call(LATHE_STRING_CONCAT, call(LATHE_STRING_OF_INT, 12), call(LATHE_STRING_OF_UINT, 3)),
                 call(LATHE_STRING_OF_INT, 123));
        QCOMPARE(printed(call(LATHE_STRING_OF_INT, std::numeric_limits<int64_t>::min())), "-9223372036854775808"s);
        QCOMPARE(printed(call(LATHE_STRING_OF_UINT, -1)), "18446744073709551615"s);
        QCOMPARE(printed(call(LATHE_STRING_OF_BOOL, 1)), "True"s);
        const int64_t text = call(LATHE_STRING_OF_INT, 1020304), zero = call(LATHE_STRING_OF_INT, 0);
        QCOMPARE(call(LATHE_STRING_FIND, text, zero, 0), int64_t{1});
        QCOMPARE(call(LATHE_STRING_FIND, text, zero, 2), int64_t{3});
        QCOMPARE(call(LATHE_STRING_FIND, text, zero, 6), int64_t{7});
        QCOMPARE(call(LATHE_STRING_PART, text, 2, 3), call(LATHE_STRING_OF_INT, 2));
        QCOMPARE(call(LATHE_STRING_PART, text, 5, 2), int64_t{0});
        QCOMPARE(call(LATHE_STRING_PART, text, -4, 100), text);
    }

    /// As Python prints them; what is narrower than float64 in as few digits.
    void numbersArePrintedShortest() {
        QCOMPARE(set({}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        const auto print = [&](double value, int significand = 52, int exponent = -1022) {
            return printed(
                call(LATHE_STRING_OF_FLOAT, std::bit_cast<int64_t>(value), LATHE_FLOAT_FORM(significand, exponent)));
        };
        QCOMPARE(print(0), "0.0"s);
        QCOMPARE(print(-0.0), "-0.0"s);
        QCOMPARE(print(1), "1.0"s);
        QCOMPARE(print(0.1), "0.1"s);
        QCOMPARE(print(-1.0 / 3), "-0.3333333333333333"s);
        QCOMPARE(print(1e15), "1000000000000000.0"s);
        QCOMPARE(print(1e16), "1e+16"s);
        QCOMPARE(print(1.5e-5), "1.5e-05"s);
        QCOMPARE(print(0.0001), "0.0001"s);
        QCOMPARE(print(5e-324), "5e-324"s);
        QCOMPARE(print(0x1p-44), "5.684341886080802e-14"s);
        QCOMPARE(print(std::numeric_limits<double>::max()), "1.7976931348623157e+308"s);
        QCOMPARE(print(-std::numeric_limits<double>::infinity()), "-inf"s);
        QCOMPARE(print(std::nan("")), "nan"s);
        const auto single = [&](float value) { return print(value, 23, -126); };
        QCOMPARE(single(0.1f), "0.1"s);
        QCOMPARE(single(0.97676110f), "0.9767611"s);
        QCOMPARE(single(0.039187793f), "0.039187793"s);
        QCOMPARE(single(16777216.0f), "16777216.0"s);
        QCOMPARE(single(std::numeric_limits<float>::max()), "3.4028235e+38"s);
        QCOMPARE(single(std::numeric_limits<float>::denorm_min()), "1e-45"s);
        QCOMPARE(single(std::numeric_limits<float>::min()), "1.1754944e-38"s);
        QCOMPARE(print(0.0999755859375, 10, -14), "0.1"s); // float16
        QCOMPARE(print(65504, 10, -14), "65500.0"s);
        QCOMPARE(print(0x1p-24, 10, -14), "6e-08"s);
    }

    void numbersAreRead() {
        QCOMPARE(set({}), LATHE_OK);
        QCOMPARE(lathe_run(context_), LATHE_OK);
        for (const double value : {0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, 12345678.9}) {
            const int64_t text =
                call(LATHE_STRING_OF_FLOAT, std::bit_cast<int64_t>(value), LATHE_FLOAT_FORM(52, -1022));
            QCOMPARE(call(LATHE_STRING_IS_FLOAT, text), int64_t{1});
            QCOMPARE(std::bit_cast<double>(call(LATHE_STRING_TO_FLOAT64, text)), value);
        }
        const int64_t least = call(LATHE_STRING_OF_INT, std::numeric_limits<int64_t>::min()),
                      most = call(LATHE_STRING_OF_UINT, -1);
        QCOMPARE(call(LATHE_STRING_TO_INT, least), std::numeric_limits<int64_t>::min());
        QCOMPARE(call(LATHE_STRING_IS_INT, most), int64_t{0});
        QCOMPARE(call(LATHE_STRING_IS_UINT, most), int64_t{1});
        QCOMPARE(call(LATHE_STRING_TO_INT, most), int64_t{-1});
        QCOMPARE(call(LATHE_STRING_IS_FLOAT, 0), int64_t{0});
        QCOMPARE(call(LATHE_STRING_IS_INT, call(LATHE_STRING_OF_BOOL, 1)), int64_t{0});
    }
};

Test test() {
    return {makes<TestStrings>};
}

} // namespace lathe::testing::test_strings

#include "test_strings.moc"
