// SPDX-License-Identifier: Apache-2.0
//
// Images resampled by weights that the sizes alone decide: a constant matrix for the rows and one for the columns.
#include "frontend/common/channels.h"
#include "frontend/tensorflow/matrices.h"
#include "frontend/tensorflow/ops.h"
#include "frontend/tensorflow/window.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace lathe::frontend::tensorflow {
namespace {

struct Sizes {
    int64_t from = 0, to = 0;
};
using WeightsOf = std::function<Matrix(const Sizes& sizes, size_t dim)>;

/// Gives operand 0 in the size that operand 1 says, each dim of space by its weights.
void giveResampled(NodeReader& node, Builder& b, const WeightsOf& weightsOf) {
    const Var image = node.in(0);
    const auto sizes = knownIntegers(node, 1, "size");
    if (!sizes || !isOfRank(node, image, 4))
        return;
    if (sizes->size() != 2)
        return node.fail(fmt::format("there are {} sizes where height and width are needed", sizes->size()));
    Var x = channelsFirst(b, cast(b, image, types::Float32));
    for (size_t i = 0; i < 2 && !b.failed(); ++i) {
        const auto from = arith::asInt(dim(b, x, static_cast<int64_t>(i) + 2));
        if (!from)
            return node.refuse("the size of the image is not known when the model is compiled",
                               "fix the sizes of the inputs: --shape NAME=SIZES");
        const Sizes size{*from, (*sizes)[i]};
        if (size.from < 1 || size.to < 1 || size.to > mostMatrixElements / size.from)
            return node.fail(fmt::format("an image of {} elements is made one of {}", size.from, size.to));
        const Var weights = constantOf(b, weightsOf(size, i));
        x = i == 0 ? matmul(b, weights, x) : matmul(b, x, weights, false, true);
    }
    node.set(0, channelsLast(b, x));
}

using Kernel = double (*)(double);

double lanczos(double x, double radius) {
    x = std::abs(x);
    if (x > radius)
        return 0;
    if (x <= 1e-3)
        return 1;
    const double angle = std::numbers::pi * x;
    return radius * std::sin(angle) * std::sin(angle / radius) / (angle * angle);
}

/// A cubic kernel by its coefficients up to 1 and up to 2, the highest power first.
double cubic(double x, const double (&near)[4], const double (&far)[4]) {
    x = std::abs(x);
    const double(&used)[4] = x < 1 ? near : far;
    return x >= 2 ? 0 : ((used[0] * x + used[1]) * x + used[2]) * x + used[3];
}

struct NamedKernel {
    std::string_view name;
    double radius;
    Kernel value;
};
constexpr NamedKernel kernels[] = {
    {"lanczos1", 1, [](double x) { return lanczos(x, 1); }},
    {"lanczos3", 3, [](double x) { return lanczos(x, 3); }},
    {"lanczos5", 5, [](double x) { return lanczos(x, 5); }},
    {"gaussian", 1.5, [](double x) { return std::abs(x) >= 1.5 ? 0 : std::exp(-2 * x * x); }},
    {"box", 1, [](double x) { return std::abs(x) < 0.5    ? 1.0
                                     : std::abs(x) == 0.5 ? 0.5
                                                          : 0.0; }},
    {"triangle", 1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }},
    {"keyscubic", 2, [](double x) { return cubic(x, {1.5, -2.5, 0, 1}, {-0.5, 2.5, -4, 2}); }},
    {"mitchellcubic", 2,
     [](double x) { return cubic(x, {7.0 / 6, -2, 0, 8.0 / 9}, {-7.0 / 18, 2, -10.0 / 3, 16.0 / 9}); }}};

} // namespace

/// Each element is the mean of the area that it covers, parts of elements counted as such.
void convertResizeArea(NodeReader& node, Builder& b) {
    const bool aligned = node.integer("align_corners", 0) != 0;
    giveResampled(node, b, [&](const Sizes& size, size_t) {
        Matrix weights(size.to, size.from);
        const double scale = aligned && size.to > 1
                                 ? static_cast<double>(size.from - 1) / static_cast<double>(size.to - 1)
                                 : static_cast<double>(size.from) / static_cast<double>(size.to);
        for (int64_t to = 0; to < size.to; ++to) {
            const double begin = static_cast<double>(to) * scale, end = begin + scale;
            for (auto from = static_cast<int64_t>(begin); from < static_cast<int64_t>(std::ceil(end)); ++from) {
                const double covered =
                    std::min(end, static_cast<double>(from + 1)) - std::max(begin, static_cast<double>(from));
                if (scale > 0)
                    weights.at(to, std::min(from, size.from - 1)) += static_cast<float>(covered / scale);
            }
        }
        return weights;
    });
}

void convertScaleAndTranslate(NodeReader& node, Builder& b) {
    const Var scaleAt = node.in(2), moveAt = node.in(3);
    if (b.failed())
        return;
    const auto scales = b.knownFloats(scaleAt), moves = b.knownFloats(moveAt);
    if (!scales || !moves || scales->size() != 2 || moves->size() != 2 || !((*scales)[0] > 0) || !((*scales)[1] > 0))
        return node.refuse("scale and translation are not two numbers each that are known when the model is compiled");
    const std::string name = node.text("kernel_type", "lanczos3");
    const auto* kernel = std::ranges::find(kernels, name, &NamedKernel::name);
    if (kernel == std::end(kernels))
        return node.fail(fmt::format("the kernel is '{}'", name));
    const bool antialias = node.integer("antialias", 1) != 0;
    giveResampled(node, b, [&](const Sizes& size, size_t dim) {
        Matrix weights(size.to, size.from);
        const double back = 1 / (*scales)[dim], width = antialias ? std::max(back, 1.0) : 1;
        for (int64_t to = 0; to < size.to; ++to) {
            const double center = (static_cast<double>(to) + 0.5 - (*moves)[dim]) * back;
            if (!(center >= 0 && center <= static_cast<double>(size.from)))
                continue;
            double sum = 0;
            const double reach = kernel->radius * width;
            const auto first = static_cast<int64_t>(std::max(std::ceil(center - reach - 0.5), 0.0));
            const auto last =
                static_cast<int64_t>(std::min(std::floor(center + reach - 0.5), static_cast<double>(size.from - 1)));
            const auto weight = [&](int64_t from) {
                return kernel->value((static_cast<double>(from) + 0.5 - center) / width);
            };
            for (int64_t from = first; from <= last; ++from)
                sum += weight(from);
            for (int64_t from = first; from <= last && std::abs(sum) > 0; ++from)
                weights.at(to, from) = static_cast<float>(weight(from) / sum);
        }
        return weights;
    });
}

} // namespace lathe::frontend::tensorflow
