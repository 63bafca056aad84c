// SPDX-License-Identifier: Apache-2.0
//
// Operators that move or make elements: index maps worked out by hand, with constant and symbolic dims.
#include "support/program_of_tests.h"
#include "tests/topi/run.h"

#include <QtTest>

namespace lathe::testing::test_movement {

using relay::Op;

class TestMovement : public QObject {
    Q_OBJECT
private slots:
    void reshape() {
        relay::ReshapeAttrs attrs;
        attrs.shape = {3, 2};
        EXPECT(run(Op::Reshape, {counting({2, 3})}, attrs), ({3, 2}), {0, 1, 2, 3, 4, 5});
        attrs.shape = {2, 1, 3, 2, 1};
        EXPECT(run(Op::Reshape, {counting({2, 6})}, attrs), ({2, 1, 3, 2, 1}), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
        attrs.shape = {1, 4, 6};
        EXPECT(run(Op::Reshape, {counting({2, 2, 1, 3, 2})}, attrs), ({1, 4, 6}), counting({24}).data);
        attrs.shape = {};
        EXPECT(run(Op::Reshape, {f32({1, 1}, {7})}, attrs), ({}), {7});
        attrs.shape = {0, 5};
        EXPECT(run(Op::Reshape, {f32({5, 0}, {})}, attrs), ({0, 5}), {});
    }
    void transpose() {
        relay::TransposeAttrs attrs;
        attrs.axes = {2, 0, 1};
        for (Dims dims : {Dims::Constant, Dims::Symbolic, Dims::Unknown})
            EXPECT(run(Op::Transpose, {counting({2, 1, 3})}, attrs, dims), ({3, 2, 1}), {0, 3, 1, 4, 2, 5});
    }
    void broadcastTo() {
        relay::BroadcastAttrs attrs;
        attrs.shape = {2, 2, 3};
        EXPECT(run(Op::BroadcastTo, {f32({2, 1}, {1, 2})}, attrs), ({2, 2, 3}), {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
    }
    void concat() {
        relay::AxisAttrs attrs;
        attrs.axis = 1;
        const std::vector<Value> parts{counting({2, 1}), f32({2, 0}, {}), counting({2, 2}, 10)};
        for (Dims dims : {Dims::Constant, Dims::Symbolic})
            EXPECT(run(Op::Concat, parts, attrs, dims), ({2, 3}), {0, 10, 11, 1, 12, 13});
        EXPECT(run(Op::Concat, {counting({2, 1}), counting({2, 2}, 10), counting({2, 1}, 20)}, attrs, Dims::Unknown),
               ({2, 4}), {0, 10, 11, 20, 1, 12, 13, 21});
    }
    void slice() {
        relay::SliceAttrs attrs;
        attrs.begin = {1, 3};
        attrs.size = {1, 2};
        attrs.step = {1, -2};
        EXPECT(run(Op::Slice, {counting({2, 4})}, attrs), ({1, 2}), {7, 5});
    }
    void dynamicSlice() {
        relay::AxesAttrs attrs;
        attrs.axes = {0, 1};
        const Value x = counting({3, 4});
        EXPECT(run(Op::DynamicSlice, {x, i64({2}, {1, -1}), i64({2}, {1000, -100}), i64({2}, {1, -2})}, attrs),
               ({2, 2}), {7, 5, 11, 9});
        EXPECT(run(Op::DynamicSlice, {x, i64({2}, {2, 0}), i64({2}, {1, 4}), i64({2}, {1, 3})}, attrs, Dims::Symbolic),
               ({0, 2}), {});
        QVERIFY(run(Op::DynamicSlice, {x, i64({2}, {0, 0}), i64({2}, {1, 4}), i64({2}, {1, 0})}, attrs)
                    .error.find("step of 0") != std::string::npos);
    }
    void padConstant() {
        relay::PadAttrs attrs;
        attrs.before = {1, -1};
        attrs.after = {0, 2};
        EXPECT(run(Op::Pad, {counting({2, 2}, 1), f32({}, {9})}, attrs), ({3, 3}), {9, 9, 9, 2, 9, 9, 4, 9, 9});
        attrs.before = {0, 1};
        attrs.after = {0, 0};
        attrs.interior = {1, 2};
        EXPECT(run(Op::Pad, {counting({2, 2}, 1)}, attrs), ({3, 5}), {0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4});
        attrs = {};
        attrs.before = {1};
        attrs.after = {1};
        EXPECT(run(Op::Pad, {f32({0}, {})}, attrs), ({2}), {0, 0});
    }
    void padByRepeating() {
        relay::PadAttrs attrs;
        attrs.before = {4};
        attrs.after = {3};
        const Value x = f32({3}, {1, 2, 3});
        for (Dims dims : {Dims::Constant, Dims::Symbolic}) {
            attrs.mode = "reflect";
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({10}), {1, 2, 3, 2, 1, 2, 3, 2, 1, 2});
            attrs.mode = "symmetric";
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({10}), {3, 3, 2, 1, 1, 2, 3, 3, 2, 1});
            attrs.mode = "edge";
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({10}), {1, 1, 1, 1, 1, 2, 3, 3, 3, 3});
            attrs.mode = "wrap";
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({10}), {3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
        }
    }
    /// Of what cropping leaves.
    void padByRepeatingCrops() {
        const Value x = f32({5}, {0, 1, 2, 3, 4});
        for (Dims dims : {Dims::Constant, Dims::Symbolic}) {
            relay::PadAttrs attrs;
            attrs.mode = "wrap";
            attrs.before = {-1};
            attrs.after = {1};
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({5}), {1, 2, 3, 4, 1});
            attrs.before = {2};
            attrs.after = {-1};
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({6}), {2, 3, 0, 1, 2, 3});
            attrs.mode = "reflect";
            attrs.before = {-3};
            attrs.after = {3};
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({5}), {3, 4, 3, 4, 3});
            attrs.mode = "symmetric";
            EXPECT(run(Op::Pad, {x}, attrs, dims), ({5}), {3, 4, 4, 3, 3});
        }
    }
    void padByRepeatingOnce() {
        relay::PadAttrs attrs;
        attrs.before = {1, 2};
        attrs.after = {0, 1};
        const Value x = counting({2, 3}, 1);
        attrs.mode = "reflect";
        EXPECT(run(Op::Pad, {x}, attrs), ({3, 6}), {6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5});
        attrs.mode = "symmetric";
        EXPECT(run(Op::Pad, {x}, attrs), ({3, 6}), {2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 5, 4, 4, 5, 6, 6});
        attrs.mode = "edge";
        EXPECT(run(Op::Pad, {x}, attrs), ({3, 6}), {1, 1, 1, 2, 3, 3, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6});
        attrs.mode = "wrap";
        EXPECT(run(Op::Pad, {x}, attrs), ({3, 6}), {5, 6, 4, 5, 6, 4, 2, 3, 1, 2, 3, 1, 5, 6, 4, 5, 6, 4});
        attrs.mode = "reflect";
        attrs.before = attrs.after = {0, -1};
        EXPECT(run(Op::Pad, {x}, attrs), ({2, 1}), {2, 5});
    }
    void tileAndReverse() {
        relay::TileAttrs tile;
        tile.repeats = {2, 2};
        EXPECT(run(Op::Tile, {counting({1, 2})}, tile), ({2, 4}), {0, 1, 0, 1, 0, 1, 0, 1});
        relay::AxesAttrs reverse;
        reverse.axes = {1};
        EXPECT(run(Op::Reverse, {counting({2, 3})}, reverse, Dims::Symbolic), ({2, 3}), {2, 1, 0, 5, 4, 3});
        relay::ReverseAttrs sequence; // time axis 0, batch axis 1
        EXPECT(run(Op::ReverseSequence, {counting({3, 2}), i64({2}, {2, 3})}, sequence), ({3, 2}), {2, 5, 0, 3, 4, 1});
    }
    void blocks() {
        relay::BlockAttrs attrs;
        attrs.block = 2;
        const Value x = counting({1, 8, 1, 1});
        EXPECT(run(Op::DepthToSpace, {x}, attrs), ({1, 2, 2, 2}), {0, 2, 4, 6, 1, 3, 5, 7});
        attrs.mode = "CRD";
        EXPECT(run(Op::DepthToSpace, {x}, attrs), ({1, 2, 2, 2}), {0, 1, 2, 3, 4, 5, 6, 7});
        EXPECT(run(Op::SpaceToDepth, {counting({1, 2, 2, 2})}, attrs), ({1, 8, 1, 1}), {0, 4, 1, 5, 2, 6, 3, 7});
    }
    void made() {
        EXPECT(run(Op::ShapeOf, {counting({2, 1, 3})}, nullptr, Dims::Unknown), ({3}), {2, 1, 3});
        relay::IotaAttrs iota;
        iota.shape = {2, 3};
        iota.axis = 1;
        EXPECT(run(Op::Iota, {}, iota), ({2, 3}), {0, 1, 2, 0, 1, 2});
        relay::BroadcastAttrs full;
        full.shape = {2, 2};
        EXPECT(run(Op::Full, {f32({}, {3})}, full), ({2, 2}), {3, 3, 3, 3});
        EXPECT(run(Op::Range, {f32({}, {1}), f32({}, {5}), f32({}, {1.5})}), ({3}), {1, 2.5, 4});
        EXPECT(run(Op::Range, {i64({}, {10}), i64({}, {4}), i64({}, {-2})}), ({3}), {10, 8, 6});
        EXPECT(run(Op::Range, {i64({}, {3}), i64({}, {3}), i64({}, {1})}), ({0}), {});
        EXPECT(run(Op::Range, {i64({}, {0}), i64({}, {5}), i64({}, {2})}), ({3}), {0, 2, 4});
        QVERIFY(!run(Op::Range, {i64({}, {3}), i64({}, {4}), i64({}, {0})}).error.empty());
    }
    void oneHot() {
        relay::OneHotAttrs attrs;
        attrs.depth = 3;
        attrs.axis = 1;
        EXPECT(run(Op::OneHot, {i64({4}, {0, -1, 2, 7}), f32({2}, {5, 9})}, attrs), ({4, 3}),
               {9, 5, 5, 5, 5, 9, 5, 5, 9, 5, 5, 5});
        attrs.axis = 0;
        EXPECT(run(Op::OneHot, {i64({2}, {0, 2}), f32({2}, {0, 1})}, attrs), ({3, 2}), {1, 0, 0, 0, 0, 1});
    }
    void triangles() {
        relay::TriluAttrs attrs;
        attrs.k = 1;
        EXPECT(run(Op::Trilu, {counting({2, 3}, 1)}, attrs, Dims::Symbolic), ({2, 3}), {0, 2, 3, 0, 0, 6});
        attrs.upper = false;
        attrs.k = -1;
        EXPECT(run(Op::Trilu, {counting({2, 3}, 1)}, attrs), ({2, 3}), {0, 0, 0, 4, 0, 0});
    }
};

Test test() {
    return {makes<TestMovement>};
}

} // namespace lathe::testing::test_movement

#include "test_movement.moc"
