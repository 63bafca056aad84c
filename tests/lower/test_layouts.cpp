// SPDX-License-Identifier: Apache-2.0
//
// Layouts: a DAG computes the same with stored tensors as with logical ones (by the interpreter), split axes are plain
// axes afterwards; and which values of a small network are stored in blocks.
#include "arith/analysis.h"
#include "lower/layout.h"
#include "relay/attrs.h"
#include "relay/builder.h"
#include "relay/choose/channel_blocks.h"
#include "relay/choose/choose_layouts.h"
#include "relay/text.h"
#include "relay/type_map.h"
#include "relay/verify.h"
#include "support/program_of_tests.h"
#include "tir/interpret.h"
#include "tir/text.h"

#include <QTest>

namespace lathe::testing::test_layouts {

using arith::Expr;

namespace {

relay::LayoutPtr layout(std::vector<relay::Layout::Axis> axes) {
    auto made = std::make_shared<relay::Layout>();
    made->axes = std::move(axes);
    return made;
}
const relay::LayoutPtr blocksOf4 = layout({{0, 0, false}, {1, 4, true}, {2, 0, false}, {1, 4, false}});
const relay::LayoutPtr panelsOf4 = layout({{0, 4, true}, {1, 4, true}, {2, 0, false}, {1, 4, false}, {0, 4, false}});

/// Position of a logical element of shape in the stored order.
size_t positionOf(const std::vector<int64_t>& at, const std::vector<int64_t>& shape, const relay::LayoutPtr& layout) {
    int64_t flat = 0;
    const auto step = [&](int64_t extent, int64_t index) { flat = flat * extent + index; };
    if (!layout)
        for (size_t dim = 0; dim < shape.size(); ++dim)
            step(shape[dim], at[dim]);
    else
        for (const relay::Layout::Axis& axis : layout->axes) {
            const auto dim = static_cast<size_t>(axis.dim);
            if (axis.factor == 0)
                step(shape[dim], at[dim]);
            else if (axis.outer)
                step((shape[dim] + axis.factor - 1) / axis.factor, at[dim] / axis.factor);
            else
                step(axis.factor, at[dim] % axis.factor);
        }
    return static_cast<size_t>(flat);
}

/// Elements that a tensor is stored in.
size_t storedSize(const std::vector<int64_t>& shape, const relay::LayoutPtr& layout) {
    const std::vector<Expr> dims(shape.begin(), shape.end());
    int64_t count = 1;
    for (const Expr& dim : relay::storedShape(dims, layout))
        count *= *arith::asInt(dim);
    return static_cast<size_t>(count);
}

/// Padding is NaN: who reads it shows.
std::vector<float> stored(const std::vector<float>& logical, const std::vector<int64_t>& shape,
                          const relay::LayoutPtr& layout) {
    std::vector<float> result(storedSize(shape, layout), std::numeric_limits<float>::quiet_NaN());
    for (int64_t a = 0; a < shape[0]; ++a)
        for (int64_t b = 0; b < shape[1]; ++b)
            for (int64_t c = 0; c < shape[2]; ++c)
                result[positionOf({a, b, c}, shape, layout)] = logical[positionOf({a, b, c}, shape, nullptr)];
    return result;
}

std::vector<float> numbers(size_t count) {
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(i * 7 % 11) - 5); // whole numbers: sums are exact in any order
    return values;
}

} // namespace

class TestLayouts : public QObject {
    Q_OBJECT

    /// A convolution of width 3 over a padded operand x[1, channels, 5] with w[channels, channels, 3], then its operand added.
    static void dag(int64_t channels, te::TensorPtr& x, te::TensorPtr& w, te::TensorPtr& conv, te::TensorPtr& sum) {
        x = te::placeholder("x", types::Float32, {1, channels, 5});
        w = te::placeholder("w", types::Float32, {channels, channels, 3});
        const auto pad = te::compute(
            "pad", {1, channels, 7},
            [&](auto& i) {
                const Expr at = arith::min(arith::max(i[2] - Expr(1), 0), 4);
                return arith::select(arith::logicalAnd(arith::ge(i[2], 1), arith::lt(i[2], 6)), (*x)({i[0], i[1], at}),
                                     arith::zero(types::Float32));
            },
            0);
        conv = te::reduce(
            "conv", {1, channels, 5}, te::ReduceKind::Sum, {channels, 3},
            [&](auto& i, auto& k) { return (*pad)({i[0], k[0], i[2] + k[1]}) * (*w)({i[1], k[0], k[1]}); }, 0);
        sum = te::compute(
            "sum", {1, channels, 5}, [&](auto& i) { return (*conv)({i[0], i[1], i[2]}) + (*x)({i[0], i[1], i[2]}); },
            1);
    }

