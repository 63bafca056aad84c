// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look of the window where Fusion alone is not enough: room around the text of tables, and icons drawn from paths in
// the palette's own colours, so that they suit light and dark.
#pragma once

#include <QIcon>
#include <QPalette>
#include <QProxyStyle>

namespace lathe::app {

class Style : public QProxyStyle {
public:
    Style();
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
};

enum class Glyph { Open, Compile, Run, Cancel };

/// Sharp at up to three times the toolbar's size.
QIcon glyphIcon(Glyph glyph, const QPalette& palette);

} // namespace lathe::app
