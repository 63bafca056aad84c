// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Kernels that move elements, on their whole way to machine code: whole vectors are loaded and stored, and nothing is put
// together from single elements.
#include "codegen/target.h"
#include "driver/compile.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>
#include <array>

namespace lathe::testing::test_moving_kernels {

class TestMovingKernels : public QObject {
    Q_OBJECT

private slots:
    void vectors_data() {
        QTest::addColumn<QByteArray>("model");
        const auto row = [](const char* name, const char* graph) {
            QTest::addRow("%s", name) << QByteArray::fromStdString(graphBytes(graph));
        };
        row("gather of rows", "g (float[100,64] x, int64[n] i) => (float[n,64] y) { y = Gather <axis = 0> (x, i) }");
        row("transpose", "g (float[64,48] x) => (float[48,64] y) { y = Transpose <perm = [1,0]> (x) }");
        row("transpose of a few columns",
            "g (float[2,64,7] x) => (float[2,7,64] y) { y = Transpose <perm = [0,2,1]> (x) }");
        row("transpose to a few columns",
            "g (float[2,6,64] x) => (float[2,64,6] y) { y = Transpose <perm = [0,2,1]> (x) }");
        row("colours last", "g (float[1,3,16,48] x) => (float[1,16,48,3] y) { y = Transpose <perm = [0,2,3,1]> (x) }");
        row("depth to space",
            "g (float[1,16,8,16] x) => (float[1,4,16,32] y) { y = DepthToSpace <blocksize = 2> (x) }");
        row("depth to space by 3",
            "g (float[1,9,8,16] x) => (float[1,1,24,48] y) { y = DepthToSpace <blocksize = 3> (x) }");
        row("neighbours twice",
            "g (float[1,4,8,16] x) => (float[1,4,16,32] y) <float[4] s = {1, 1, 2, 2}> { y = Resize <mode = "
            "\"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (x, , s) }");
        row("interpolated", "g (float[1,4,8,16] x) => (float[1,4,16,32] y) <float[4] s = {1, 1, 2, 2}> { y = Resize "
                            "<mode = \"linear\"> (x, , s) }");
        row("largest of a few", "g (float[1000,6] x) => (float[1000,1] y) <int64[1] a = {1}> { y = ReduceMax (x, a) }");
        row("largest of some", "g (float[1000,12] x) => (float[1000,1] y) <int64[1] a = {1}> { y = ReduceMax (x, a) }");
        row("running sums side by side",
            "g (float[9,4,40] x) => (float[9,4,40] y) <int64 a = {0}> { y = CumSum (x, a) }");
    }
    void vectors() {
        QFETCH(QByteArray, model);
        driver::Options options;
        options.cache = false;
        options.target = *codegen::parseTarget("x86-64-v3");
        driver::Trace trace;
        const auto compiled =
            driver::compileBytes(std::as_bytes(std::span(model.constData(), static_cast<size_t>(model.size()))),
                                 "model", {}, {}, options, trace);
        QVERIFY2(compiled, compiled ? "" : toString(compiled.error()).c_str());
        bool vectors = false;
        for (const driver::KernelRecord& kernel : trace.kernels) {
            const auto listing = kernel.listing();
            QVERIFY2(listing, listing ? "" : toString(listing.error()).c_str());
            for (const auto& instruction : listing->instructions) {
                const std::string& text = instruction.text;
                const std::array single{"vinsertps", "vpinsrd", "vextractps", "vpextrd", "vgatherdps", "vgatherqps"};
                const bool moves = std::ranges::any_of(single, [&](const char* name) { return text.find(name) == 0; });
                QVERIFY2(!moves || !instruction.inLoop, (kernel.name + ": " + text).c_str());
                vectors |= instruction.inLoop && text.find("ymm") != std::string::npos;
            }
        }
        QVERIFY(vectors);
    }
};

Test test() {
    return {makes<TestMovingKernels>};
}

} // namespace lathe::testing::test_moving_kernels

#include "test_moving_kernels.moc"
