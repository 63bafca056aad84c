// SPDX-License-Identifier: Apache-2.0
//
// Deformable convolutions with one, two and three spatial dims, groups, groups of offsets, masks, steps and unequal padding,
// compiled and run, against the sum by which Dai et al. define them: ONNX's own tests have images alone, and one group.
// Needs: lathe-runner
// Links: onnx
#include "support/model_result.h"
#include "support/program_of_tests.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace lathe::testing::test_deformed_conv {

namespace {

using Sizes = std::vector<int64_t>;

int64_t count(const Sizes& sizes) {
    int64_t total = 1;
    for (const int64_t size : sizes)
        total *= size;
    return total;
}

/// Calls fn for each index of the shape, with its place.
void each(const Sizes& shape, const std::function<void(const Sizes& index, int64_t place)>& fn) {
    for (int64_t place = 0; place < count(shape); ++place) {
        Sizes index(shape.size());
        for (size_t i = shape.size(), rest = size_t(place); i-- > 0; rest /= size_t(shape[i]))
            index[i] = int64_t(rest % size_t(shape[i]));
        fn(index, place);
    }
}

int64_t placeOf(const Sizes& index, const Sizes& shape) {
    int64_t place = 0;
    for (size_t i = 0; i < shape.size(); ++i)
        place = place * shape[i] + index[i];
    return place;
}

struct Case {
    const char* name;
    Sizes spatial, kernel, strides, dilations, before, after;
    int64_t groups, offsetGroups;
    bool masked;
};

const Case cases[] = {
    {"one dim", {9}, {3}, {2}, {1}, {1}, {2}, 1, 1, false},
    {"groups", {6, 5}, {3, 2}, {1, 2}, {1, 1}, {1, 0}, {0, 1}, 2, 1, true},
    {"groups of offsets", {6, 7}, {2, 3}, {2, 1}, {2, 1}, {0, 1}, {1, 1}, 2, 4, true},
    {"three dims", {4, 5, 3}, {2, 2, 2}, {1, 2, 1}, {1, 1, 2}, {1, 0, 1}, {0, 1, 1}, 1, 2, true},
};
constexpr int64_t batch = 2, channels = 4, results = 6;

/// The operands, one after the other, and what the definition makes of them.
struct Worked {
    Sizes out, x, weights, offset, mask;
    Values operands, expected;

    explicit Worked(const Case& c) : x{batch, channels}, weights{results, channels / c.groups} {
        const int64_t taps = count(c.kernel), dims = int64_t(c.spatial.size());
        for (size_t i = 0; i < c.spatial.size(); ++i)
            out.push_back(
                (c.spatial[i] + c.before[i] + c.after[i] - c.dilations[i] * (c.kernel[i] - 1) - 1) / c.strides[i] + 1);
        x.insert(x.end(), c.spatial.begin(), c.spatial.end());
        weights.insert(weights.end(), c.kernel.begin(), c.kernel.end());
        offset = {batch, c.offsetGroups * taps * dims};
        mask = {batch, c.offsetGroups * taps};
        offset.insert(offset.end(), out.begin(), out.end());
        mask.insert(mask.end(), out.begin(), out.end());
        for (int64_t i = 0; i < count(x) + count(weights) + count(offset) + count(mask); ++i)
            operands.push_back(float((i * 7919 + 13) % 401 - 200) / 100); // from -2 to 2
        compute(c);
    }

private:
    double operand(int64_t before, const Sizes& shape, const Sizes& index) const {
        return double(operands[size_t(before + placeOf(index, shape))]);
    }
    /// Between elements by their distance; zeros outside.
    double sample(const Case& c, int64_t n, int64_t channel, const std::vector<double>& at) const {
        double sum = 0;
        each(Sizes(at.size(), 2), [&](const Sizes& corner, int64_t) {
            double weight = 1;
            Sizes index{n, channel};
            for (size_t i = 0; i < at.size(); ++i) {
                const auto place = int64_t(std::floor(at[i])) + corner[i];
                weight *= place < 0 || place >= c.spatial[i] ? 0 : 1 - std::abs(at[i] - double(place));
                index.push_back(std::clamp<int64_t>(place, 0, c.spatial[i] - 1));
            }
            sum += weight * operand(0, x, index);
        });
        return sum;
    }
    double tap(const Case& c, const Sizes& at, int64_t channel, const Sizes& k, int64_t tapPlace) const {
        const int64_t dims = int64_t(c.spatial.size()), taps = count(c.kernel);
        const int64_t group = channel / (channels / c.offsetGroups), first = count(x) + count(weights);
        std::vector<double> place;
        Sizes index = at; // [n, m, out…]
        for (size_t i = 0; i < c.spatial.size(); ++i) {
            index[1] = (group * taps + tapPlace) * dims + int64_t(i);
            place.push_back(double(at[i + 2] * c.strides[i] + k[i] * c.dilations[i] - c.before[i]) +
                            operand(first, offset, index));
        }
        index[1] = group * taps + tapPlace;
        const double factor = c.masked ? operand(first + count(offset), mask, index) : 1;
        return factor * sample(c, at[0], channel, place);
    }
    void compute(const Case& c) {
        Sizes shape{batch, results};
        shape.insert(shape.end(), out.begin(), out.end());
        each(shape, [&](const Sizes& at, int64_t) {
            const int64_t most = channels / c.groups, group = at[1] / (results / c.groups);
            double sum = 0;
            for (int64_t own = 0; own < most; ++own)
                each(c.kernel, [&](const Sizes& k, int64_t tapPlace) {
                    Sizes index{at[1], own};
                    index.insert(index.end(), k.begin(), k.end());
                    sum += operand(count(x), weights, index) * tap(c, at, group * most + own, k, tapPlace);
                });
            expected.push_back(float(sum));
        });
    }
};

} // namespace

