// SPDX-License-Identifier: Apache-2.0
//
// The values that bundles are made of: names, paths, options, limits.
#include "deploy/bundle_options.h"
#include "deploy/bundle_plan.h"
#include "deploy/check_bundle.h"
#include "deploy/model_interface.h"
#include "support/program_of_tests.h"

#include <QTest>

namespace lathe::testing::test_bundle_values {

using namespace lathe::deploy;

class TestBundleValues : public QObject {
    Q_OBJECT

private slots:
    void pathsOfABundle() {
        for (const char* good :
             {"a", "model/a.so", "lib/x86_64-linux-gnu/liblathe_rt.so.1", "a..b", ".hidden", "a%20+b"})
            QVERIFY2(isBundlePath(good), good);
        for (const std::string& bad :
             {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"), std::string("."),
              std::string(".."), std::string("a/../b"), std::string("a/./b"), std::string("a b"), std::string("a\nb"),
              std::string("a\\b"), std::string("C:a"), std::string("\xc3\xa4"), std::string("a\0b", 3),
              std::string("$(x)"), std::string(201, 'a'), std::string("~")})
            QVERIFY2(!isBundlePath(bad), bad.c_str());
        std::string deep = "a";
        for (int i = 0; i < 16; ++i)
            deep += "/a";
        QVERIFY(!isBundlePath(deep));
    }

    void namesOfModels() {
        QCOMPARE(modelNameOf("x/ResNet-50 (v2).onnx"), "resnet_50_v2");
        QCOMPARE(modelNameOf("8bit.onnx"), "model_8bit");
        QCOMPARE(modelNameOf("\xc3\xa4.onnx"), "model");
        QCOMPARE(modelNameOf("a\n\"b\".onnx"), "a_b");
        QCOMPARE(modelNameOf(std::string(100, 'a') + ".onnx"), std::string(64, 'a'));
        QCOMPARE(modelNameOf("abi.onnx"), "model_abi");
        QVERIFY(isModelName("_a1"));
        for (const char* bad :
             {"", "1a", "A", "a-b", "a b", "a/b", "dlpack", "runtime", "lathe", "lathe_rt", "lathe_model"})
            QVERIFY2(!isModelName(bad), bad);
        QVERIFY(!isModelName(std::string(65, 'a')));
    }

    void identifiersAndLiterals() {
        QCOMPARE(identifiersOf({"data:0", "data 0", "x", "X", ""}),
                 (std::vector<std::string>{"DATA_0", "DATA_0_2", "X", "X_2", ""}));
        QCOMPARE(identifiersOf({"mask", "mask dims"}), (std::vector<std::string>{"MASK", "MASK_DIMS_2"}));
        QCOMPARE(cLiteral("a\"b\\c\n?\xc3"), "\"a\\042b\\134c\\012\\077\\303\"");
    }

    /// The model's own name of a size and the artifact's mean the same one.
    void symbolsByEitherName() {
        device::RunnerModel loaded;
        loaded.symbols = {"batch_size", "n_1"};
        const SymbolRange range{1, 4, 2};
        const auto own = bySymbol(loaded, {{"batch size", range}, {"n=1", range}});
        QVERIFY(own.has_value());
        QCOMPARE(*own, (SymbolRanges{{"batch_size", range}, {"n_1", range}}));
        QCOMPARE(*bySymbol(loaded, *own), *own);
        for (const SymbolRanges& wrong :
             {SymbolRanges{{"batch", range}}, {{"batch size", range}, {"batch_size", range}}})
            QVERIFY(bySymbol(loaded, wrong).error().kind == ErrorKind::Usage);
    }

