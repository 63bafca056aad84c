// SPDX-License-Identifier: Apache-2.0
//
// What C source has in place of operators that C lacks, compiled by gcc under UBSan and held against values by hand: where
// C leaves things undefined, or means something else.
#include "codegen/c/helpers.h"
#include "codegen/c/names.h"
#include "codegen/c/types.h"
#include "codegen/c_source.h"
#include "support/program_of_tests.h"

#include <QtTest>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace lathe::testing::test_c_helpers {

namespace {

struct Case {
    const char* helper; // that the call needs
    const char* holds;
};

constexpr Case cases[] = {
    // integers: no division traps, those of the loop IR round down, shifts by too much give 0 or the sign
    {"div_i32", "lathe_div_i32(INT32_MIN, -1) == INT32_MIN"},
    {"div_i32", "lathe_div_i32(7, 0) == 7"},
    {"div_i64", "lathe_div_i64(-7, 2) == -3"},
    {"mod_i64", "lathe_mod_i64(INT64_MIN, -1) == 0 && lathe_mod_i64(-7, 2) == -1"},
    {"div_u32", "lathe_div_u32(7u, 0u) == 7u && lathe_div_u32(UINT32_MAX, 2u) == 2147483647u"},
    {"mod_u64", "lathe_mod_u64(7u, 0u) == 0u"},
    {"floordiv_i64",
     "lathe_floordiv_i64(-7, 2) == -4 && lathe_floordiv_i64(7, -2) == -4 && lathe_floordiv_i64(-8, 2) == -4"},
    {"floordiv_i32", "lathe_floordiv_i32(INT32_MIN, -1) == INT32_MIN && lathe_floordiv_i32(-1, 0) == -1"},
    {"floormod_i64",
     "lathe_floormod_i64(-7, 2) == 1 && lathe_floormod_i64(7, -2) == -1 && lathe_floormod_i64(3, 0) == 0"},
    {"floormod_i32", "lathe_floormod_i32(INT32_MIN, -1) == 0"},
    {"abs_i32", "lathe_abs_i32(INT32_MIN) == INT32_MIN && lathe_abs_i32(-5) == 5"},
    {"shl_u32", "lathe_shl_u32(1u, 31u, 32) == 2147483648u && lathe_shl_u32(1u, 32u, 32) == 0u"},
    {"shl_u64", "lathe_shl_u64(1u, 64u, 64) == 0u && lathe_shl_u64(1u, UINT64_MAX, 64) == 0u"},
    {"shr_u32", "lathe_shr_u32(UINT32_MAX, 33u, 32) == 0u && lathe_shr_u32(8u, 3u, 32) == 1u"},
    {"shr_i32",
     "lathe_shr_i32(-8, 1u, 32) == -4 && lathe_shr_i32(-8, 40u, 32) == -1 && lathe_shr_i32(8, 40u, 32) == 0"},
    {"shr_i64", "lathe_shr_i64(INT64_MIN, 63u, 64) == -1"},
    {"popcount_u64", "lathe_popcount_u64(UINT64_MAX) == 64 && lathe_popcount_u64(0u) == 0"},
    {"pow",
     "lathe_pow(3, 4) == 81 && lathe_pow(-1, -3) == -1 && lathe_pow(2, -1) == 0 && lathe_pow(1, INT64_MIN) == 1"},
    {"pow", "lathe_pow(3, 41) == INT64_C(-420491770248316829)"}, // 3^41 = 36472996377170786403, less 2 * 2^64
    {"upow", "lathe_upow(2u, 63u) == UINT64_C(9223372036854775808) && lathe_upow(2u, 64u) == 0u"},
    {"min_i64", "lathe_min_i64(-1, 1) == -1"},
    {"max_u64", "lathe_max_u64(UINT64_MAX, 1u) == UINT64_MAX"},
    // floats: NaN wins, wherever it stands
    {"min_f32", "lathe_min_f32(NAN, 1.0f) != lathe_min_f32(NAN, 1.0f)"},
    {"min_f32", "lathe_min_f32(1.0f, NAN) != lathe_min_f32(1.0f, NAN) && lathe_min_f32(1.0f, 2.0f) == 1.0f"},
    {"max_f64", "lathe_max_f64(1.0, NAN) != lathe_max_f64(1.0, NAN) && lathe_max_f64(1.0, 2.0) == 2.0"},
    {"isinf_f32", "lathe_isinf_f32(-INFINITY) && !lathe_isinf_f32(NAN) && !lathe_isinf_f32(3e38f)"},
    {"isnan_f64", "lathe_isnan_f64(NAN) && !lathe_isnan_f64(INFINITY)"},
    {"root_f32",
     "lathe_root_f32(-INFINITY) == INFINITY && !signbit(lathe_root_f32(-0.0f)) && lathe_root_f32(4.0f) == 2.0f"},
    {"sigmoid_f32",
     "lathe_sigmoid_f32(-200.0f) == 0.0f && lathe_sigmoid_f32(200.0f) == 1.0f && lathe_sigmoid_f32(0.0f) == 0.5f"},
    {"floormod_f64", "lathe_floormod_f64(-7.0, 2.0) == 1.0 && lathe_floormod_f64(7.0, -2.0) == -1.0"},
    // conversions go towards zero and saturate; NaN is 0
    {"f32_i32",
     "lathe_f32_i32(2147483648.0f) == INT32_MAX && lathe_f32_i32(-3e9f) == INT32_MIN && lathe_f32_i32(NAN) == 0"},
    {"f32_i32", "lathe_f32_i32(-2147483648.0f) == INT32_MIN && lathe_f32_i32(-1.9f) == -1"},
    {"f32_i8", "lathe_f32_i8(127.9f) == 127 && lathe_f32_i8(128.0f) == 127 && lathe_f32_i8(-128.9f) == -128"},
    {"f32_u8",
     "lathe_f32_u8(-0.5f) == 0 && lathe_f32_u8(-1.0f) == 0 && lathe_f32_u8(255.5f) == 255 && lathe_f32_u8(NAN) == 0"},
    {"f64_i64", "lathe_f64_i64(1e300) == INT64_MAX && lathe_f64_i64(-INFINITY) == INT64_MIN"},
    {"f64_u64", "lathe_f64_u64(18446744073709551616.0) == UINT64_MAX && lathe_f64_u64(1.5) == 1u"},
    {"f32_of", "lathe_f32_of(0x3f800000u) == 1.0f"},
    {"bits_f64", "lathe_bits_f64(1.0) == UINT64_C(0x3ff0000000000000)"},
    {"random", "lathe_random(0, 0) == 0xe220a839u"}, // the upper half of what SplitMix64 begins with, from state 0
};

} // namespace