class TestDeformedConv : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheDefinition_data() {
        QTest::addColumn<int>("which");
        for (size_t i = 0; i < std::size(cases); ++i)
            QTest::newRow(cases[i].name) << int(i);
    }
    /// The one input holds all operands, so that none is known when the model is compiled.
    void agreesWithTheDefinition() {
        QFETCH(int, which);
        const Case& c = cases[which];
        const Worked worked(c);
        std::string nodes;
        int64_t from = 0;
        for (const auto& [name, shape] : {std::pair("a", worked.x), std::pair("w", worked.weights),
                                          std::pair("o", worked.offset), std::pair("m", worked.mask)}) {
            nodes += fmt::format(
                "{0}b = Constant <value = int64[1] {{{1}}}> () {0}e = Constant <value = int64[1] {{{2}}}> () "
                "{0}f = Slice (x, {0}b, {0}e) {0}s = Constant <value = int64[{3}] {{{4}}}> () "
                "{0} = Reshape ({0}f, {0}s) ",
                name, from, from + count(shape), shape.size(), fmt::join(shape, ", "));
            from += count(shape);
        }
        Sizes pads = c.before;
        pads.insert(pads.end(), c.after.begin(), c.after.end());
        nodes +=
            fmt::format("y = DeformConv <strides = [{}], dilations = [{}], pads = [{}], group = {}, offset_group = "
                        "{}> (a, w, o{})",
                        fmt::join(c.strides, ", "), fmt::join(c.dilations, ", "), fmt::join(pads, ", "), c.groups,
                        c.offsetGroups, c.masked ? ", , m" : "");
        std::string problem, dims;
        for (size_t i = 0; i < c.spatial.size() + 2; ++i)
            dims += fmt::format("{}d{}", i == 0 ? "" : ",", i);
        const auto result = resultOf(fmt::format("g (float[{}] x) => (float[{}] y) {{ {} }}", from, dims, nodes),
                                     {from}, worked.operands, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        const Values y = valuesOf<float>(result);
        QCOMPARE(y.size(), worked.expected.size());
        for (size_t i = 0; i < y.size(); ++i)
            QVERIFY2(std::abs(y[i] - worked.expected[i]) <= 2e-4F * (1 + std::abs(worked.expected[i])),
                     fmt::format("{}: {}, not {}", i, y[i], worked.expected[i]).c_str());
    }

    void misfits_data() {
        QTest::addColumn<QString>("shapes");
        QTest::addColumn<QString>("attributes");
        QTest::newRow("offsets of too few taps") << "[1,2,5,5] [3,2,3,3] [1,16,3,3]" << "";
        QTest::newRow("channels of no group") << "[1,3,5,5] [4,2,3,3] [1,18,3,3]" << "group = 2";
        QTest::newRow("channels of no group of offsets") << "[1,3,5,5] [4,3,3,3] [1,36,3,3]" << "offset_group = 2";
        QTest::newRow("a kernel larger than the input") << "[1,2,2,2] [3,2,3,3] [1,18,1,1]" << "";
    }
    void misfits() {
        QFETCH(QString, shapes);
        QFETCH(QString, attributes);
        const QStringList each = shapes.split(' ');
        std::string problem;
        (void)resultOf(fmt::format(
                           "g (float[1] x) => (float[a,b,c,d] y) {{ {} "
                           "y = DeformConv <{}> (p, q, r) }}",
                           [&] {
                               std::string nodes;
                               const char* names[] = {"p", "q", "r"};
                               for (int i = 0; i < 3; ++i)
                                   nodes += fmt::format(
                                       "{0}s = Constant <value = int64[4] {{{1}}}> () {0} = Expand (x, {0}s) ",
                                       names[i], each[i].mid(1, each[i].size() - 2).toStdString());
                               return nodes;
                           }(),
                           attributes.isEmpty() ? "group = 1" : attributes.toStdString()),
                       {1}, {1}, problem);
        QVERIFY2(problem.contains("DeformConv"), problem.c_str());
    }
};

Test test() {
    return {makes<TestDeformedConv>};
}

} // namespace lathe::testing::test_deformed_conv

#include "test_deformed_conv.moc"
