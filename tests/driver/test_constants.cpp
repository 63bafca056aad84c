// SPDX-License-Identifier: Apache-2.0
// Links: onnx
//
// Recipes as they are written: each evaluated once, chains of any length, kept while somebody still reads them; and what
// they cost a whole compilation.
#include "driver/compile.h"
#include "driver/constants.h"
#include "relay/attrs.h"
#include "support/onnx_model.h"
#include "support/program_of_tests.h"

#include <QTemporaryDir>
#include <QTest>
#include <mutex>

namespace lathe::testing::test_constants {

using relay::ConstantPtr;

namespace {

/// A constant of `count` bytes, all `value`.
ConstantPtr bytesOf(int64_t count, int value) {
    auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(count), static_cast<std::byte>(value));
    return relay::makeConstant(types::UInt8, {count}, {bytes, std::span<const std::byte>(*bytes)});
}

/// In place of real computations, which the Evaluator's own tests hold: the sum of the first bytes of all arguments, everywhere.
class Sums : public relay::Evaluator {
public:
    Result<std::vector<ConstantPtr>> evaluate(const relay::Module&, const relay::Function& function,
                                              const std::vector<ConstantPtr>& args) override {
        const std::lock_guard lock(mutex_);
        ++calls;
        int sum = 0;
        for (const ConstantPtr& arg : args)
            sum += std::to_integer<int>(arg->bytes.view[0]);
        if (sum % 256 == failing)
            return failure("the computation fails");
        const ConstantPtr made = bytesOf(arith::asInt(relay::asTensor(function.resultType)->shape[0]).value(), sum);
        std::erase_if(made_, [](const auto& each) { return each.expired(); });
        made_.push_back(made);
        mostAlive = std::max(mostAlive, made_.size());
        return std::vector{made};
    }
    int calls = 0;
    int failing = -1;
    size_t mostAlive = 0;

private:
    std::mutex mutex_;
    std::vector<std::weak_ptr<const relay::Constant>> made_;
};

ConstantPtr sumOf(const ConstantPtr& a, const ConstantPtr& b) {
    auto function = std::make_shared<relay::Function>();
    function->params = {{relay::Var{1}, a->type, {}}, {relay::Var{2}, b->type, {}}};
    auto body = std::make_shared<relay::Block>();
    body->result = relay::Var{3};
    body->bindings.push_back(std::make_shared<relay::Binding>(relay::Binding{
        body->result, relay::OpCall{relay::Op::Add, {relay::Var{1}, relay::Var{2}}, nullptr}, a->type, {}, {}}));
    function->body = body;
    function->resultType = a->type;
    return relay::makeRecipe(function, {a, b});
}

int firstByte(Result<std::span<const std::byte>> view) {
    return view ? std::to_integer<int>((*view)[0]) : -1;
}

} // namespace

class TestConstants : public QObject {
    Q_OBJECT

    const relay::Module module_;
    const Budget budget_;

private slots:
    void sharedOnesAreEvaluatedOnce() {
        ConstantPtr at = bytesOf(10, 1);
        for (int i = 0; i < 40; ++i)
            at = sumOf(at, at);
        Sums sums;
        driver::ConstantBytes bytes({at, at}, module_, sums, budget_, 2);
        QCOMPARE(firstByte(bytes.next()), 0); // 2^40 modulo 256
        QCOMPARE(firstByte(bytes.next()), 0);
        QCOMPARE(sums.calls, 40);
    }

