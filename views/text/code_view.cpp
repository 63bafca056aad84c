// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/text/code_view.h"

#include "views/models/text/colors.h"
#include "views/models/text/plain_tip.h"
#include "views/text/ir_lexer.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

namespace lathe::views::text {

namespace {

/// Markers of QScintilla: a colour an origin, one a tint, then those of what is marked, which are drawn over them.
constexpr int firstTint = models::Colors::origins, tints = 4, selectedMarker = firstTint + tints,
              statementMarker = selectedMarker + 1;
constexpr int numberMargin = 0, foldMargin = 2, soughtIndicator = 8, changedIndicator = 9;

int indentationOf(QStringView line) {
    int spaces = 0;
    while (spaces < line.size() && line[spaces] == ' ')
        ++spaces;
    return spaces;
}

} // namespace

CodeView::CodeView(const QString& accessibleName, QWidget* parent) : QsciScintilla(parent), lexer_(new IrLexer(this)) {
    setAccessibleName(accessibleName);
    setReadOnly(true);
    setUtf8(true);
    setWrapMode(QsciScintilla::WrapNone);
    setFrameShape(QFrame::NoFrame);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
    for (int margin = 0; margin < 5; ++margin)
        setMarginMarkerMask(margin, 0); // markers colour lines, they are no signs beside them
    setMarginWidth(1, 0);
    setFolding(QsciScintilla::BoxedTreeFoldStyle, foldMargin);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    // Without these each painting lays out all lines that are seen: tens of milliseconds where they are long.
    SendScintilla(SCI_SETLAYOUTCACHE, SC_CACHE_PAGE);
    SendScintilla(SCI_SETPOSITIONCACHE, 8192UL);
    for (int marker = 0; marker <= statementMarker; ++marker)
        markerDefine(QsciScintilla::Background, marker);
    indicatorDefine(QsciScintilla::StraightBoxIndicator, soughtIndicator);
    indicatorDefine(QsciScintilla::StraightBoxIndicator, changedIndicator);
    for (const int indicator : {soughtIndicator, changedIndicator})
        setIndicatorDrawUnder(true, indicator);
    setLexer(lexer_);
    colour();
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) {
        told_ = SendScintilla(SCI_GETCURRENTPOS);
        if (std::exchange(placed_, false) && told_ == 0)
            return;
        emit linePicked(line);
        if (line >= 0 && size_t(line) < origins_.size() && origins_[size_t(line)] >= 0)
            emit originPicked(origins_[size_t(line)],
                              size_t(line) < statements_.size() ? statements_[size_t(line)] : inspect::Statement());
    });
    // After QScintilla's own answer to it, which folds.
    connect(this, &QsciScintillaBase::SCN_MARGINCLICK, this, [this](int, int, int margin) {
        if (margin == foldMargin)
            emit foldsChanged();
    });
}

void CodeView::colour() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(9);
    lexer_->colour(palette(), font);
    const models::Colors colors = models::colorsFor(palette());
    for (int origin = 0; origin < models::Colors::origins; ++origin)
        setMarkerBackgroundColor(colors.ofOrigin(origin), origin);
    const QColor ofTint[tints] = {colors.added, colors.removed, colors.changed, colors.grid}; // as Tint has them
    for (int tint = 0; tint < tints; ++tint)
        setMarkerBackgroundColor(ofTint[tint], firstTint + tint);
    setMarkerBackgroundColor(colors.marked, selectedMarker);
    setMarkerBackgroundColor(colors.markedStatement, statementMarker);
    setIndicatorForegroundColor(colors.sought, soughtIndicator);
    QColor changed = colors.text;
    changed.setAlpha(50); // on the tint of the line
    setIndicatorForegroundColor(changed, changedIndicator);
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