    static std::vector<float> run(const lower::TensorLayouts& layouts, const te::TensorPtr& x, const te::TensorPtr& w,
                                  const te::TensorPtr& sum, const relay::LayoutPtr& result,
                                  std::string* text = nullptr) {
        const auto of = [&](const te::TensorPtr& tensor) {
            const auto it = layouts.find(tensor.get());
            return it == layouts.end() ? nullptr : it->second;
        };
        const te::Dag made = lower::applyLayouts({{x, w}, {sum}}, layouts);
        const tir::PrimFuncPtr function = te::toTir("f", made.inputs, made.outputs, {});
        if (text)
            *text = tir::print(*function);
        const int64_t channels = *arith::asInt(x->shape[1]);
        const std::vector<int64_t> shape = {1, channels, 5}, weights = {channels, channels, 3};
        std::vector<std::vector<float>> memory = {stored(numbers(storedSize(shape, nullptr)), shape, of(x)),
                                                  stored(numbers(storedSize(weights, nullptr)), weights, of(w)),
                                                  std::vector<float>(storedSize(shape, result))};
        std::vector<tir::Argument> arguments;
        for (auto& buffer : memory)
            arguments.push_back({std::as_writable_bytes(std::span(buffer)), 0});
        if (const auto done = tir::interpret(*function, arguments); !done)
            return {};
        std::vector<float> logical(storedSize(shape, nullptr));
        for (int64_t c = 0; c < channels; ++c)
            for (int64_t i = 0; i < 5; ++i)
                logical[positionOf({0, c, i}, shape, nullptr)] = memory[2][positionOf({0, c, i}, shape, result)];
        return logical;
    }

private slots:
    void appliedComputesTheSame() {
        te::TensorPtr x, w, conv, sum;
        dag(8, x, w, conv, sum);
        const std::vector<float> expected = run({}, x, w, sum, nullptr);
        QCOMPARE(expected.size(), size_t(40));
        std::string text;
        QCOMPARE(run({{x.get(), blocksOf4}, {w.get(), panelsOf4}, {conv.get(), blocksOf4}, {sum.get(), blocksOf4}}, x,
                     w, sum, blocksOf4, &text),
                 expected);
        // All axes are plain: no index divides, and the padded operand lies in blocks as well.
        QVERIFY2(text.find("//") == std::string::npos && text.find('%') == std::string::npos, text.c_str());
        QVERIFY2(text.find("pad: float32[1, 2, 7, 4]") != std::string::npos, text.c_str());
        // A logical result of stored operands, and the other way round.
        QCOMPARE(run({{x.get(), blocksOf4}, {conv.get(), nullptr}, {sum.get(), nullptr}}, x, w, sum, nullptr),
                 expected);
        QCOMPARE(run({{w.get(), panelsOf4}, {conv.get(), blocksOf4}, {sum.get(), blocksOf4}}, x, w, sum, blocksOf4),
                 expected);
    }

    /// 6 and 7 channels in blocks of 4: the last one is part padding, which nothing may read that is seen.
    void paddingIsNeverSeen() {
        for (const int64_t channels : {6, 7, 3}) {
            te::TensorPtr x, w, conv, sum;
            dag(channels, x, w, conv, sum);
            const std::vector<float> expected = run({}, x, w, sum, nullptr);
            QCOMPARE(expected.size(), static_cast<size_t>(5 * channels));
            std::string text;
            QCOMPARE(run({{x.get(), blocksOf4}, {w.get(), panelsOf4}, {conv.get(), blocksOf4}, {sum.get(), blocksOf4}},
                         x, w, sum, blocksOf4, &text),
                     expected);
            // What is padded alike is read as it is stored, without a test.
            QVERIFY2(text.find("//") == std::string::npos && text.find('%') == std::string::npos, text.c_str());
            // Operands and results that are not padded are left at their ends.
            QCOMPARE(run({{x.get(), blocksOf4}, {conv.get(), nullptr}, {sum.get(), nullptr}}, x, w, sum, nullptr),
                     expected);
            QCOMPARE(run({{w.get(), panelsOf4}, {conv.get(), blocksOf4}, {sum.get(), blocksOf4}}, x, w, sum, blocksOf4),
                     expected);
            QCOMPARE(run({{x.get(), blocksOf4}, {conv.get(), blocksOf4}, {sum.get(), nullptr}}, x, w, sum, nullptr),
                     expected);
        }
    }