    void chainsOfAnyLength() {
        const ConstantPtr one = bytesOf(4, 1);
        ConstantPtr at = one;
        for (int i = 1; i < 20'000; ++i)
            at = sumOf(at, one);
        Sums sums;
        QCOMPARE(firstByte(driver::ConstantBytes({at}, module_, sums, budget_, 2).next()), 20'000 % 256);
        QVERIFY(sums.mostAlive <= 2);
    }

    void onlyAWindowIsEvaluatedAhead() {
        std::vector<ConstantPtr> wanted;
        for (int i = 0; i < 32; ++i)
            wanted.push_back(sumOf(bytesOf(1000, i), bytesOf(1000, 1)));
        Sums sums;
        driver::ConstantBytes bytes(wanted, module_, sums, budget_, 2, 4000);
        for (int i = 0; i < 32; ++i)
            QCOMPARE(firstByte(bytes.next()), i + 1);
        QCOMPARE(sums.calls, 32);
        QVERIFY2(sums.mostAlive <= 5, qPrintable(QString::number(sums.mostAlive)));
    }

    void aFailureIsGivenOn() {
        Sums sums;
        sums.failing = 2;
        const ConstantPtr one = bytesOf(4, 1);
        driver::ConstantBytes bytes({one, sumOf(one, one)}, module_, sums, budget_, 2);
        QCOMPARE(firstByte(bytes.next()), 1);
        QVERIFY(!bytes.next());
    }

    void splatsAreWrittenOut() {
        Sums sums;
        driver::ConstantBytes bytes({relay::makeSplat(types::Float32, {3}, 1)}, module_, sums, budget_, 1);
        const auto view = bytes.next();
        QVERIFY(view);
        QCOMPARE(view->size(), size_t{12});
        const float expected[] = {1, 1, 1};
        QVERIFY(std::ranges::equal(*view, std::as_bytes(std::span(expected))));
    }

    void cancelled() {
        struct Stopped {};
        const Budget stopped([] { throw Stopped{}; });
        Sums sums;
        driver::ConstantBytes bytes({bytesOf(4, 1)}, module_, sums, stopped, 1);
        QVERIFY_THROWS_EXCEPTION(Stopped, (void)bytes.next());
    }

    /// c + c, forty times, of 80 KB: each sum once, and all of it in the artifact's one constant.
    void modelOfSharedSums() {
        std::string nodes;
        for (int i = 0; i < 40; ++i)
            nodes += "c" + std::to_string(i + 1) + " = Add(c" + std::to_string(i) + ", c" + std::to_string(i) + ") ";
        ::onnx::ModelProto model = parseModel("<ir_version: 10, opset_import: [\"\" : 21]>\n"
                                              "g (float[1] x) => (float[20000] y) { " +
                                              nodes + "y = Add(x, c40) }");
        addWeights(model, "c0", {20'000}, [](int64_t i) { return static_cast<float>(i); });
        QTemporaryDir folder;
        driver::Options options;
        options.cache = false;
        driver::Trace trace;
        const std::string bytes = model.SerializeAsString();
        const auto artifact = driver::compileBytes(std::as_bytes(std::span(bytes)), "model",
                                                   folder.filePath("m.so").toStdString(), {}, options, trace);
        QVERIFY2(artifact, artifact ? "" : toString(artifact.error()).c_str());
        // Sanitizers and a busy machine are slow; 2^40 evaluations are not mistaken for it.
        QVERIFY2(artifact->seconds < 8, qPrintable(QString::number(artifact->seconds)));
    }

    /// The import of a model asks at each node whether it is cancelled, and ends there.
    void importIsCancelled() {
        std::string nodes;
        for (int i = 0; i < 500; ++i)
            nodes += "v" + std::to_string(i + 1) + " = Relu(v" + std::to_string(i) + ") ";
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("m.onnx").toStdString();
        writeFile(file, graphBytes("g (float[2] v0) => (float[2] v500) { " + nodes + "}"));
        int asked = 0;
        const driver::Progress counting{{}, [&] { return ++asked < 0; }};
        driver::Trace whole;
        QVERIFY(driver::importFile(file, {}, whole, counting));
        const int all = asked;
        QVERIFY2(all >= 1000, qPrintable(QString::number(all))); // reading and converting
        for (const int at : {1, 2, all / 3, all / 2, all - 1}) {
            asked = 0;
            driver::Trace trace;
            const auto imported = driver::importFile(file, {}, trace, {{}, [&] { return ++asked >= at; }});
            QVERIFY(!imported);
            QVERIFY(imported.error().kind == ErrorKind::Cancelled);
            QVERIFY2(asked <= at + 1, qPrintable(QString::number(asked))); // protobuf ends its message first
        }
    }
};

Test test() {
    return {makes<TestConstants>};
}

} // namespace lathe::testing::test_constants

#include "test_constants.moc"
