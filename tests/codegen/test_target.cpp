// SPDX-License-Identifier: Apache-2.0
// Names of machines become what Intel, AMD, Arm, the x86-64 psABI and the RISC-V specifications say these have; what LLVM would end the process for is a
// diagnostic; code for every machine that is left links without a library.
#include "codegen/target.h"

#include "abi/isa.h"
#include "build.h"
#include "codegen/codegen.h"
#include "harness.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <fmt/format.h>

namespace lathe::testing::test_target {

using namespace lathe::codegen::testing;
using arith::Intrinsic;

namespace {

const std::string triple = "x86_64-unknown-linux-gnu";

/// A kernel of what is easily left to a library: rounding, products with sums, float16, counting bits, remainders.
tir::PrimFuncPtr telling() {
    auto a = tir::makeBuffer("a", types::Float32, {Expr(48)}), h = tir::makeBuffer("h", types::Float16, {Expr(48)}),
         n = tir::makeBuffer("n", types::Int64, {Expr(48)});
    const Var i = arith::var("i"), j = arith::var("j"), k = arith::var("k");
    const auto f32 = [](Intrinsic which, std::vector<Expr> args) { return arith::call(which, args, types::Float32); };
    const Expr x = arith::load(a, {i});
    const Expr rounded = f32(Intrinsic::RoundEven, {f32(Intrinsic::Floor, {x}) + f32(Intrinsic::Trunc, {x})});
    const Expr sum = f32(Intrinsic::Fma, {x, rounded, f32(Intrinsic::Exp, {x})});
    const Expr half = arith::cast(arith::load(h, {j}), types::Float32) * arith::cast(Expr(3), types::Float32);
    const Expr bits = arith::call(Intrinsic::PopCount, {arith::load(n, {k})}, types::Int64);
    return kernel("telling", {a, h, n}, {},
                  list({loop(i, Expr(48), store(a, {i}, sum), tir::ForKind::Vectorized),
                        loop(j, Expr(48), store(h, {j}, arith::cast(half, types::Float16)), tir::ForKind::Vectorized),
                        loop(k, Expr(48), store(n, {k}, bits * bits))}),
                  3);
}

/// Compiles and links; "" or what failed.
std::string problemOf(const tir::PrimFuncPtr& function, const Target& target) {
    codegen::CodegenOptions options;
    options.target = target;
    try {
        Pipeline pipeline;
        pipeline.target = target;
        auto code = codegen::compileFunction(*lowered(function, pipeline), options);
        if (!code)
            return toString(code.error());
        codegen::ModelTables tables;
        tables.entry = function->name;
        auto model = codegen::emitModelTables(tables, options);
        if (!model)
            return toString(model.error());
        auto linked = codegen::linkShared({code->object, *model}, {"lathe_model"});
        return linked ? "" : toString(linked.error());
    } catch (const std::exception& broken) {
        return broken.what();
    }
}

} // namespace

class TestTarget : public QObject {
    Q_OBJECT

private slots:
    void machines_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("vectorBits");
        QTest::addColumn<int>("registers");
        QTest::addColumn<bool>("fma");
        QTest::addColumn<bool>("half");
        const auto row = [](const char* name, int bits, int registers, bool fma, bool half) {
            QTest::newRow(name) << name << bits << registers << fma << half;
        };
        row("x86-64-v2", 128, 16, false, false);
        row("x86-64-v3", 256, 16, true, true);
        row("x86-64-v4", 512, 32, true, true);
        row("nehalem", 128, 16, false, false);
        row("ivybridge", 256, 16, false, true); // AVX and F16C, but FMA came with Haswell
        row("x86_64-unknown-linux-gnu:haswell", 256, 16, true, true);
        row("x86_64-unknown-linux-gnu:skylake", 256, 16, true, true);
        row("x86_64-unknown-linux-gnu:skylake-avx512", 512, 32, true, true);
        row("x86_64-unknown-linux-gnu:znver3", 256, 16, true, true);
        row("x86_64-unknown-linux-gnu:znver4", 512, 32, true, true);
        row("x86_64-unknown-linux-gnu", 128, 16, false, false);
        row("x86_64-unknown-linux-gnu:x86-64-v3:-fma", 256, 16, false, true);
        row("x86_64-unknown-linux-gnu:x86-64-v3:-f16c", 256, 16, true, false);
        row("x86_64-unknown-linux-gnu:x86-64-v3:-avx", 128, 16, false, false); // all of these need AVX
        row("x86_64-unknown-linux-gnu:x86-64-v2:+avx2,+fma", 256, 16, true, false);
        row("x86_64-unknown-linux-gnu:x86-64-v4::vector=256", 256, 32, true, true);
        row("x86_64-linux-gnu:haswell", 256, 16, true, true);
        row("aarch64-linux-gnu", 128, 32, true, true);
        for (const char* name : {"cortex-a53", "cortex-a72", "cortex-a76", "neoverse-n1", "neoverse-v1"})
            row(name, 128, 32, true, true);
        row("aarch64-linux-gnu:neoverse-v1::vector=256", 256, 32, true, true);
        row("a64fx", 512, 32, true, true);
        row("riscv64-linux-gnu", 128, 8, true, false); // 32 registers of floats
        row("rv64gc", 128, 8, true, false);
        row("rv64gcv", 128, 32, true, false);
        row("riscv64-linux-gnu:rv64gcv:+zvl256b", 256, 32, true, false);
        row("riscv64-linux-gnu:rv64gcv:+zfhmin,+zvfhmin", 128, 32, true, true);
        row("riscv64-linux-gnu:rv64gc:+zfhmin", 128, 8, true, true);
        row("sifive-x280", 512, 32, true, true);
    }
    void machines() {
        QFETCH(QString, name);
        const auto target = codegen::parseTarget(name.toStdString());
        QVERIFY2(target.has_value(), target ? "" : toString(target.error()).c_str());
        QTEST(target->vectorBits, "vectorBits");
        QTEST(target->vectorRegisters, "registers");
        QTEST(target->hasFma, "fma");
        QTEST(target->hasHalfConversion, "half");
        QCOMPARE(problemOf(telling(), *target), std::string());
    }

