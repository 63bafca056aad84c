// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is selected: one place in the model and in what was compiled of it, shared by all pages. Each page shows what that is
// at its own level and sets it when the user picks something there; inspect/provenance.h leads from level to level. Places
// that were left stay behind, to go back to.
#pragma once

#include <QObject>
#include <vector>

namespace lathe::views::models {

struct Place {
    std::vector<int> nodes; // of the model: what the place is, or what it computes; ascending
    int call = -1;          // a call of a fused function, in the Trace's calls; -1: none in particular
    int origin = -1;        // of that call's kernel: what one statement computes; -1: all of it

    Place(std::vector<int> nodes = {}, int call = -1, int origin = -1);
    bool operator==(const Place&) const = default;
};

class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const Place& place() const { return place_; }
    const std::vector<int>& nodes() const { return place_.nodes; }
    bool contains(int node) const;

    /// Tells only when something changed. What was selected before stays behind, but for other lines of the same call; what
    /// lay ahead is forgotten.
    void set(Place place);
    bool canGoBack() const { return !back_.empty(); }
    bool canGoForward() const { return !ahead_.empty(); }
    void goBack();
    void goForward();
    /// Another model: nothing is selected, nothing lies behind.
    void clear();
    /// Another compilation of the same model: calls have other numbers, nodes stay.
    void dropCalls();

signals:
    void changed();

private:
    void move(std::vector<Place>& from, std::vector<Place>& to);

    Place place_;
    std::vector<Place> back_, ahead_; // the next one last
};

} // namespace lathe::views::models