    void widthsOfBlocks() {
        Target avx512;
        avx512.vectorBits = 512;
        const std::pair<int64_t, int64_t> widths[] = {{7, 0},   {8, 16},  {16, 16}, {17, 32}, {24, 32},  {32, 32},
                                                      {40, 16}, {48, 16}, {72, 16}, {88, 32}, {144, 16}, {1280, 32}};
        for (const auto& [channels, width] : widths)
            QCOMPARE(relay::choose::blockWidth(channels, types::Float32, avx512), width);
        QCOMPARE(relay::choose::blockWidth(arith::symbol("c", 1, 64), types::Float32, avx512), int64_t{0});
    }

    /// Two vectors wide, else one, where that divides the columns or makes two whole panels.
    void panelsOfProducts() {
        for (const auto& [columns, width] : {std::pair<int64_t, int64_t>{1000, 16},
                                             {10001, 16},
                                             {33, 16},
                                             {31, 8},
                                             {17, 8},
                                             {16, 16},
                                             {8, 8},
                                             {15, 0}}) {
            relay::Module module;
            module.spans = std::make_shared<model::SpanTable>();
            relay::Builder b{module, nullptr};
            b.setSpan(module.spans->of(0));
            const std::vector<float> values(static_cast<size_t>(8 * columns), 0.5F);
            model::Bytes bytes;
            bytes.view = std::as_bytes(std::span(values));
            const relay::Var x = b.param("x", relay::tensorType(types::Float32, {4, 8}));
            const relay::Var weights = b.constant(relay::makeConstant(types::Float32, {8, columns}, bytes));
            module.functions["main"] = b.finish(b.call(relay::Op::MatMul, {x, weights}, relay::MatMulAttrs{}));
            Target target;
            target.vectorBits = 256;
            const relay::choose::LaidOut laid = relay::choose::chooseLayouts(module, target);
            const auto choice =
                std::ranges::find(laid.choices, relay::choose::StoredPart::Panels, &relay::choose::LayoutChoice::part);
            QCOMPARE(choice == laid.choices.end() ? 0 : choice->width, width);
        }
    }

    void chosenWhereAReaderGains() {
        relay::Module module;
        module.spans = std::make_shared<model::SpanTable>();
        relay::Builder b{module, nullptr};
        b.setSpan(module.spans->of(0));
        const auto weights = [&](int64_t out, int64_t in, int64_t kernel) {
            static std::vector<float> values(64 * 64 * 9, 0.5F);
            const auto count = static_cast<size_t>(out * in * kernel * kernel);
            model::Bytes bytes;
            bytes.view = std::as_bytes(std::span(values).first(count));
            return b.constant(relay::makeConstant(types::Float32, {out, in, kernel, kernel}, bytes));
        };
        const auto conv = [&](relay::Var x, int64_t out, int64_t in, int64_t kernel) {
            relay::ConvAttrs attrs;
            attrs.strides = attrs.dilations = {1, 1};
            attrs.before = attrs.after = {Expr(kernel / 2), Expr(kernel / 2)};
            return b.call(relay::Op::Conv, {x, weights(out, in, kernel)}, std::move(attrs));
        };
        const relay::Var x = b.param("x", relay::tensorType(types::Float32, {1, 3, 8, 8}));
        const relay::Var first = conv(x, 64, 3, 3);                    // read by a convolution
        const relay::Var relu = b.call(relay::Op::Relu, {first});      // between two of them
        const relay::Var second = conv(relu, 64, 64, 1);               // read by an addition alone
        const relay::Var sum = b.call(relay::Op::Add, {second, relu}); // not read in blocks
        relay::ReshapeAttrs reshape;
        reshape.shape = {Expr(1), Expr(4096)};
        const relay::Var flat = b.call(relay::Op::Reshape, {sum}, std::move(reshape));
        QVERIFY2(!b.failed(), b.failed() ? toString(b.error()).c_str() : "");
        module.functions["main"] = b.finish(flat);

        const relay::Module chosen = relay::choose::chooseLayouts(module, Target()).module;
        const auto verified = relay::verify(chosen);
        QVERIFY2(verified, verified ? "" : toString(verified.error()).c_str());
        const relay::Index index(chosen.main());
        const auto blocked = [&](relay::Var var) {
            return relay::asTensor(index.find(var)->binding->type)->layout != nullptr;
        };
        QVERIFY(blocked(first) && blocked(relu));
        QVERIFY(!blocked(second) && !blocked(sum) && !blocked(flat));
        // The addition reads a logical copy of the relu.
        const auto* add = index.find(sum)->binding->as<relay::OpCall>();
        QVERIFY(add->args[1] != relu);
        QVERIFY(index.find(add->args[1])->binding->as<relay::OpCall>()->op == relay::Op::Relayout);
        checkVerifier(chosen, first, add->args[1]);
    }

