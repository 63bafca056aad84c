// SPDX-License-Identifier: Apache-2.0
//
// Resize, GridSample and RoiAlign against values from ONNX's definition in NumPy.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

namespace lathe::testing::test_sampling {

using relay::Op;

namespace {

relay::ResizeAttrs resize(std::vector<arith::Expr> sizes, std::vector<double> scales, const char* mode,
                          const char* coordinate) {
    relay::ResizeAttrs attrs;
    attrs.sizes = std::move(sizes);
    attrs.scales = std::move(scales);
    attrs.mode = mode;
    attrs.coordinate = coordinate;
    return attrs;
}

} // namespace

class TestSampling : public QObject {
    Q_OBJECT
private slots:
    /// Between two values an interpolation is their distance's share: rows and columns add up.
    void resizeByWholeFactors() {
        const Value x = counting({1, 1, 2, 2}, 1);
        const auto sums = [](const std::vector<double>& rows, const std::vector<double>& columns) {
            std::vector<double> result;
            for (const double row : rows)
                for (const double column : columns)
                    result.push_back(1 + 2 * row + column);
            return result;
        };
        for (const char* centred : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel"})
            EXPECT(run(Op::Resize, {x}, resize({1, 1, 4, 6}, {1, 1, 2, 3}, "linear", centred)), ({1, 1, 4, 6}),
                   sums({0, 0.25, 0.75, 1}, {0, 0, 1.0 / 3, 2.0 / 3, 1, 1}));
        EXPECT(run(Op::Resize, {x}, resize({1, 1, 6, 4}, {}, "linear", "asymmetric")), ({1, 1, 6, 4}),
               sums({0, 1.0 / 3, 2.0 / 3, 1, 1, 1}, {0, 0.5, 1, 1}));
        EXPECT(run(Op::Resize, {x}, resize({1, 1, 1, 8}, {1, 1, 0.5, 4}, "linear", "half_pixel")), ({1, 1, 1, 8}),
               sums({0.5}, {0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1}));
    }
    void linear() {
        const Value x = counting({1, 1, 4, 4}, 1);
        EXPECT(run(Op::Resize, {x}, resize({1, 1, 2, 2}, {1, 1, 0.6, 0.6}, "linear", "half_pixel")), ({1, 1, 2, 2}),
               {2.6666667, 4.3333333, 9.3333333, 11});
        EXPECT(
            run(Op::Resize, {counting({1, 1, 2, 2}, 1)}, resize({1, 1, 4, 4}, {1, 1, 2, 2}, "linear", "align_corners")),
            ({1, 1, 4, 4}),
            {1, 1.3333333, 1.6666667, 2, 1.6666667, 2, 2.3333333, 2.6666667, 2.3333333, 2.6666667, 3, 3.3333333, 3,
             3.3333333, 3.6666667, 4});
        for (Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::Resize, {x}, resize({1, 1, 3, 5}, {}, "linear", "asymmetric"), dims), ({1, 1, 3, 5}),
                   {1, 1.8, 2.6, 3.4, 4, 6.3333333, 7.1333333, 7.9333333, 8.7333333, 9.3333333, 11.666667, 12.466667,
                    13.266667, 14.066667, 14.666667});
        EXPECT(run(Op::Resize, {x}, resize({1, 1, 3, 1}, {}, "linear", "pytorch_half_pixel")), ({1, 1, 3, 1}),
               {1.6666667, 7, 12.333333});
        EXPECT(
            run(Op::Resize, {counting({1, 1, 4}, 1)}, resize({1, 1, 2}, {1, 1, 0.6}, "linear", "half_pixel_symmetric")),
            ({1, 1, 2}), {1.6666667, 3.3333333});
    }
    void cropped() {
        relay::ResizeAttrs attrs = resize({1, 1, 3, 3}, {}, "linear", "tf_crop_and_resize");
        attrs.roi = {0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7};
        attrs.extrapolation = 10;
        EXPECT(run(Op::Resize, {counting({1, 1, 4, 4}, 1)}, attrs), ({1, 1, 3, 3}),
               {7.6, 10, 10, 12.4, 10, 10, 10, 10, 10});
    }
    /// Scales and region as operands are what they are as attributes.
    void resizedByData() {
        const Value x = counting({1, 1, 4, 4}, 1);
        const auto real = [](std::vector<double> numbers) {
            return typed(types::Float64, {static_cast<int64_t>(numbers.size())}, numbers);
        };
        EXPECT(run(Op::Resize, {x, real({1, 1, 0.6, 0.6})}, resize({1, 1, 2, 2}, {}, "linear", "half_pixel")),
               ({1, 1, 2, 2}), {2.6666667, 4.3333333, 9.3333333, 11});
        relay::ResizeAttrs repeating = resize({1, 1, 4, 6}, {}, "nearest", "asymmetric");
        repeating.nearest = "floor";
        EXPECT(run(Op::Resize, {counting({1, 1, 2, 2}, 1), real({1, 1, 2, 3})}, repeating), ({1, 1, 4, 6}),
               {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4});
        relay::ResizeAttrs cropping = resize({1, 1, 3, 3}, {}, "linear", "tf_crop_and_resize");
        cropping.extrapolation = 10;
        EXPECT(run(Op::Resize, {x, absent(), real({0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7})}, cropping), ({1, 1, 3, 3}),
               {7.6, 10, 10, 12.4, 10, 10, 10, 10, 10});
        relay::ResizeAttrs both = resize({1, 1, 2, 2}, {1, 1, 0.6, 0.6}, "linear", "half_pixel");
        QVERIFY(!run(Op::Resize, {x, real({1, 1, 0.6, 0.6})}, both).error.empty());
        QVERIFY(
            !run(Op::Resize, {x, real({0.6, 0.6})}, resize({1, 1, 2, 2}, {}, "linear", "half_pixel")).error.empty());
    }
    void cubic() {
        const Value x = counting({1, 1, 4, 4}, 1);
        relay::ResizeAttrs attrs = resize({1, 1, 3, 3}, {1, 1, 0.8, 0.8}, "cubic", "half_pixel");
        EXPECT(run(Op::Resize, {x}, attrs), ({1, 1, 3, 3}),
               {1.4711914, 2.78125, 4.0825195, 6.7114258, 8.0214844, 9.3227539, 11.916504, 13.226562, 14.527832});
        attrs.excludeOutside = true;
        EXPECT(run(Op::Resize, {x}, attrs), ({1, 1, 3, 3}),
               {1.4396355, 2.7560053, 4.0864203, 6.7051146, 8.0214844, 9.3518993, 12.026774, 13.343144, 14.673559});
    }
    void antialiased() {
        const Value x = counting({1, 1, 4, 4}, 1);
        relay::ResizeAttrs attrs = resize({1, 1, 2, 2}, {1, 1, 0.6, 0.6}, "linear", "half_pixel");
        attrs.antialias = true;
        EXPECT(run(Op::Resize, {x}, attrs), ({1, 1, 2, 2}), {2.875, 4.5, 9.375, 11});
        attrs.mode = "cubic";
        EXPECT(run(Op::Resize, {x}, attrs), ({1, 1, 2, 2}), {2.5180723, 4.2858864, 9.5893287, 11.357143});
    }
    void nearest() {
        const Value x = counting({1, 1, 4}, 1);
        const std::pair<const char*, std::vector<double>> cases[] = {{"round_prefer_floor", {1, 1, 2, 2, 3, 4, 4}},
                                                                     {"round_prefer_ceil", {1, 1, 2, 3, 3, 4, 4}},
                                                                     {"floor", {1, 1, 1, 2, 3, 3, 4}},
                                                                     {"ceil", {1, 2, 2, 3, 4, 4, 4}}};
        for (const auto& [mode, expected] : cases)
            for (Dims dims : {Dims::Constant, Dims::Symbolic}) {
                relay::ResizeAttrs attrs = resize({1, 1, 7}, {}, "nearest", "half_pixel");
                attrs.nearest = mode;
                EXPECT(run(Op::Resize, {x}, attrs, dims), ({1, 1, 7}), expected);
            }
        EXPECT(run(Op::Resize, {counting({1, 1, 8}, 1)}, resize({1, 1, 4}, {1, 1, 0.6}, "nearest", "half_pixel")),
               ({1, 1, 4}), {1, 3, 5, 6});
        EXPECT(run(Op::Resize, {typed(types::Int32, {1, 1, 2}, {1, 2})},
                   resize({1, 1, 6}, {1, 1, 3}, "nearest", "half_pixel")),
               ({1, 1, 6}), {1, 1, 1, 2, 2, 2});
    }
    void nearestWithoutShift() { // position (o + 0.5) / scale: opsets 11 to 13
        const std::pair<const char*, std::vector<double>> cases[] = {{"round_prefer_floor", {1, 2, 2, 3, 3, 4, 4, 4}},
                                                                     {"floor", {1, 1, 2, 2, 3, 3, 4, 4}},
                                                                     {"ceil", {2, 2, 3, 3, 4, 4, 4, 4}}};
        for (const auto& [mode, expected] : cases) {
            relay::ResizeAttrs attrs = resize({1, 1, 8}, {1, 1, 2}, "nearest", "tf_half_pixel_for_nn");
            attrs.nearest = mode;
            EXPECT(run(Op::Resize, {counting({1, 1, 4}, 1)}, attrs), ({1, 1, 8}), expected);
        }
        EXPECT(run(Op::Resize, {counting({1, 1, 4}, 1)}, resize({1, 1, 2}, {}, "nearest", "tf_half_pixel_for_nn")),
               ({1, 1, 2}), {2, 4});
    }
    void integersAreRounded() {
        EXPECT(run(Op::Resize, {typed(types::UInt8, {1, 1, 2}, {0, 255})},
                   resize({1, 1, 4}, {1, 1, 2}, "linear", "half_pixel")),
               ({1, 1, 4}), {0, 64, 191, 255});
    }
    void gridSample() {
        const Value x = counting({1, 1, 3, 4});
        const Value grid = f32({1, 2, 4, 2}, {-1, -1, -.5, -.5, -.2, -.2, 0, 0, .3, -.1, 1.3, -2.2, .5, .5, 1, 1});
        struct Case {
            const char *mode, *padding;
            bool align;
            std::vector<double> expected;
        };
        const Case cases[] = {
            {"linear", "zeros", false, {0, 1.5, 3.9, 5.5, 5.5, 0, 9.5, 2.75}},
            {"linear", "zeros", true, {0, 2.75, 4.4, 5.5, 5.55, 0, 8.25, 11}},
            {"linear", "border", false, {0, 1.5, 3.9, 5.5, 5.5, 3, 9.5, 11}},
            {"linear", "reflection", false, {0, 1.5, 3.9, 5.5, 5.5, 8.1, 9.5, 11}},
            {"linear", "reflection", true, {0, 2.75, 4.4, 5.5, 5.55, 7.35, 8.25, 11}},
            {"nearest", "zeros", false, {0, 0, 5, 6, 6, 0, 10, 0}},
            {"nearest", "border", true, {0, 1, 5, 6, 6, 3, 10, 11}},
            {"nearest", "reflection", false, {0, 0, 5, 6, 6, 7, 10, 11}},
            {"cubic", "zeros", false, {-0.234375, 1.286499, 3.6326799, 5.5, 5.3795066, 0, 12.013672, 2.984375}},
            {"cubic", "zeros", true, {0, 2.4127197, 4.1899548, 5.5, 5.3706412, -0.16998298, 10.041504, 11}},
            {"cubic", "border", false, {-0.46875, 1.171875, 3.5790038, 5.5, 5.3068733, 3, 9.828125, 11.46875}},
            {"cubic", "reflection", true, {0, 1.8828125, 4.0640044, 5.5, 5.3306236, 7.925817, 9.1171875, 11}},
        };
        for (const Case& c : cases) {
            relay::GridSampleAttrs attrs;
            attrs.mode = c.mode;
            attrs.padding = c.padding;
            attrs.alignCorners = c.align;
            EXPECT(run(Op::GridSample, {x, grid}, attrs), ({1, 1, 2, 4}), c.expected, 1e-4);
        }
        relay::GridSampleAttrs attrs;
        EXPECT(run(Op::GridSample, {counting({1, 1, 2, 2, 2}), f32({1, 1, 1, 2, 3}, {-1, -1, -1, .2, -.3, .4})}, attrs),
               ({1, 1, 1, 1, 2}), {0, 4.7});
    }
    void roiAlign() {
        std::vector<double> squares;
        for (int i = 0; i < 25; ++i)
            squares.push_back(i * i / 10.0);
        const Value x = f32({1, 1, 5, 5}, squares), rois = f32({2, 4}, {0, 0, 4, 4, 1, 1, 2, 3.5}),
                    batch = i64({2}, {0, 0});
        relay::RoiAlignAttrs attrs;
        attrs.height = attrs.width = attrs.samplingRatio = 2;
        const std::vector<double> average{1.55, 3.15, 17.55, 23.15, 4.825, 5.4875, 16.54375, 17.83125};
        EXPECT(run(Op::RoiAlign, {x, rois, batch}, attrs), ({2, 1, 2, 2}), average);
        attrs.coordinate = "output_half_pixel";
        EXPECT(run(Op::RoiAlign, {x, rois, batch}, attrs, Dims::Symbolic), ({2, 1, 2, 2}),
               {4.9, 7.7, 26.9, 33.7, 9.39375, 10.35625, 25.175, 26.7625});
        attrs.mode = "max";
        EXPECT(run(Op::RoiAlign, {x, rois, batch}, attrs), ({2, 1, 2, 2}),
               {3.6, 4.9, 12.1, 14.4, 9.9257812, 11.8125, 18.2, 20.546093});
        attrs.mode = "avg";
        attrs.coordinate = "half_pixel";
        attrs.samplingRatio = 0;
        EXPECT(run(Op::RoiAlign, {x, rois, batch}, attrs), ({2, 1, 2, 2}), average);
        QVERIFY(!run(Op::RoiAlign, {x, rois, i64({2}, {0, 1})}, attrs).error.empty());
    }
};

Test test() {
    return {makes<TestSampling>};
}

} // namespace lathe::testing::test_sampling

#include "test_sampling.moc"
