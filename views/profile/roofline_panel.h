// SPDX-License-Identifier: GPL-3.0-or-later
//
// The roofline of the last run: both axes logarithmic, a point a call of a fused function, the roof above. A click selects
// the call; what is selected elsewhere has a ring.
#pragma once

#include "views/models/profile/chart_texts.h"
#include "views/page/chart_panel.h"

#include <array>
#include <optional>

class QCPGraph;

namespace lathe::views::profile {

class RooflinePanel : public ChartPanel {
    Q_OBJECT

public:
    explicit RooflinePanel(models::Selection* selection);

    /// An empty profile: there is nothing to show.
    void setProfile(const inspect::Profile& profile, const std::optional<inspect::MachinePeaks>& peaks);
    const inspect::Roofline& roofline() const { return roofline_; }
    /// Where a point is drawn, in pixels of the plot.
    QPointF pixelOf(const inspect::RooflinePoint& point) const;

protected:
    void colour() override;

private:
    void draw();
    /// The point there; null: none is near.
    const inspect::RooflinePoint* at(QPointF pixel) const;

    QCPGraph* roof_;
    QCPGraph* marked_;
    std::array<QCPGraph*, 3> points_; // by inspect::Bound
    inspect::Profile profile_;
    inspect::Roofline roofline_;
};

} // namespace lathe::views::profile