    /// What is written in the model's order has weights in panels only where an element takes many products, or rows of
    /// the image are no vectors.
    void panelsOfResultsInOrder() {
        for (const auto& [channels, width, panels] :
             {std::tuple{3, 40, false}, std::tuple{8, 40, true}, std::tuple{3, 3, true}, std::tuple{8, 32, false},
              std::tuple{8, 64, false}, std::tuple{8, 48, true}}) {
            relay::Module module;
            module.spans = std::make_shared<model::SpanTable>();
            relay::Builder b{module, nullptr};
            b.setSpan(module.spans->of(0));
            static const std::vector<float> values(64 * 64 * 9, 0.5F);
            model::Bytes bytes;
            bytes.view = std::as_bytes(std::span(values).first(static_cast<size_t>(64 * channels * 9)));
            const relay::Var x = b.param("x", relay::tensorType(types::Float32, {1, channels, width, width}));
            const relay::Var weights = b.constant(relay::makeConstant(types::Float32, {64, channels, 3, 3}, bytes));
            relay::ConvAttrs attrs;
            attrs.strides = attrs.dilations = {1, 1};
            attrs.before = attrs.after = {Expr(1), Expr(1)};
            module.functions["main"] = b.finish(b.call(relay::Op::Conv, {x, weights}, std::move(attrs)));
            Target target;
            target.vectorBits = 256;
            const relay::choose::LaidOut laid = relay::choose::chooseLayouts(module, target);
            const auto choice =
                std::ranges::find(laid.choices, relay::choose::StoredPart::Panels, &relay::choose::LayoutChoice::part);
            QVERIFY(choice != laid.choices.end());
            QCOMPARE(choice->width != 0, panels);
        }
    }

    /// Wrong layouts put into a module that is right.
    static void checkVerifier(const relay::Module& module, relay::Var stored, relay::Var logical) {
        const auto problem = [&](relay::Var var, const relay::LayoutPtr& layout) {
            relay::Module changed = module;
            auto function = std::make_shared<relay::Function>(module.main());
            auto body = std::make_shared<relay::Block>(*function->body);
            for (relay::BindingPtr& entry : body->bindings)
                if (entry->var == var) {
                    auto binding = std::make_shared<relay::Binding>(*entry);
                    const relay::TensorType& type = *relay::asTensor(entry->type);
                    binding->type = relay::tensorType(type.dtype, type.shape, layout);
                    entry = binding;
                }
            function->body = body;
            changed.functions["main"] = function;
            const auto verified = relay::verify(changed);
            return verified ? QString() : QString::fromStdString(verified.error().what);
        };
        const std::vector<relay::Layout::Axis> plain = {{0, 0, false}, {1, 0, false}, {2, 0, false}, {3, 0, false}};
        QCOMPARE(problem(stored, layout(plain)), QString());
        // A dim that no axis holds, one that two hold, parts of different splits, a part alone.
        QVERIFY(problem(stored, layout({plain[0], plain[1], plain[2]})).contains("dim 3 neither"));
        QVERIFY(problem(stored, layout({plain[0], plain[1], plain[1], plain[2], plain[3]})).contains("dim 1 neither"));
        QVERIFY(problem(stored, layout({plain[0], {1, 8, true}, plain[2], plain[3], {1, 4, false}})).contains("dim 1"));
        QVERIFY(problem(stored, layout({plain[0], {1, 8, true}, plain[2], plain[3]})).contains("dim 1 neither"));
        QVERIFY(problem(stored, layout({plain[0], plain[1], plain[2], {7, 0, false}})).contains("dim 7 of 4"));
        // A relayout's result is stored as the relayout says.
        QVERIFY(problem(logical, layout(plain)).contains("stated as"));
        // 64 channels in blocks of 24: the last block is part padding, which nobody reads.
        QCOMPARE(problem(stored, layout({plain[0], {1, 24, true}, plain[2], plain[3], {1, 24, false}})), QString());
    }
};

Test test() {
    return {makes<TestLayouts>};
}

} // namespace lathe::testing::test_layouts

#include "test_layouts.moc"
