// SPDX-License-Identifier: GPL-3.0-or-later
//
// A text of the compiler, or two side by side whose lines stand beside each other, as the find bar searches them: what is wanted
// stands in them letter by letter.
#pragma once

#include "views/find/target.h"

namespace lathe::views::text {
class CodeView;
}

namespace lathe::views::find {

class TextTarget : public Target {
    Q_OBJECT

public:
    /// From left to right.
    explicit TextTarget(std::vector<text::CodeView*> sides);

    void seek(const Wanted& wanted) override;
    bool lookOn() override;
    size_t count() const override { return places_.size(); }
    QString counted() const override;
    int at() const override;
    size_t from() const override;
    void go(size_t place) override;
    std::vector<QWidget*> widgets() const override;
    QWidget* home() const override;
    QString name() const override;

private:
    struct Place {
        int line = 0, side = 0, column = 0;
        auto operator<=>(const Place&) const = default;
    };
    /// The one that has the focus, else the one where the user was last.
    int side() const;
    /// Where the cursor is, before what is selected.
    Place cursor() const;

    std::vector<text::CodeView*> sides_;
    int side_; // where the user was last
    std::vector<Place> places_;
    int length_ = 0; // of what is wanted
    int line_ = 0;   // that is looked at next
};

} // namespace lathe::views::find
