// SPDX-License-Identifier: Apache-2.0
//
// Sizes that only running tells, and that wrap or cannot be held: `lathe run` says which inputs made them and ends with
// exit code 1. The same models run at sizes that fit.
// In release alone: what is looked at is what compiled models say of sizes, and sanitizers do not see into these.
// Needs: lathe lathe-runner
// Links: onnx
// Runs: release
#include "driver/tensor_files.h"
#include "support/host_tensor.h"
#include "support/onnx_model.h"
#include "support/program.h"
#include "support/program_of_tests.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <limits>
#include <random>

namespace lathe::testing::test_sizes {

namespace fs = std::filesystem;

class TestSizes : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    QString model_ = temporary_.filePath("model.onnx");

    Outcome run(const QStringList& shapes) {
        QStringList arguments = {"run", model_};
        for (const QString& shape : shapes)
            arguments << "--shape" << shape;
        return runLathe(arguments);
    }

    /// A file of int64[1].
    static void writeNumber(const QString& file, int64_t value) {
        QVERIFY(driver::writeNpy(file.toStdString(), tensorOf<int64_t>(types::Int64, {1}, {value})));
    }

private slots:
    void wrong_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QStringList>("good");
        QTest::addColumn<QStringList>("bad");
        QTest::addColumn<QString>("names"); // what the diagnostic must name
        const QString square = R"(g (float[n,0] x) => (float[p,q] y) {
            s = Shape (x)
            first = Constant <value_ints = [0]> ()
            n = Gather (s, first)
            nn = Concat <axis = 0> (n, n)
            [fill] y = ConstantOfShape (nn)
        })";
        for (const char* size : {"2147483648", "4294967296", "1099511627776", "3037000500", "1048577"})
            QTest::addRow("square of %s", size)
                << square << QStringList{"x=3,0"} << QStringList{QString("x=%1,0").arg(size)}
                << QString("x: %1 x 0").arg(size);
        // The square is never stored: it is summed as it is made.
        QTest::newRow("sum of a square") << R"(g (float[n,0] x) => (float y) {
            s = Shape (x)
            first = Constant <value_ints = [0]> ()
            n = Gather (s, first)
            nn = Concat <axis = 0> (n, n)
            a = ConstantOfShape (nn)
            b = Exp (a)
            [sum] y = ReduceSum <keepdims = 0> (b)
        })" << QStringList{"x=3,0"} << QStringList{"x=4294967296,0"}
                                         << "x: 4294967296 x 0";
        // n^4 as a dim: it wraps while it is computed, before anything is multiplied with it.
        QTest::newRow("a power as a dim") << R"(g (float[n,0] x) => (float[p] y) {
            s = Shape (x)
            first = Constant <value_ints = [0]> ()
            n = Gather (s, first)
            n2 = Mul (n, n)
            n4 = Mul (n2, n2)
            [fill] y = ConstantOfShape (n4)
        })" << QStringList{"x=3,0"} << QStringList{"x=65536,0"}
                                          << "x: 65536 x 0";
        // The size of one value is negative before its node says so; another kernel runs first, in memory of the same frame.
        QTest::newRow("window behind a kernel") << R"(g (float[n,1,h,w] x) => (float[n,1,p,w] y)
            <float[1,1,7,1] k = {1,2,3,4,5,6,7}, int64[8] pads = {0,0,3,0,0,0,3,0}> {
            a = Relu (x)
            [window] b = Conv (a, k)
            [frame] y = Pad (b, pads)
        })" << QStringList{"x=2,1,7,13"} << QStringList{"x=2,1,4,13"}
                                                << "a window of 7 fits dim h";
        for (const char* mode : {"reflect", "edge"})
            QTest::addRow("%s of nothing", mode)
                << QString(R"(g (float[n,4] x) => (float[p,4] y) <int64[4] pads = {0,0,2,0}> {
                    [frame] y = Pad <mode = "%1"> (x, pads)
                })")
                       .arg(mode)
                << QStringList{"x=3,4"} << QStringList{"x=0,4"} << "dim n is not empty";
        QTest::newRow("outer product") << R"(g (float[a] x, float[b] z, float[c] w) => (float[a,b,c] y) {
            [outer] y = Einsum <equation = "i,j,k->ijk"> (x, z, w)
        })" << QStringList{"x=2", "z=3", "w=4"}
                                       << QStringList{"x=2097152", "z=2097152", "w=2097152"} << "x: 2097152";
        // Between two kernels: in a frame of intermediate values.
        QTest::newRow("a frame") << R"(g (float[a,1] x, float[1,b] z) => (float[1] y) {
            axes = Constant <value_ints = [0, 1]> ()
            p = Mul (x, z)
            t = Transpose (p)
            o = Softmax <axis = 0> (t)
            q = MatMul (o, p)
            [sum] y = ReduceMax <keepdims = 0> (q, axes)
        })" << QStringList{"x=2,1", "z=1,3"}
                                 << QStringList{"x=8388608,1", "z=1,8388608"} << "x: 8388608 x 1";
        // In all dims but the axis an index stands at its own place, which the tensor must have.
        QTest::newRow("places to read") << R"(g (float[a,b] x, int64[c,d] i) => (float[c,d] y) {
            [read] y = GatherElements <axis = 1> (x, i)
        })" << QStringList{"x=3,4", "i=3,2"}
                                        << QStringList{"x=3,4", "i=5,2"} << "is within tensor";
        QTest::newRow("places to write") << R"(g (float[a,b] x, int64[c,d] i, float[c,d] u) => (float[a,b] y) {
            [write] y = ScatterElements <axis = 0> (x, i, u)
        })" << QStringList{"x=3,4", "i=1,4", "u=1,4"}
                                         << QStringList{"x=3,4", "i=1,5", "u=1,5"} << "is within tensor";
        // An operand that ONNX broadcasts to the others' dims does not widen them.
        QTest::newRow("third operand of Gemm") << R"(g (float[m,k] x, float[k,n] y, float[p,q] c) => (float[a,b] z) {
            [gemm] z = Gemm (x, y, c)
        })" << QStringList{"x=2,3", "y=3,4", "c=1,4"}
                                               << QStringList{"x=1,2", "y=2,3", "c=5,3"} << "broadcasts to";
        QTest::newRow("slopes") << "g (float[n,c] x, float[p,q] s) => (float[a,b] y) { [prelu] y = PRelu (x, s) }"
                                << QStringList{"x=2,3", "s=1,3"} << QStringList{"x=1,3", "s=2,3"} << "broadcasts to";
        QTest::newRow("scale of a norm") << R"(g (float[n,c] x, float[s] w) => (float[a,b] y) {
            [norm] y = LayerNormalization (x, w)
        })" << QStringList{"x=2,3", "w=3"}
                                         << QStringList{"x=2,1", "w=3"} << "broadcasts to";
        QTest::newRow("bias of a convolution")
            << R"(g (float[n,2,h] x, float[m,2,1] w, float[b] c) => (float[p,q,r] y) {
            [conv] y = Conv (x, w, c)
        })" << QStringList{"x=1,2,4", "w=3,2,1", "c=3"}
            << QStringList{"x=1,2,4", "w=1,2,1", "c=3"} << "broadcasts to";
        QTest::newRow("scales of channels") << R"(g (float[n,c] x, float[s] d) => (uint8[a,b] y) {
            [quantize] y = QuantizeLinear (x, d)
        })" << QStringList{"x=2,3", "d=3"} << QStringList{"x=2,1", "d=3"}
                                            << "broadcasts to";
        QTest::newRow("expanded") << R"(g (float[n] x, float[m] t) => (float[a] y) {
            s = Shape (t)
            [wide] y = Expand (x, s)
        })" << QStringList{"x=1", "t=5"}
                                  << QStringList{"x=3", "t=5"} << "broadcast";
        QTest::newRow("parts of a dim") << R"(g (float[n] x) => (float[a] y, float[b] z) {
            parts = Constant <value_ints = [2, 4]> ()
            [split] y, z = Split <axis = 0> (x, parts)
        })" << QStringList{"x=6"} << QStringList{"x=10"}
                                        << "cover a dim";
        QTest::newRow("squeezed") << "g (float[n,1] x) => (float[a] y) { [squeeze] y = Squeeze (x) }"
                                  << QStringList{"x=2,1"} << QStringList{"x=1,1"} << "which a squeeze without axes";
        QTest::newRow("inferred beside 0") << R"(g (float[n,m] x, float[p] t) => (float[a,b] y) {
            s = Shape (t)
            rest = Constant <value_ints = [-1]> ()
            shape = Concat <axis = 0> (s, rest)
            [shaped] y = Reshape (x, shape)
        })" << QStringList{"x=4,0", "t=2"} << QStringList{"x=4,0", "t=0"}
                                           << "beside -1";
        QTest::newRow("resized from nothing") << R"(g (float[1,1,h,w] x) => (float[a,b,c,d] y) {
            sizes = Constant <value_ints = [1, 1, 4, 4]> ()
            [resize] y = Resize (x, , , sizes)
        })" << QStringList{"x=1,1,2,3"} << QStringList{"x=1,1,0,3"}
                                              << "which is resized";
        QTest::newRow("transposed convolution of nothing")
            << R"(g (float[n,2,h] x, float[2,3,3] w) => (float[a,b,c] y) {
            [up] y = ConvTranspose <strides = [2]> (x, w)
        })" << QStringList{"x=1,2,1", "w=2,3,3"}
            << QStringList{"x=1,2,0", "w=2,3,3"} << "as a stride needs it";
        QTest::newRow("an empty input with huge dims")
            << R"(g (float[a,b,c] x) => (float[a,b,c] y) { [relu] y = Relu (x) })" << QStringList{"x=2,0,3"}
            << QStringList{"x=1099511627776,0,1099511627776"} << "[1099511627776,0,1099511627776]";
    }

    void wrong() {
        QFETCH(QString, graph);
        QFETCH(QStringList, good);
        QFETCH(QStringList, bad);
        QFETCH(QString, names);
        writeFile(model_.toStdString(), graphBytes(graph.toStdString()));
        const Outcome right = run(good);
        QVERIFY2(right.code == 0, right.err.c_str());
        const Outcome wrong = run(bad);
        QVERIFY2(wrong.code == 1, wrong.err.c_str());
        QVERIFY2(wrong.err.find(names.toStdString()) != std::string::npos, wrong.err.c_str());
        QVERIFY2(wrong.err.find("crashed") == std::string::npos, wrong.err.c_str());
    }

    /// Two sizes that only data tell stand under the same name until they are told apart: each is checked.
    void eachSizeOfTheSameName() {
        writeFile(model_.toStdString(), graphBytes(R"(g (int64[1] a, int64[1] b) => (float[p] y, float[q] z) {
            y = ConstantOfShape (a)
            z = ConstantOfShape (b)
        })"));
        const auto runOn = [&](int64_t a, int64_t b) {
            const QString first = temporary_.filePath("a.npy"), second = temporary_.filePath("b.npy");
            writeNumber(first, a);
            writeNumber(second, b);
            return runLathe({"run", model_, "--input", "a=" + first, "--input", "b=" + second});
        };
        const Outcome right = runOn(3, 4);
        QVERIFY2(right.code == 0, right.err.c_str());
        for (const auto& [a, b] : {std::pair{3, -1}, {-1, 3}}) {
            const Outcome wrong = runOn(a, b);
            QVERIFY2(wrong.code == 1, wrong.err.c_str());
            QVERIFY2(wrong.err.find("is negative") != std::string::npos, wrong.err.c_str());
        }
    }

    /// Dims that ONNX's definition gives where ONNX's body for the operator would infer them from no elements.
    void emptyAttention() {
        writeFile(model_.toStdString(), modelBytes(R"(<ir_version: 10, opset_import: ["" : 23]>
        g (float[a,b,c] q, float[d,e,f] k, float[h,i,j] v) => (float[l,m,n] y) {
            [attend] y = Attention <q_num_heads = 9, kv_num_heads = 3> (q, k, v)
        })"));
        const QString artifact = temporary_.filePath("attention.so");
        const Outcome compiled = runLathe({"compile", model_, "-o", artifact}, 280);
        QVERIFY2(compiled.code == 0, compiled.err.c_str());
        const auto run = [&](const QString& q, const QString& k, const QString& v) {
            return runLathe({"run", artifact, "--shape", "q=" + q, "--shape", "k=" + k, "--shape", "v=" + v});
        };
        for (const auto& [sizes, dims] :
             {std::pair{"2,0", "[2,0,72]"}, {"0,2", "[0,2,72]"}, {"0,0", "[0,0,72]"}, {"2,3", "[2,3,72]"}}) {
            const Outcome outcome =
                run(QString("%1,72").arg(sizes), QString("%1,24").arg(sizes), QString("%1,24").arg(sizes));
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QVERIFY2(outcome.out.find(dims) != std::string::npos, outcome.out.c_str());
        }
        const Outcome wrong = run("1,2,72", "5,2,24", "5,2,24");
        QVERIFY2(wrong.code == 1 && wrong.err.find("has the dims") != std::string::npos, wrong.err.c_str());
    }

    void scaleOfRmsNorm() {
        writeFile(model_.toStdString(), modelBytes(R"(<ir_version: 10, opset_import: ["" : 23]>
            g (float[n,c] x, float[p,q] w) => (float[a,b] y) { [norm] y = RMSNormalization (x, w) })"));
        const Outcome right = run({"x=2,3", "w=1,3"});
        QVERIFY2(right.code == 0, right.err.c_str());
        const Outcome wrong = run({"x=1,3", "w=2,3"});
        QVERIFY2(wrong.code == 1 && wrong.err.find("broadcasts to") != std::string::npos, wrong.err.c_str());
    }

    void optimizer() {
        writeFile(model_.toStdString(),
                  modelBytes(R"(<ir_version: 10, opset_import: ["" : 21, "ai.onnx.preview.training" : 1]>
        g (float r, int64 t, float[n] x, float[m] d, float[k] v) => (float[a] y, float[b] w) {
            [step] y, w = ai.onnx.preview.training.Momentum
                <alpha = 0.9, beta = 0.9, norm_coefficient = 0.1, mode = "standard"> (r, t, x, d, v)
        })"));
        const Outcome right = run({"x=3", "d=3", "v=3"});
        QVERIFY2(right.code == 0, right.err.c_str());
        for (const QStringList& shapes : {QStringList{"x=3", "d=1", "v=3"}, {"x=1", "d=1", "v=3"}}) {
            const Outcome wrong = run(shapes);
            QVERIFY2(wrong.code == 1 && wrong.err.find("has the dims") != std::string::npos, wrong.err.c_str());
        }
    }

    /// Values that are used twice, forty times over: written out as a tree they would be 2^40.
    void sharedSums() {
        std::string graph = "g (float[n] x) => (float[n] z) <float last = {1099511627776}> {\n";
        for (int i = 0; i < 40; ++i) {
            const std::string from = i == 0 ? "x" : "t" + std::to_string(i - 1);
            graph += "t" + std::to_string(i) + " = Add (" + from + ", " + from + ")\n";
        }
        writeFile(model_.toStdString(), graphBytes(graph + "y = Mul (x, last)\n z = Sub (t39, y) }"));
        const Outcome outcome = run({"x=3"});
        QVERIFY2(outcome.code == 0, outcome.err.c_str());
        QVERIFY2(outcome.out.find("z: float32[3] 0 0 0") != std::string::npos, outcome.out.c_str());
    }

    /// floor(dim * scale) of the scale as it stands in the file: 0.7 in float32 is a little less.
    void scaledDims() {
        for (const char* dim : {"10", "n"}) {
            writeFile(model_.toStdString(), graphBytes(QString(R"(g (float[1,1,%1,1] x) => (float[1,1,m,1] y)
                <float[4] s = {1, 1, 0.7, 1}> { [scaled] y = Resize (x, , s) })")
                                                           .arg(dim)
                                                           .toStdString()));
            const Outcome outcome = run({"x=1,1,10,1"});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QVERIFY2(outcome.out.find("[1,1,6,1]") != std::string::npos, outcome.out.c_str());
        }
    }

    void farDiagonals() {
        writeFile(model_.toStdString(), graphBytes(R"(g (float[2,2] x, int64[1] k) => (float[2,2] y, float[2,2] z) {
            y = Trilu <upper = 1> (x, k)
            z = Sub (x, y)
        })"));
        const QString file = temporary_.filePath("k.npy");
        for (const auto& [k, zeros] : {std::pair{std::numeric_limits<int64_t>::max(), "y: float32[2,2] 0 0 0 0"},
                                       {std::numeric_limits<int64_t>::min(), "z: float32[2,2] 0 0 0 0"}}) {
            writeNumber(file, k);
            const Outcome outcome = runLathe({"run", model_, "--input", "k=" + file});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QVERIFY2(outcome.out.find(zeros) != std::string::npos, outcome.out.c_str());
        }
    }

    /// A condition may have more elements than the model says there are: those count for nothing.
    void longCondition() {
        writeFile(model_.toStdString(), graphBytes("g (int64[n] x) => (int64[m] y) <bool[6] c = {1, 0, 1, 0, 1, 1}> "
                                                   "{ y = Compress <axis = 0> (x, c) }"));
        const QString file = temporary_.filePath("x.npy");
        for (const auto& [elements, kept] : {std::pair<std::vector<int64_t>, const char*>{{7, 8, 9}, "y: int64[2] 7 9"},
                                             {{7}, "y: int64[1] 7"},
                                             {{1, 2, 3, 4, 5, 6}, "y: int64[4] 1 3 5 6"},
                                             {{1, 2, 3, 4, 5, 6, 7, 8}, "y: int64[4] 1 3 5 6"}}) {
            const auto count = static_cast<int64_t>(elements.size());
            QVERIFY(driver::writeNpy(file.toStdString(), tensorOf<int64_t>(types::Int64, {count}, elements)));
            const Outcome outcome = runLathe({"run", model_, "--input", "x=" + file});
            QVERIFY2(outcome.code == 0, outcome.err.c_str());
            QVERIFY2(outcome.out.find(kept) != std::string::npos, outcome.out.c_str());
        }
    }

    void anySizes() {
        writeFile(model_.toStdString(), graphBytes("g (float[a,b,c] x) => (float[p,q] y) { y = Flatten (x) }"));
        std::mt19937_64 random(11);
        for (int i = 0; i < 30; ++i) {
            int64_t dims[3];
            for (int64_t& dim : dims) {
                const int bits = static_cast<int>(random() % 63);
                dim = random() % 4 == 0 ? 0 : (int64_t{1} << bits) - 1 + static_cast<int64_t>(random() % 2);
            }
            // What would run, if slowly, is not the subject.
            const double elements =
                static_cast<double>(dims[0]) * static_cast<double>(dims[1]) * static_cast<double>(dims[2]);
            if (elements > 1e6 && elements < 1e12)
                continue;
            const Outcome outcome = run({QString("x=%1,%2,%3").arg(dims[0]).arg(dims[1]).arg(dims[2])});
            QVERIFY2(outcome.code == 0 || outcome.code == 1, outcome.err.c_str());
            QVERIFY2(outcome.code == 0 || outcome.err.starts_with("error: "), outcome.err.c_str());
            QVERIFY2(outcome.err.find("internal") == std::string::npos, outcome.err.c_str());
        }
    }
};

Test test() {
    return {makes<TestSizes>};
}

} // namespace lathe::testing::test_sizes

#include "test_sizes.moc"
