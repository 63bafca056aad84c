// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/find/text_target.h"

#include "views/models/text/counted.h"
#include "views/text/code_view.h"

#include <algorithm>

namespace lathe::views::find {

TextTarget::TextTarget(std::vector<text::CodeView*> sides) : sides_(std::move(sides)), side_(int(sides_.size()) - 1) {
    side_ = side();
    for (text::CodeView* each : sides_)
        connect(each, &QsciScintilla::textChanged, this, &Target::changed);
}

int TextTarget::side() const {
    const auto focused = std::ranges::find_if(sides_, &QWidget::hasFocus);
    return focused == sides_.end() ? side_ : int(focused - sides_.begin());
}

void TextTarget::seek(const Wanted& wanted) {
    places_.clear();
    line_ = 0;
    length_ = int(wanted.text.size());
    for (text::CodeView* side : sides_)
        side->markSought(wanted.text, wanted.letters);
}

bool TextTarget::lookOn() {
    bool any = false;
    for (size_t side = 0; side < sides_.size(); ++side) {
        if (line_ >= sides_[side]->lines())
            continue;
        any = true;
        for (const int column : sides_[side]->soughtIn(line_))
            places_.push_back({line_, int(side), column});
    }
    ++line_;
    return any && places_.size() < mostFound;
}

QString TextTarget::counted() const {
    return models::counted(qint64(places_.size()), "place", "places");
}

TextTarget::Place TextTarget::cursor() const {
    Place place{.side = side()};
    const text::CodeView& view = *sides_[size_t(place.side)];
    if (int endLine = 0, endColumn = 0; view.hasSelectedText())
        view.getSelection(&place.line, &place.column, &endLine, &endColumn);
    else
        view.getCursorPosition(&place.line, &place.column);
    return place;
}

size_t TextTarget::from() const {
    return size_t(std::ranges::lower_bound(places_, cursor()) - places_.begin());
}

int TextTarget::at() const {
    const size_t place = from();
    const bool there = place < places_.size() && places_[place] == cursor() &&
                       sides_[size_t(side())]->selectedText().size() == length_;
    return there ? int(place) : -1;
}

void TextTarget::go(size_t number) {
    const Place place = places_[number]; // whoever follows the cursor may change the text
    side_ = place.side;
    for (text::CodeView* each : sides_)
        each->showLine(place.line); // also on the other side, where what stands there may be folded
    sides_[size_t(place.side)]->showFound({place.line, place.column});
}

std::vector<QWidget*> TextTarget::widgets() const {
    return {sides_.begin(), sides_.end()};
}

QWidget* TextTarget::home() const {
    return sides_[size_t(side_)];
}

QString TextTarget::name() const {
    QStringList names;
    for (const text::CodeView* side : sides_)
        names << side->accessibleName();
    return names.join(QStringLiteral(" / "));
}

} // namespace lathe::views::find
