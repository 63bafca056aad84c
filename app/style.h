// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look of the window where Fusion alone is not enough: room around the text of tables, outlines that are seen in the dark,
// buttons that are seen to be on, and icons drawn from paths in the palette's own colours, so that they suit light and dark.
#pragma once

#include <QIcon>
#include <QPalette>
#include <QProxyStyle>

namespace lathe::app {

class Style : public QProxyStyle {
public:
    Style();
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
};

enum class Glyph { Open, Compile, Run, Check, Tune, Export, Cancel };

/// Sharp at up to three times the toolbar's size. done: with a tick at its corner.
QIcon glyphIcon(Glyph glyph, const QPalette& palette, bool done = false);

} // namespace lathe::app