class TestCHelpers : public QObject {
    Q_OBJECT

private slots:
    void helpersAreWhatTheLoopIrMeans() {
        codegen::CHelpers helpers;
        std::string checks;
        for (const Case& each : cases) {
            helpers.use(each.helper);
            checks += std::string("    CHECK(") + each.holds + ");\n";
        }
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        std::ofstream(path + "/test.c")
            << "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
               "#include <stdlib.h>\n#include <string.h>\n"
            << helpers.text()
            << "\nstatic int failed = 0;\n#define CHECK(x) \\\n    if (!(x)) { printf(\"%s\\n\", #x); "
               "failed = 1; }\nint main(void) {\n"
            << checks << "    return failed;\n}\n";
        const std::string compile =
            "gcc -std=c99 -pedantic -Wall -Wextra -Werror -O1 -fsanitize=undefined,float-cast-overflow "
            "-fno-sanitize-recover=all -o " +
            path + "/test " + path + "/test.c -lm";
        QCOMPARE(std::system(compile.c_str()), 0);
        QCOMPARE(std::system((path + "/test").c_str()), 0);
    }

    void namesAreCsOwn() {
        codegen::CNames names;
        QCOMPARE(names.fresh("conv"), "conv");
        QCOMPARE(names.fresh("conv"), "conv_2");
        QCOMPARE(names.fresh("int"), "int_2");
        QCOMPARE(names.fresh("expf"), "expf_2");
        QCOMPARE(names.fresh("INT64_MAX"), "INT64_MAX_2");
        QCOMPARE(names.fresh("conv_2"), "conv_2_2");
        QCOMPARE(names.fresh("1st \xc3\xa4*/\n"), "v1st");
        QCOMPARE(names.fresh(""), "v");
        QCOMPARE(codegen::cIdentifier("a//b__\"c\"\n"), "a_b_c");
        QCOMPARE(codegen::cIdentifier("\xe6\xa8\xa1"), "model");
        QCOMPARE(codegen::cIdentifier(std::string(100, 'a')), std::string(64, 'a'));
    }

    void textFromOutsideStaysText() {
        QCOMPARE(codegen::cString("a\"b\\c\n?"
                                  "?/1"),
                 "\"a\\042b\\134c\\012\\077\\077/1\"");
        QCOMPARE(codegen::cComment("a*/b\\\n?"
                                   "?/"),
                 "a__b_____");
        QCOMPARE(codegen::cString(std::string(600, 'x')).size(), 505u); // 500, three dots, quotes
    }

    void numbersAreWrittenExactly() {
        QCOMPARE(codegen::cFloat(0.1f, types::Float32), "0.1f");
        QCOMPARE(codegen::cFloat(2, types::Float64), "2.0");
        QCOMPARE(codegen::cFloat(-std::numeric_limits<double>::infinity(), types::Float32), "-(float)INFINITY");
        QCOMPARE(codegen::cInteger(std::numeric_limits<int64_t>::min(), types::Index), "INT64_MIN");
        QCOMPARE(codegen::cInteger(-1, types::UInt64), "UINT64_C(18446744073709551615)");
        QCOMPARE(codegen::cInteger(-1, types::UInt8), "255");
        QCOMPARE(codegen::cInteger(100000, types::Int32), "INT32_C(100000)");
    }
};

Test test() {
    return {makes<TestCHelpers>};
}

} // namespace lathe::testing::test_c_helpers

#include "test_c_helpers.moc"
