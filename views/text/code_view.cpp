// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/code_view.h"

#include "views/models/colors.h"
#include "views/text/ir_lexer.h"

#include <QEvent>
#include <QFontDatabase>
#include <QScopedValueRollback>
#include <algorithm>

namespace lathe::views::text {

namespace {

/// Markers of QScintilla: a colour an origin, then that of what is selected, which is drawn over them.
constexpr int selectedMarker = models::Colors::origins;
constexpr int numberMargin = 0, foldMargin = 2;

} // namespace

CodeView::CodeView(const QString& accessibleName, QWidget* parent) : QsciScintilla(parent), lexer_(new IrLexer(this)) {
    setAccessibleName(accessibleName);
    setReadOnly(true);
    setUtf8(true);
    setWrapMode(QsciScintilla::WrapNone);
    setFrameShape(QFrame::NoFrame);
    setMarginType(numberMargin, QsciScintilla::NumberMargin);
    for (int margin = 0; margin < 5; ++margin)
        setMarginMarkerMask(margin, 0); // markers colour lines, they are no signs beside them
    setMarginWidth(1, 0);
    setFolding(QsciScintilla::BoxedTreeFoldStyle, foldMargin);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    for (int marker = 0; marker <= selectedMarker; ++marker)
        markerDefine(QsciScintilla::Background, marker);
    setLexer(lexer_);
    colour();
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) {
        if (!busy_ && line >= 0 && size_t(line) < origins_.size() && origins_[size_t(line)] >= 0)
            emit originPicked(origins_[size_t(line)]);
    });
}

void CodeView::colour() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(9);
    lexer_->colour(palette(), font);
    const models::Colors colors = models::colorsFor(palette());
    for (int origin = 0; origin < models::Colors::origins; ++origin)
        setMarkerBackgroundColor(colors.ofOrigin(origin), origin);
    setMarkerBackgroundColor(colors.marked, selectedMarker);
    setMarginsForegroundColor(colors.dimText);
    setMarginsBackgroundColor(colors.canvas);
    setFoldMarginColors(colors.canvas, colors.canvas);
    for (unsigned marker = SC_MARKNUM_FOLDEREND; marker <= SC_MARKNUM_FOLDEROPEN; ++marker) {
        SendScintilla(SCI_MARKERSETFORE, marker, colors.canvas);
        SendScintilla(SCI_MARKERSETBACK, marker, colors.dimText);
    }
    setCaretForegroundColor(colors.text);
    setSelectionBackgroundColor(palette().color(QPalette::Highlight));
    setSelectionForegroundColor(palette().color(QPalette::HighlightedText));
}

void CodeView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        colour();
    QsciScintilla::changeEvent(event);
}

void CodeView::setOriginText(const models::OriginText& text) {
    const QScopedValueRollback guard(busy_, true);
    origins_ = text.origins;
    marked_.clear();
    setText(text.text);
    setMarginWidth(numberMargin, QStringLiteral("0%1").arg(lines()));
    markerDeleteAll();
    for (size_t line = 0; line < origins_.size(); ++line)
        if (origins_[line] >= 0)
            markerAdd(int(line), origins_[line] % models::Colors::origins);
}

void CodeView::showMessage(const QString& message) {
    setOriginText({message, {}});
    setMarginWidth(numberMargin, 0);
}

void CodeView::markOrigins(const std::vector<int>& origins) {
    const QScopedValueRollback guard(busy_, true);
    markerDeleteAll(selectedMarker);
    marked_.clear();
    for (size_t line = 0; line < origins_.size(); ++line)
        if (origins_[line] >= 0 && std::ranges::find(origins, origins_[line]) != origins.end()) {
            markerAdd(int(line), selectedMarker);
            marked_.push_back(int(line));
        }
    const int first = firstVisibleLine(), shown = int(SendScintilla(SCI_LINESONSCREEN));
    const auto row = [this](int line) { return int(SendScintilla(SCI_VISIBLEFROMDOCLINE, line)); }; // less folded ones
    const bool inView = std::ranges::any_of(marked_, [&](int line) {
        return row(line) >= first && row(line) < first + shown && SendScintilla(SCI_GETLINEVISIBLE, line) != 0;
    });
    if (marked_.empty() || inView)
        return;
    SendScintilla(SCI_ENSUREVISIBLE, marked_.front());
    SendScintilla(SCI_SETFIRSTVISIBLELINE, std::max(0, row(marked_.front()) - shown / 3));
}

std::vector<int> CodeView::markedLines() const {
    return marked_;
}

} // namespace lathe::views::text
