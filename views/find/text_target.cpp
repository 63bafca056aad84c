// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/find/text_target.h"

#include "views/models/counted.h"
#include "views/text/code_view.h"

#include <algorithm>

namespace lathe::views::find {

TextTarget::TextTarget(std::vector<text::CodeView*> sides) : sides_(std::move(sides)), side_(int(sides_.size()) - 1) {
    for (size_t side = 0; side < sides_.size(); ++side) {
        if (sides_[side]->hasFocus())
            side_ = int(side);
        connect(sides_[side], &QsciScintilla::textChanged, this, &Target::changed);
    }
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
    Place place{.side = side_};
    const text::CodeView& view = *sides_[size_t(side_)];
    if (int endLine = 0, endColumn = 0; view.hasSelectedText())
        view.getSelection(&place.line, &place.column, &endLine, &endColumn);
    else
        view.getCursorPosition(&place.line, &place.column);
    return place;
}

std::vector<TextTarget::Place>::const_iterator TextTarget::fromCursor() const {
    return std::ranges::lower_bound(places_, cursor());
}

int TextTarget::at() const {
    const auto place = fromCursor();
    const bool there =
        place != places_.end() && *place == cursor() && sides_[size_t(side_)]->selectedText().size() == length_;
    return there ? int(place - places_.begin()) : -1;
}

void TextTarget::step(bool forward) {
    for (size_t side = 0; side < sides_.size(); ++side)
        if (sides_[side]->hasFocus())
            side_ = int(side);
    auto place = fromCursor();
    if (forward && at() >= 0)
        ++place;
    if (forward && place == places_.end())
        place = places_.begin();
    else if (!forward)
        place = std::prev(place == places_.begin() ? places_.end() : place);
    side_ = place->side;
    for (text::CodeView* side : sides_)
        side->showLine(place->line); // also on the other side, where what stands there may be folded
    sides_[size_t(side_)]->showFound({place->line, place->column});
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