    void symbolsAndLimits() {
        const auto range = parseSymbol("n=1..64:8");
        QVERIFY(range);
        QCOMPARE(range->first, "n");
        QCOMPARE(range->second, (SymbolRange{1, 64, 8}));
        QCOMPARE(parseSymbol("n=4..9")->second, (SymbolRange{4, 9, 4}));
        QCOMPARE(parseSymbol("a=b=8")->second, (SymbolRange{1, {}, 8}));
        for (const char* bad : {"", "n", "n=", "=1", "n=-1", "n=3..1", "n=1..4:9", "n=2..4:1", "n=1..4:", "n=1..",
                                "n=1x", "n=99999999999999999999"})
            QVERIFY2(!parseSymbol(bad), bad);
        const auto limits = parseLimits("p99=15ms,resident=200MB,size=30kB,load=0.1s,p50=500us");
        QVERIFY(limits);
        QCOMPARE(*limits,
                 (Limits{.p50Ms = 0.5, .p99Ms = 15, .loadMs = 100, .residentBytes = 200'000'000, .sizeBytes = 30'000}));
        // 4.1 times a million is less in floating point.
        QVERIFY(*parseLimits("resident=4.1MB,size=8.2MB") ==
                (Limits{.residentBytes = 4'100'000, .sizeBytes = 8'200'000}));
        for (const char* bad :
             {"p99", "p99=", "p99=15", "p99=-1ms", "p99=15MB", "size=1ms", "p98=1ms", "p99=nanms", ","})
            QVERIFY2(!parseLimits(bad), bad);
    }

    void statesAndSignaturesOfAManifest() {
        Manifest manifest;
        manifest.name = "a";
        manifest.bundleId = std::string(64, '0');
        QVERIFY(!toJson(manifest).contains("states") && !toJson(manifest).contains("signature")); // as older ones
        QVERIFY(parseManifest(toJson(manifest)));
        manifest.model.signature = "encode \"x\"";
        manifest.states = {{"h", "float32", {int64_t{2}, int64_t{3}}}};
        const auto read = parseManifest(toJson(manifest));
        QVERIFY(read);
        QCOMPARE(read->model.signature, manifest.model.signature);
        QCOMPARE(read->states.size(), size_t{1});
        QCOMPARE(read->states[0].name + read->states[0].dtype, std::string("hfloat32"));
        QCOMPARE(toJson(*read), toJson(manifest));
        std::string wrong = toJson(manifest);
        wrong.replace(wrong.find("float32"), 7, "float31");
        QVERIFY(!parseManifest(wrong));
    }

    void optionsAsText() {
        BundleOptions options;
        options.name = "a";
        options.licence = "Apache-2.0 OR MIT";
        options.parts = {Part::C, Part::Golden};
        options.symbols["n"] = {1, 64, 8};
        options.cases = 7;
        options.tolerance = {0, 0.5};
        options.limits.p99Ms = 1.5;
        options.compile.numerics = driver::NumericsLevel::Strict;
        QVERIFY(!toJson(options).contains("plugins")); // as before there were any
        options.plugins = {{"acme", "1.2"}, {"other", ""}};
        const std::string text = toJson(options);
        const auto read = parseBundleOptions(text);
        QVERIFY(read);
        QCOMPARE(toJson(*read), text);
        QCOMPARE(read->symbols, options.symbols);
        QVERIFY(read->parts == options.parts);
        QVERIFY(read->plugins == options.plugins);
        for (const char* good : {"MIT", "Apache-2.0 WITH LLVM-exception OR (LicenseRef-ours AND GPL-2.0+)", "((MIT))"})
            QVERIFY2(parseBundleOptions(std::string("{\"license\":\"") + good + "\"}"), good);
        for (const char* bad : {"",
                                "[]",
                                "{\"nam\":\"a\"}",
                                "{\"name\":\"A\"}",
                                "{\"name\":1}",
                                "{\"version\":\"a b\"}",
                                "{\"license\":\"a\\\"b\"}",
                                "{\"license\":\"MIT AND (\"}",
                                "{\"license\":\"MIT MIT\"}",
                                "{\"license\":\"OR\"}",
                                "{\"license\":\"MIT WITH\"}",
                                "{\"parts\":[\"x\"]}",
                                "{\"symbols\":{\"n\":{\"min\":2,\"max\":1,\"default\":2}}}",
                                "{\"cases\":-1}",
                                "{\"targets\":[\"z80\"]}",
                                "{\"tolerance\":{\"absolute\":-1,\"of_range\":0}}",
                                "{\"plugins\":{}}",
                                "{\"plugins\":[\"acme\"]}",
                                "{\"plugins\":[{\"id\":\"acme\"}]}",
                                "{\"plugins\":[{\"id\":\"../acme\",\"version\":\"1\"}]}"}) {
            const auto refused = parseBundleOptions(bad);
            QVERIFY2(!refused && refused.error().kind == ErrorKind::Usage, bad);
        }
    }
};

Test test() {
    return {makes<TestBundleValues>};
}

} // namespace lathe::testing::test_bundle_values

#include "test_bundle_values.moc"
