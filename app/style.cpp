// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style.h"

#include "views/models/text/colors.h"

#include <QPainter>
#include <QPixmap>
#include <QStyleFactory>
#include <QStyleOption>
#include <QSvgRenderer>

namespace lathe::app {

namespace {

/// In a box of 24 × 24, %1 the colour.
const char* pathsOf(Glyph glyph) {
    switch (glyph) {
    case Glyph::Open:
        return "<path d='M3 19V6a1.5 1.5 0 0 1 1.5-1.5h4.6l2.4 2.7H18a1.5 1.5 0 0 1 1.5 1.5V10' fill='none'/>"
               "<path d='M3 19l3.2-9h15.3l-3.1 9z' fill='%1' fill-opacity='0.18'/>";
    case Glyph::Compile: // layers that become one
        return "<path d='M12 3.5l9 4.4-9 4.4-9-4.4z' fill='%1' fill-opacity='0.18'/>"
               "<path d='M3 12.2l9 4.4 9-4.4M3 16.4l9 4.4 9-4.4' fill='none'/>";
    case Glyph::Run:
        return "<path d='M7 4.5l12 7.5-12 7.5z' fill='%1' fill-opacity='0.22'/>";
    case Glyph::Check: // a magnifying glass
        return "<circle cx='10.5' cy='10.5' r='6.5' fill='%1' fill-opacity='0.18'/><path d='M15.5 15.5l5 5' "
               "fill='none'/>";
    case Glyph::Tune: // slides
        return "<path d='M4 7h16M4 12h16M4 17h16' fill='none'/><circle cx='9' cy='7' r='2.2' fill='%1'/>"
               "<circle cx='15' cy='12' r='2.2' fill='%1'/><circle cx='7' cy='17' r='2.2' fill='%1'/>";
    case Glyph::Export: // out of a box
        return "<path d='M4 13v6.5h16V13' fill='%1' fill-opacity='0.18'/><path d='M12 15V4M7.5 8.5L12 4l4.5 4.5' "
               "fill='none'/>";
    case Glyph::Cancel:
        return "<rect x='5.5' y='5.5' width='13' height='13' rx='2' fill='%1' fill-opacity='0.18'/>";
    }
    return "";
}

/// Over the lower right corner of the box.
QString tickIn(const QColor& colour, const QColor& ground) {
    return QStringLiteral("<circle cx='18' cy='18' r='5.5' fill='%1' stroke='%2' stroke-width='1.2'/>"
                          "<path d='M15.4 18.1l1.9 1.9 3.3-3.7' fill='none' stroke='%2' stroke-width='1.7'/>")
        .arg(colour.name(), ground.name());
}

QPixmap draw(Glyph glyph, const QColor& colour, int size, const QString& over) {
    const QString svg = QStringLiteral("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><g stroke='%1' "
                                       "stroke-width='1.7' stroke-linejoin='round' stroke-linecap='round'>") +
                        QString::fromUtf8(pathsOf(glyph)) + QStringLiteral("</g>");
    QSvgRenderer renderer((svg.arg(colour.name()) + over + QStringLiteral("</svg>")).toUtf8());
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    return pixmap;
}

/// Fusion's outlines are darker than the window: in the dark they need another.
void outlineInTheDark(const QStyleOption& option, QPainter& painter) {
    if (option.palette.color(QPalette::Window).lightness() >= 128 || option.state.testFlag(QStyle::State_HasFocus))
        return;
    painter.setPen(option.palette.color(QPalette::Disabled, QPalette::Text));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
}

} // namespace

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                              const QWidget* widget) const {
    constexpr int aside = 12; // of a button's text, together
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    return type == CT_PushButton ? size + QSize(aside, 0) : size;
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) // Fusion's are black
        return 0;
    return QProxyStyle::styleHint(hint, option, widget, data);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element == PE_PanelButtonTool && option->state.testFlag(State_On)) {
        QColor tint = option->palette.color(QPalette::Highlight);
        tint.setAlphaF(0.25F);
        painter->fillRect(option->rect.adjusted(1, 1, -1, -1), tint);
    } else if (element == PE_IndicatorCheckBox || element == PE_FrameLineEdit) {
        outlineInTheDark(*option, *painter);
    }
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (control == CC_SpinBox && box && box->frame)
        outlineInTheDark(*option, *painter);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_FocusFrameHMargin: // left and right of the text of a cell
        return 7;
    case PM_HeaderMargin:
        return 8;
    case PM_ToolBarIconSize:
        return 20;
    case PM_ToolBarItemSpacing:
        return 4;
    case PM_ToolBarItemMargin:
        return 3;
    case PM_TabBarTabHSpace:
        return 30;
    case PM_TabBarTabVSpace:
        return 10;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

QIcon glyphIcon(Glyph glyph, const QPalette& palette, bool done) {
    const views::models::Colors colors = views::models::colorsFor(palette);
    QColor colour = palette.color(QPalette::ButtonText);
    if (glyph == Glyph::Compile || glyph == Glyph::Check || glyph == Glyph::Export)
        colour = colors.product;
    else if (glyph == Glyph::Tune)
        colour = colors.activation;
    else if (glyph == Glyph::Run)
        colour = colors.good;
    else if (glyph == Glyph::Cancel)
        colour = colors.problem;
    const QColor ground = palette.color(QPalette::Window),
                 off = palette.color(QPalette::Disabled, QPalette::ButtonText);
    QIcon icon;
    for (int size : {20, 40, 60}) {
        icon.addPixmap(draw(glyph, colour, size, done ? tickIn(colors.good, ground) : QString()), QIcon::Normal);
        icon.addPixmap(draw(glyph, off, size, done ? tickIn(off, ground) : QString()), QIcon::Disabled);
    }
    return icon;
}

} // namespace lathe::app
