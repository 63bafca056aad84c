// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/window/selection.h"

#include <algorithm>
#include <utility>

namespace lathe::views::models {

namespace {

constexpr size_t mostBehind = 200;

} // namespace

Place::Place(std::vector<int> ids, int callId, int originId) : nodes(std::move(ids)), call(callId), origin(originId) {
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

bool Selection::contains(int node) const {
    return std::ranges::binary_search(place_.nodes, node);
}

void Selection::set(Place place) {
    if (place == place_)
        return;
    // Nothing is no place to go back to, and a walk over the lines of a call is one.
    const bool walks = place.call >= 0 && place.call == place_.call && place_.origin >= 0;
    if (place_ != Place() && !walks) {
        back_.push_back(place_);
        if (back_.size() > mostBehind)
            back_.erase(back_.begin());
    }
    ahead_.clear();
    place_ = std::move(place);
    emit changed();
}

void Selection::move(std::vector<Place>& from, std::vector<Place>& to) {
    if (from.empty())
        return;
    if (place_ != Place())
        to.push_back(place_);
    place_ = std::move(from.back());
    from.pop_back();
    emit changed();
}

void Selection::goBack() {
    move(back_, ahead_);
}

void Selection::goForward() {
    move(ahead_, back_);
}

void Selection::clear() {
    if (place_ == Place() && back_.empty() && ahead_.empty())
        return;
    place_ = {};
    back_.clear();
    ahead_.clear();
    emit changed();
}

void Selection::dropCalls() {
    const auto drop = [](std::vector<Place>& places) {
        for (Place& place : places)
            place.call = place.origin = -1;
        places.erase(std::unique(places.begin(), places.end()), places.end());
        std::erase(places, Place());
    };
    drop(back_);
    drop(ahead_);
    place_.call = place_.origin = -1;
    emit changed();
}

} // namespace lathe::views::models