    void mistakes_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("said"); // somewhere in the diagnostic
        const auto row = [](const char* name, const char* said) { QTest::newRow(name) << name << said; };
        row("x86_64-unknown-linux-gnu:hasswell", "near it: haswell");
        row("x86_64-unknown-linux-gnu:zenver3", "znver3");
        row("x86-64-v5", "x86-64-v4");
        row("", "the target is empty");
        row("notacpu", "unknown target 'notacpu'");
        row("x86_64-unknown-linux-gnu:x86-64-v3:+avx512ff", "avx512f");
        row("x86_64-unknown-linux-gnu:x86-64-v3:avx512f", "malformed feature 'avx512f'");
        row("x86_64-unknown-linux-gnu:x86-64-v3:+avx,", "malformed feature ''");
        row("x86_64-unknown-linux-gnu:", "no cpu ''");
        row("x86_64-unknown-linux-gnu:pentium3", "needs the feature 64bit"); // LLVM would end the process
        row("x86_64-unknown-linux-gnu:i386", "needs the feature 64bit");
        row("x86_64-unknown-linux-gnu:x86-64", "needs the feature sse4.1");
        row("x86_64-unknown-linux-gnu:x86-64-v3:-sse2", "needs the feature sse4.1");
        row("x86_64-unknown-linux-gnu:x86-64-v3:-64bit", "needs the feature 64bit");
        row("x86_64-unknown-linux-gnu:x86-64-v3:+soft-float", "soft-float");
        row("x86_64-unknown-linux-gnu:x86-64-v3:+32bit-mode", "");
        row("aarch64-linux-gnu:cortex-a7", "cortex-a76");
        row("cortex-a27", "cortex-a72");
        row("aarch64-linux-gnu:generic:+dotprd", "dotprod");
        row("aarch64-linux-gnu:generic:-neon", "needs the feature neon");
        row("aarch64-linux-gnu:cortex-a72::vector=256", "malformed 'vector=256'"); // it has no SVE
        row("aarch64-linux-gnu:neoverse-v1::vector=384", "malformed 'vector=384'");
        row("aarch64_be-linux-gnu", "cannot make code for");
        row("aarch64-linux-gnu_ilp32", "cannot make code for");
        row("arm-linux-gnueabihf", "cannot make code for");
        row("rv64gvc", "rv64gcv");
        row("riscv64-linux-gnu:generic-rv64", "needs the feature"); // integers alone
        row("riscv64-linux-gnu:rv64gc:+zve64d", "need the feature v");
        row("riscv64-linux-gnu:rv64gc:-d", "needs the feature d");
        row("riscv64-linux-gnu:sifive-e31", "");
        row("riscv64-linux-gnu:rv64gc:+xtheadba", "take it away: -xtheadba");
        row("riscv64-linux-gnu:rv64gc:+zcmp", "cannot make code with the feature zcmp");
        row("riscv32-linux-gnu", "cannot make code for");
        row("x86_64-apple-darwin:haswell", "cannot make code for");
        row("x86_64-pc-windows-msvc", "cannot make code for");
        row("x86_64-unknown-linux-gnux32:haswell", "cannot make code for");
        row("i686-unknown-linux-gnu", "cannot make code for");
        row("x86_64-unknown-linux-gnu:haswell::cores", "malformed 'cores'");
        row("x86_64-unknown-linux-gnu:haswell::cores=0", "malformed 'cores=0'");
        row("x86_64-unknown-linux-gnu:haswell::vector=512", "malformed 'vector=512'");
        row("x86_64-unknown-linux-gnu:haswell::l1=99999999999999999999", "malformed");
        row("x86_64-unknown-linux-gnu:haswell::cores=2:x", "malformed");
        row(":::", "");
    }
    void mistakes() {
        QFETCH(QString, name);
        QFETCH(QString, said);
        const auto target = codegen::parseTarget(name.toStdString());
        QVERIFY(!target);
        QVERIFY(target.error().kind == ErrorKind::Usage);
        QVERIFY(!target.error().hint.empty());
        const std::string text = toString(target.error());
        QVERIFY2(text.find(said.toStdString()) != std::string::npos, text.c_str());
        // Code generation holds a Target to the same, whoever made it.
        Target made;
        made.cpu = "pentium3";
        QVERIFY(!codegen::compileFunction(*lowered(telling()), {made}).has_value());
    }

    void textIsCanonical() {
        for (const char* name :
             {"native", "x86-64-v2", "x86-64-v4", "znver4", "x86_64-pc-linux-gnu:haswell:-fma,+vaes",
              "x86_64-unknown-linux-gnu:haswell::cores=7,l1=1,l2=2,l3=3,vector=128", "cortex-a76", "a64fx",
              "aarch64-linux-gnu:neoverse-v1::vector=256", "rv64gc", "riscv64-linux-gnu:rv64gcv:+zvl256b"}) {
            const Target target = *codegen::parseTarget(name);
            const auto again = codegen::parseTarget(toString(target));
            QVERIFY2(again.has_value() && *again == target, name);
            QCOMPARE(toString(*again), toString(target));
        }
        const auto text = [](const std::string& features) {
            return toString(*codegen::parseTarget(triple + ":haswell:" + features));
        };
        QCOMPARE(text("+vaes,+gfni"), text("+gfni,+vaes"));
        QCOMPARE(text("-fma,+fma"), text(""));
        QCOMPARE(text("+avx2"), text("")); // Haswell has it
        QVERIFY(text("-fma") != text(""));
        QVERIFY(text("-avx2") != text("-fma"));
    }

    /// Each name of the runtime's tables is one of LLVM's: a misspelt one would never be asked for.
    void requirements() {
        const auto isaOf = [](const std::string& name) { return codegen::requiredOf(*codegen::parseTarget(name)); };
        const auto allKnown = [](const char* target, const auto& table) {
            for (const auto& isa : table) {
                const auto with = codegen::parseTarget(fmt::format("{}:+{}", target, isa.name));
                QVERIFY2(with, with ? "" : toString(with.error()).c_str());
                QVERIFY2(codegen::requiredOf(*with).has(isa.name), isa.name);
            }
        };
        allKnown("x86_64-linux-gnu:x86-64-v2", abi::x86Isa);
        allKnown("aarch64-linux-gnu:generic", abi::armIsa);
        allKnown("riscv64-linux-gnu:rv64gcv", abi::riscvIsa);
        // The x86-64 psABI's levels.
        QCOMPARE(isaOf("x86-64-v2").isa, (std::vector<std::string>{"popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"}));
        for (const char* name : {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})
            QVERIFY2(isaOf("x86-64-v3").has(name) && !isaOf("x86-64-v2").has(name), name);
        for (const char* name : {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})
            QVERIFY2(isaOf("x86-64-v4").has(name) && !isaOf("x86-64-v3").has(name), name);
        QVERIFY(isaOf("cortex-a76").has("dotprod") && !isaOf("cortex-a72").has("dotprod"));
        QVERIFY(isaOf("neoverse-v1").has("sve"));
        QCOMPARE(isaOf("neoverse-v1").vectorBits, 0); // it uses NEON
        QCOMPARE(isaOf("aarch64-linux-gnu:neoverse-v1::vector=256").vectorBits, 256);
        QCOMPARE(isaOf("rv64gc").vectorBits, 0);
        QCOMPARE(isaOf("rv64gcv").vectorBits, 128); // V promises as much
        QCOMPARE(isaOf("riscv64-linux-gnu:rv64gcv:+zvl256b").vectorBits, 256);
        // Constants do not depend on the machine.
        QCOMPARE(codegen::baselineTarget().features, std::string());
        QVERIFY(codegen::checkRunsHere(codegen::baselineTarget()));
    }

    void foreignCodeDoesNotRunHere() {
        const Architecture other = codegen::nativeTarget().architecture == Architecture::AArch64
                                       ? Architecture::X86_64
                                       : Architecture::AArch64;
        const auto refused = codegen::checkRunsHere(*codegen::parseTarget(codegen::libraryTriple(other)));
        QVERIFY(!refused);
        QVERIFY2(toString(refused.error()).find("does not run on this machine, which is") != std::string::npos,
                 toString(refused.error()).c_str());
    }

    void nativeIsThisMachine() {
        const Target native = codegen::nativeTarget();
        QVERIFY(native.cores >= 1 && native.l1Bytes >= 4096 && native.l2Bytes > native.l1Bytes);
#if defined(__x86_64__)
        QCOMPARE(native.hasFma, __builtin_cpu_supports("fma") != 0);
        QCOMPARE(native.vectorBits >= 256, __builtin_cpu_supports("avx") != 0);
        QCOMPARE(native.vectorRegisters == 32, __builtin_cpu_supports("avx512vl") != 0);
#endif
        QCOMPARE(problemOf(telling(), native), std::string());
    }

    /// A cpu of each kind in LLVM's table: one that is taken compiles to code that needs no library, none ends the process.
    void everyCpu() {
        int taken = 0;
        for (const char* cpu :
             {"nocona",    "core2",      "penryn",       "nehalem",        "westmere",    "sandybridge", "ivybridge",
              "haswell",   "broadwell",  "skylake",      "skylake-avx512", "cascadelake", "cooperlake",  "cannonlake",
              "tigerlake", "rocketlake", "alderlake",    "sapphirerapids", "knl",         "knm",         "silvermont",
              "goldmont",  "tremont",    "sierraforest", "lunarlake",      "k8",          "k8-sse3",     "amdfam10",
              "btver1",    "btver2",     "bdver1",       "bdver4",         "znver1",      "znver2",      "znver5",
              "x86-64",    "x86-64-v2",  "x86-64-v3",    "x86-64-v4",      "pentium4",    "athlon64",    "geode",
              "i686",      "lakemont",   "winchip2",     "c3-2",           "generic",     "pentium-m",   "atom"}) {
            const auto target = codegen::parseTarget(triple + ":" + cpu);
            if (!target)
                continue;
            ++taken;
            const std::string problem = problemOf(telling(), *target);
            QVERIFY2(problem.empty(), (cpu + (": " + problem)).c_str());
        }
        QVERIFY(taken >= 25);
    }

    /// Those of LLVM's tables for other machines, without and with vectors.
    void everyOtherCpu() {
        int taken = 0;
        for (const char* cpu : {"a64fx",
                                "ampere1",
                                "carmel",
                                "cortex-a35",
                                "cortex-a510",
                                "cortex-a55",
                                "cortex-a710",
                                "cortex-r82",
                                "cortex-x4",
                                "exynos-m5",
                                "falkor",
                                "kryo",
                                "neoverse-e1",
                                "neoverse-n2",
                                "neoverse-v2",
                                "oryon-1",
                                "saphira",
                                "thunderx",
                                "tsv110",
                                "apple-m4",
                                "sifive-u74",
                                "sifive-p670",
                                "sifive-x280",
                                "spacemit-x60",
                                "veyron-v1",
                                "rocket-rv64",
                                "xiangshan-nanhu",
                                "syntacore-scr3-rv64",
                                "sifive-s76",
                                "aarch64-linux-gnu:neoverse-v1::vector=256",
                                "riscv64-linux-gnu:rv64gcv:+zvl512b"}) {
            const auto target = codegen::parseTarget(cpu);
            if (!target)
                continue;
            ++taken;
            const std::string problem = problemOf(telling(), *target);
            QVERIFY2(problem.empty(), (cpu + (": " + problem)).c_str());
        }
        QVERIFY(taken >= 25);
    }

    void everyFeatureTakenAway() {
        for (const char* name : {"64bit", "avx",  "avx2",   "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl",
                                 "bmi",   "bmi2", "cmov",   "cx16",     "cx8",      "crc32",    "evex512", "f16c",
                                 "fma",   "fxsr", "lzcnt",  "mmx",      "movbe",    "popcnt",   "sahf",    "sse",
                                 "sse2",  "sse3", "sse4.1", "sse4.2",   "ssse3",    "x87",      "xsave"})
            for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
                const std::string text = fmt::format("{}:{}:-{}", triple, cpu, name);
                if (const auto target = codegen::parseTarget(text)) {
                    const std::string problem = problemOf(telling(), *target);
                    QVERIFY2(problem.empty(), (text + ": " + problem).c_str());
                }
            }
    }
};

Test test() {
    return {makes<TestTarget>};
}

} // namespace lathe::testing::test_target

#include "test_target.moc"