void CodeView::show(const QString& text) {
    placed_ = told_ != 0;
    text_ = text;
    marked_.clear();
    ofStatement_.clear();
    starts_ = {0};
    for (qsizetype at = text_.indexOf('\n'); at >= 0; at = text_.indexOf('\n', at + 1))
        starts_.push_back(int(at) + 1);
    // An empty line is part of what stands around it.
    const auto count = starts_.size();
    std::vector<int> own(count);
    for (size_t line = 0; line < count; ++line)
        own[line] = lineOf(int(line)).isEmpty() ? -1 : indentationOf(lineOf(int(line)));
    std::vector<int> next(count + 1, 0);
    for (size_t line = count; line-- > 0;)
        next[line] = own[line] >= 0 ? own[line] : next[line + 1];
    levels_.assign(count, 0);
    for (size_t line = 0, before = 0; line < count; ++line) {
        const int level = own[line] >= 0 ? own[line] : std::max(int(before), next[line]);
        before = size_t(level);
        levels_[line] = int(SC_FOLDLEVELBASE) + level +
                        (own[line] >= 0 && next[line + 1] > level ? int(SC_FOLDLEVELHEADERFLAG) : 0);
    }
    levelled_ = false;
    undress();
    setText(text_);
    markerDeleteAll();
    setMarginWidth(numberMargin, QStringLiteral("0%1").arg(count));
}

void CodeView::setOriginText(const models::OriginText& text) {
    origins_ = text.origins;
    statements_ = text.statements;
    tinted_ = {};
    setMarginType(numberMargin, QsciScintilla::NumberMargin);
    show(text.text);
}

void CodeView::setTintedText(models::TintedText text) {
    origins_.clear();
    statements_.clear();
    tinted_ = std::move(text);
    setMarginType(numberMargin, QsciScintilla::TextMarginRightJustified);
    show(std::exchange(tinted_.text, {}));
}

void CodeView::showMessage(const QString& message) {
    setOriginText({message, {}});
    setMarginWidth(numberMargin, 0);
}

QStringView CodeView::lineOf(int line) const {
    const size_t end = size_t(line) + 1 < starts_.size() ? size_t(starts_[size_t(line) + 1] - 1) : size_t(text_.size());
    return QStringView(text_).mid(starts_[size_t(line)], qsizetype(end) - starts_[size_t(line)]);
}

models::Tint CodeView::tintOf(int line) const {
    return size_t(line) < tinted_.tints.size() ? tinted_.tints[size_t(line)] : models::Tint::None;
}

void CodeView::paintEvent(QPaintEvent* event) {
    dress();
    QsciScintilla::paintEvent(event);
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    if (!std::exchange(levelled_, true)) // a fold ends where a line beyond the screen says so
        for (size_t line = 0; line < levels_.size(); ++line)
            SendScintilla(SCI_SETFOLDLEVEL, line, long(levels_[line]));
    QsciScintilla::mousePressEvent(event);
}

bool CodeView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const long at = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, help->pos().x(), long(help->pos().y()));
        const auto line = size_t(at < 0 ? -1 : SendScintilla(SCI_LINEFROMPOSITION, at));
        if (line < tinted_.tips.size() && !tinted_.tips[line].isEmpty())
            QToolTip::showText(help->globalPos(), models::plainTip(tinted_.tips[line]), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QsciScintilla::viewportEvent(event);
}

void CodeView::dress() {
    const int first = firstVisibleLine(), shown = int(SendScintilla(SCI_LINESONSCREEN)) + 1;
    for (int row = first; row <= first + shown; ++row) {
        const auto line = size_t(SendScintilla(SCI_DOCLINEFROMVISIBLE, row));
        if (line >= dressed_.size())
            break;
        if (!dressed_[line]) {
            dressed_[line] = true;
            dress(int(line));
        }
    }
}

