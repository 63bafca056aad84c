// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/text/colors.h"

#include <algorithm>
#include <array>

namespace lathe::views::models {

namespace {

constexpr std::array hues{210, 35, 130, 285, 0, 175, 60, 325};
static_assert(hues.size() == Colors::origins);

} // namespace

QColor Colors::of(model::Family family) const {
    using enum model::Family;
    switch (family) {
    case Product:
        return product;
    case Activation:
        return activation;
    case Normalization:
        return normalization;
    case Reduction:
        return reduction;
    case Movement:
    case Constant:
    case Conversion:
        return movement;
    case Arithmetic:
    case Logic:
        return arithmetic;
    case Control:
        return control;
    case Quantization:
    case Dequantization:
        return quantization;
    case Random:
    case Bernoulli:
    case Dropout:
        return random;
    case Transform:
    case Other:
        return other;
    }
    return other;
}

QColor Colors::of(TokenKind kind) const {
    switch (kind) {
    case TokenKind::Keyword:
        return keyword;
    case TokenKind::Name:
        return name;
    case TokenKind::Number:
        return number;
    case TokenKind::Comment:
        return comment;
    case TokenKind::Type:
    case TokenKind::String:
        return string;
    }
    return text;
}

QColor Colors::ofOrigin(int origin) const {
    const int hue = hues[size_t(origin % origins)];
    return dark ? QColor::fromHsv(hue, 110, 62) : QColor::fromHsv(hue, 26, 252);
}

QColor Colors::ofFunction(int call) const {
    const int hue = hues[size_t(call % origins)];
    return dark ? QColor::fromHsv(hue, 150, 112) : QColor::fromHsv(hue, 88, 245);
}

QColor Colors::ofShare(double share) const {
    constexpr double least = 0.06; // a cold card differs from one without a value
    const double part = least + (1 - least) * std::clamp(share, 0.0, 1.0);
    const QColor strong(dark ? 0xa84a0c : 0xf5892a);
    const auto mixed = [&](int from, int to) { return int(from + (to - from) * part); };
    return {mixed(box.red(), strong.red()), mixed(box.green(), strong.green()), mixed(box.blue(), strong.blue())};
}

Colors colorsFor(const QPalette& palette) {
    Colors c;
    c.dark = palette.color(QPalette::Window).lightness() < 128;
    c.text = palette.color(QPalette::Text);
    c.selection = palette.color(QPalette::Highlight);
    if (c.dark) {
        c.canvas = 0x1b1e23, c.grid = 0x23272e, c.box = 0x2a2f37, c.boxBorder = 0x454c58;
        c.dimText = 0x9aa3b0, c.arrow = 0x6d7785, c.problem = 0xff6b6b, c.good = 0x5cc98b;
        c.added = 0x1f3b2a, c.removed = 0x452428, c.changed = 0x3c3520, c.marked = 0x3f5a8c,
        c.markedStatement = 0x2f6fd6;
        c.keyword = 0xc792ea, c.name = 0x82aaff, c.number = 0xf78c6c, c.string = 0xa5d6a0, c.comment = 0x7d8794;
        c.other = 0x7f8896, c.product = 0x5b8def, c.activation = 0x3fb68b, c.normalization = 0xb58cf0;
        c.reduction = 0xe0a44a, c.movement = 0x8a96a6, c.arithmetic = 0x4fb3c8, c.control = 0xe06c9f;
        c.quantization = 0xd9694f, c.random = 0xb3b84a;
    } else {
        c.canvas = 0xf6f7f9, c.grid = 0xeceef2, c.box = 0xffffff, c.boxBorder = 0xc4cad4;
        c.dimText = 0x5d6673, c.arrow = 0x8a93a1, c.problem = 0xc62828, c.good = 0x1b7f4b;
        c.added = 0xddf4e4, c.removed = 0xfbe1e1, c.changed = 0xfdf3d0, c.marked = 0xbcd4ff,
        c.markedStatement = 0x86abf7;
        c.keyword = 0x7b3fb5, c.name = 0x1f57c3, c.number = 0xb5510d, c.string = 0x2b7a3d, c.comment = 0x77808d;
        c.other = 0x727b88, c.product = 0x2f66d0, c.activation = 0x1d8f66, c.normalization = 0x8756cf;
        c.reduction = 0xb9770e, c.movement = 0x66717f, c.arithmetic = 0x13839b, c.control = 0xc03a78;
        c.quantization = 0xb84a2f, c.random = 0x7a7d12;
    }
    c.sought = c.reduction;
    c.sought.setAlpha(90);
    return c;
}

} // namespace lathe::views::models