void CodeView::dress(int line) {
    const QStringView text = lineOf(line);
    lexer_->colourLine(line, text);
    if (!levelled_)
        SendScintilla(SCI_SETFOLDLEVEL, line, long(levels_[size_t(line)]));
    SendScintilla(SCI_MARKERDELETE, line, -1L);
    if (size_t(line) < origins_.size() && origins_[size_t(line)] >= 0)
        markerAdd(line, origins_[size_t(line)] % models::Colors::origins);
    if (const models::Tint tint = tintOf(line); tint != models::Tint::None)
        markerAdd(line, firstTint + int(tint) - 1);
    if (std::ranges::binary_search(ofStatement_, line))
        markerAdd(line, statementMarker);
    else if (std::ranges::binary_search(marked_, line))
        markerAdd(line, selectedMarker);
    if (size_t(line) < tinted_.numbers.size()) {
        const int number = tinted_.numbers[size_t(line)];
        setMarginText(line, number < 0 ? QString() : QString::number(number + 1), int(STYLE_LINENUMBER));
    }
    for (const int indicator : {soughtIndicator, changedIndicator})
        clearIndicatorRange(line, 0, line, int(text.size()), indicator);
    if (size_t(line) < tinted_.changes.size())
        for (const auto& [from, to] : tinted_.changes[size_t(line)])
            fillIndicatorRange(line, from, line, to, changedIndicator);
    for (const int at : soughtIn(line))
        fillIndicatorRange(line, at, line, at + int(sought_.pattern().size()), soughtIndicator);
}

void CodeView::markLines(std::vector<int> lines) {
    mark(std::move(lines), {});
}

void CodeView::mark(std::vector<int> lines, std::vector<int> ofStatement) {
    if (lines == marked_ && ofStatement == ofStatement_)
        return;
    marked_ = std::move(lines);
    ofStatement_ = std::move(ofStatement);
    undress();
    viewport()->update();
}

int CodeView::rowOf(int line) const {
    return int(SendScintilla(SCI_VISIBLEFROMDOCLINE, line));
}

void CodeView::showLine(int line) {
    SendScintilla(SCI_ENSUREVISIBLE, line);
    SendScintilla(SCI_SETFIRSTVISIBLELINE, std::max(0, rowOf(line) - int(SendScintilla(SCI_LINESONSCREEN)) / 3));
}

bool CodeView::anyInView(const std::vector<int>& lines) const {
    const int first = firstVisibleLine(), shown = int(SendScintilla(SCI_LINESONSCREEN));
    return std::ranges::any_of(lines, [&](int line) {
        return rowOf(line) >= first && rowOf(line) < first + shown && SendScintilla(SCI_GETLINEVISIBLE, line) != 0;
    });
}

void CodeView::markOrigins(const std::vector<int>& origins, const inspect::Statement& statement) {
    std::vector<int> lines, ofStatement;
    for (size_t line = 0; line < origins_.size(); ++line)
        if (origins_[line] >= 0 && std::ranges::find(origins, origins_[line]) != origins.end())
            lines.push_back(int(line));
    for (size_t line = 0; line < statements_.size(); ++line)
        if (statements_[line].isOf(statement))
            ofStatement.push_back(int(line));
    mark(std::move(lines), std::move(ofStatement));
    const std::vector<int>& sought = ofStatement_.empty() ? marked_ : ofStatement_;
    if (!sought.empty() && !anyInView(sought))
        showLine(sought.front());
}

void CodeView::markSought(const QString& what, Qt::CaseSensitivity letters) {
    sought_ = QStringMatcher(what, letters);
    undress();
    viewport()->update();
}

std::vector<int> CodeView::soughtIn(int line) const {
    std::vector<int> columns;
    const auto length = sought_.pattern().size();
    if (length == 0 || size_t(line) >= starts_.size())
        return columns;
    const QStringView text = lineOf(line);
    for (qsizetype at = sought_.indexIn(text); at >= 0; at = sought_.indexIn(text, at + length))
        columns.push_back(int(at));
    return columns;
}

void CodeView::showFound(const Place& place) {
    showLine(place.line);
    setSelection(place.line, place.column, place.line, place.column + int(sought_.pattern().size()));
}

void CodeView::foldAs(const CodeView& other) {
    // Runs of lines that are seen, or not, at once.
    const int count = lines();
    const auto visible = [&](int line) { return other.SendScintilla(SCI_GETLINEVISIBLE, line) != 0; };
    for (int first = 0; first < count;) {
        int last = first;
        while (last + 1 < count && visible(last + 1) == visible(first))
            ++last;
        SendScintilla(visible(first) ? SCI_SHOWLINES : SCI_HIDELINES, first, last);
        first = last + 1;
    }
    undress();
    viewport()->update();
}

} // namespace lathe::views::text
