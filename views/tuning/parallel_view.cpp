// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is drawn: lines of all trials into one buffer, in slices, and axes, ranges and picked trials over it.
#include "views/tuning/parallel_view.h"

#include "views/models/text/colors.h"
#include "views/models/text/plain_tip.h"
#include "views/models/tuning/trial_model.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace lathe::views::tuning {

using models::ParallelAxis;
using models::ParallelSegment;
using models::TrialTerm;

namespace {

constexpr double around = 48, above = 40, below = 16; // of the axes, in pixels
constexpr int mostLabels = 14;                        // of an axis

QColor mixed(const QColor& one, const QColor& other, double share) {
    const auto part = [&](float a, float b) { return float(a + (b - a) * share); };
    return QColor::fromRgbF(part(one.redF(), other.redF()), part(one.greenF(), other.greenF()),
                            part(one.blueF(), other.blueF()));
}

} // namespace

ParallelView::ParallelView() : slices_([this] { return work(); }) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Trials over parallel axes"));
    setMinimumSize(320, 200);
}

void ParallelView::setTrials(std::shared_ptr<const models::TrialSet> trials, std::span<const int> among,
                             const models::TrialFilter& filter) {
    std::vector<int> axes = models::parallelAxes(*trials);
    std::vector<int> sorted = axes_;
    std::ranges::sort(sorted);
    std::vector<int> other = axes;
    std::ranges::sort(other);
    if (trials != trials_ || sorted != other) {
        axes_ = std::move(axes);
        current_ = place_ = anchor_ = 0;
        lines_ = {}; // they are of other axes
    }
    if (trials != trials_ || trials->revision() != endsRevision_) {
        ends_ = models::ratioEnds(*trials);
        endsRevision_ = trials->revision();
    }
    trials_ = std::move(trials);
    among_.assign(among.begin(), among.end());
    filter_ = filter;
    makePicture();
}

void ParallelView::makePicture() {
    maker_.emplace(*trials_, ends_, among_, axes_);
    picture_ = maker_->picture();
    ranges_.clear();
    for (int axis = 0; axis < int(axes_.size()); ++axis)
        ranges_.push_back(rangeOf(filter_, axis));
    describe();
    isWorking_ = true;
    update();
}

bool ParallelView::work() {
    if (maker_) {
        if (!maker_->step()) {
            picture_ = maker_->picture();
            maker_.reset();
            beginLines();
        }
        return true;
    }
    if (drawn_ < strokes_.size()) {
        drawLines();
        return true;
    }
    lines_ = std::exchange(canvas_, {});
    isWorking_ = false;
    update();
    return false;
}

void ParallelView::mark(int trial) {
    marked_ = trial;
    update();
}

QString ParallelView::nameOf(int axis) const {
    const int question = axes_[size_t(axis)];
    return question == models::ratioAxis ? QStringLiteral("ratio")
                                         : QString::fromStdString(trials_->questions()[size_t(question)].name);
}

QString ParallelView::labelOf(int axis, int place) const {
    const ParallelAxis& shown = picture_.axes[size_t(axis)];
    if (shown.question == models::ratioAxis)
        return models::ratioText(picture_.ratioAt(shown.heightOf(place)));
    const auto& answers = trials_->questions()[size_t(shown.question)].answers;
    return QString::fromStdString(models::textOf(answers[size_t(shown.answerAt(place))]));
}

std::optional<ParallelView::Range> ParallelView::rangeOf(const models::TrialFilter& filter, int axis) const {
    const ParallelAxis& shown = picture_.axes[size_t(axis)];
    const QString name = nameOf(axis).toLower();
    Range range{0, shown.places - 1};
    bool isLimited = false;
    for (const TrialTerm& term : filter.terms) {
        const bool isMeant = shown.question == models::ratioAxis
                                 ? term.field == models::TrialField::Ratio
                                 : term.field == models::TrialField::Question && term.name == name;
        const bool isLower = term.sign == TrialTerm::Sign::GreaterEqual || term.sign == TrialTerm::Sign::Greater;
        const bool isUpper = term.sign == TrialTerm::Sign::LessEqual || term.sign == TrialTerm::Sign::Less;
        if (!isMeant || term.negated || (!isLower && !isUpper))
            continue;
        isLimited = true;
        for (int place = 0; place < shown.places; ++place) {
            bool isIn = true;
            if (shown.question == models::ratioAxis) {
                const int limit = picture_.placeOf(term.number);
                isIn = isLower ? place >= limit : place <= limit;
            } else {
                const auto& answer =
                    trials_->questions()[size_t(shown.question)].answers[size_t(shown.answerAt(place))];
                isIn = isLower ? answer >= term.answer : answer <= term.answer;
            }
            if (!isIn && isLower)
                range.from = std::max(range.from, place + 1);
            if (!isIn && isUpper)
                range.to = std::min(range.to, place - 1);
        }
    }
    return isLimited && range.from <= range.to ? std::optional(range) : std::nullopt;
}

void ParallelView::askFor(int axis, std::optional<Range> range) {
    const ParallelAxis& shown = picture_.axes[size_t(axis)];
    const QString name = models::quoted(nameOf(axis));
    QStringList terms;
    if (range) {
        if (range->from > range->to)
            std::swap(range->from, range->to);
        // The ends of the axis of ratios stand for all that lies beyond them. What is asked for is rounded outwards.
        const bool isRatio = shown.question == models::ratioAxis;
        const auto limit = [&](int place, double away) {
            if (!isRatio)
                return labelOf(axis, place);
            const double half = away / (2 * (shown.places - 1)); // of a place
            return QString::number(picture_.ratioAt(shown.heightOf(place) + half), 'g', 4);
        };
        if (range->from > 0)
            terms << name + QStringLiteral(">=") + limit(range->from, -1);
        if (range->to < shown.places - 1)
            terms << name + QStringLiteral("<=") + limit(range->to, 1);
    }
    emit rangeWanted(nameOf(axis), terms);
}

QRectF ParallelView::body() const {
    return QRectF(rect()).adjusted(around, above, -around, -below);
}

double ParallelView::xOf(int axis) const {
    const int gaps = std::max(1, int(axes_.size()) - 1);
    return body().left() + body().width() * axis / gaps;
}

double ParallelView::yOf(int axis, int place) const {
    return body().bottom() - body().height() * picture_.axes[size_t(axis)].heightOf(place);
}

QRectF ParallelView::titleOf(int axis) const {
    const double width = std::max(40.0, body().width() / double(std::max(size_t{1}, axes_.size() - 1)) - 6);
    return {xOf(axis) - width / 2, 4, width, above - 12};
}

int ParallelView::axisAt(double x, double within) const {
    int found = -1;
    for (int axis = 0; axis < int(axes_.size()); ++axis)
        if (const double distance = std::abs(x - xOf(axis)); distance <= within) {
            within = distance;
            found = axis;
        }
    return found;
}

int ParallelView::placeAt(int axis, double y) const {
    const int last = picture_.axes[size_t(axis)].places - 1;
    return int(std::lround(std::clamp((body().bottom() - y) / body().height(), 0.0, 1.0) * last));
}

void ParallelView::beginLines() {
    strokes_.clear();
    for (size_t gap = 0; gap < picture_.density.size(); ++gap)
        addDensity(gap);
    for (size_t gap = 0; gap < picture_.lines.size(); ++gap)
        addLines(gap);
    drawn_ = 0;
    canvas_ = QPixmap(size() * devicePixelRatio());
    canvas_.setDevicePixelRatio(devicePixelRatio());
    canvas_.fill(palette().base().color());
    isWorking_ = true;
}

QLineF ParallelView::lineOf(size_t gap, const ParallelSegment& segment) const {
    return {xOf(int(gap)), yOf(int(gap), segment.from), xOf(int(gap) + 1), yOf(int(gap) + 1, segment.to)};
}

/// Where no lines are.
void ParallelView::addDensity(size_t gap) {
    const models::Colors colors = models::colorsFor(palette());
    const auto& segments = picture_.density[gap];
    const double most = segments.empty() ? 1 : std::log1p(segments.back().count);
    const auto placeOf = [](const ParallelSegment& segment) { return segment.from * models::mostPlaces + segment.to; };
    std::vector<int> covered;
    for (const ParallelSegment& segment : picture_.lines[gap])
        covered.push_back(placeOf(segment));
    std::ranges::sort(covered);
    for (const ParallelSegment& segment : segments) {
        if (std::ranges::binary_search(covered, placeOf(segment)))
            continue;
        const double share = std::log1p(segment.count) / most;
        QColor color = colors.dimText;
        color.setAlphaF(float(0.08 + 0.5 * share));
        strokes_.push_back({lineOf(gap, segment), color, false});
    }
}

void ParallelView::addLines(size_t gap) {
    const models::Colors colors = models::colorsFor(palette());
    const double spread = std::log(std::max(picture_.ends.most / picture_.ends.least, 1.0001));
    for (const ParallelSegment& segment : picture_.lines[gap]) {
        const double slow = std::clamp(std::log(segment.ratio / picture_.ends.least) / spread, 0.0, 1.0);
        QColor color = mixed(colors.reduction, colors.product, std::min(1.0, slow * 1.5));
        color.setAlphaF(float(0.9 - 0.6 * slow));
        strokes_.push_back({lineOf(gap, segment), QPen(color, slow < 0.02 ? 2 : 1), true});
    }
}

/// The next few of them.
void ParallelView::drawLines() {
    constexpr size_t few = 2; // a smooth one takes up to a millisecond
    QPainter painter(&canvas_);
    for (const size_t end = std::min(drawn_ + few, strokes_.size()); drawn_ < end; ++drawn_) {
        const Stroke& stroke = strokes_[drawn_];
        painter.setRenderHint(QPainter::Antialiasing, stroke.smooth);
        painter.setPen(stroke.pen);
        painter.drawLine(stroke.line);
    }
}

void ParallelView::drawAxis(QPainter& painter, int axis) const {
    const models::Colors colors = models::colorsFor(palette());
    const ParallelAxis& shown = picture_.axes[size_t(axis)];
    const double x = xOf(axis);
    const bool isCurrent = hasFocus() && axis == current_;
    painter.setPen(QPen(isCurrent ? colors.selection : colors.dimText, isCurrent ? 2 : 1));
    painter.drawLine(QPointF(x, body().top()), QPointF(x, body().bottom()));
    std::optional<Range> range = ranges_[size_t(axis)];
    if (drag_ == Drag::Range && dragged_ == axis)
        range = Range{placeAt(axis, pressed_.y()), placeAt(axis, at_.y())};
    if (range) {
        QColor fill = colors.selection;
        fill.setAlphaF(0.35F);
        const double top = std::min(yOf(axis, range->from), yOf(axis, range->to)) - 4;
        const double bottom = std::max(yOf(axis, range->from), yOf(axis, range->to)) + 4;
        painter.fillRect(QRectF(x - 6, top, 12, bottom - top), fill);
        painter.setPen(colors.selection);
        painter.drawRect(QRectF(x - 6, top, 12, bottom - top));
    }
    const int step = std::max(1, (shown.places + mostLabels - 1) / mostLabels);
    const bool isRatio = shown.question == models::ratioAxis;
    const int labelled = isRatio ? (shown.places - 1) / 8 : step;
    for (int place = 0; place < shown.places; place += labelled) {
        const QString label = labelOf(axis, place);
        const QFontMetricsF metrics(font());
        const QRectF box(x + 5, yOf(axis, place) - metrics.height() / 2, metrics.horizontalAdvance(label) + 4,
                         metrics.height());
        QColor behind = palette().base().color();
        behind.setAlphaF(0.7F);
        painter.fillRect(box, behind);
        painter.setPen(colors.text);
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip, label);
    }
    if (isCurrent) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors.selection);
        painter.drawEllipse(QPointF(x, yOf(axis, std::min(place_, shown.places - 1))), 4, 4);
        painter.setBrush(Qt::NoBrush);
    }
    painter.setPen(isCurrent ? colors.selection : colors.text);
    const QRectF title =
        drag_ == Drag::Axis && dragged_ == axis ? titleOf(axis).translated(at_ - pressed_) : titleOf(axis);
    painter.drawText(title, Qt::AlignCenter, fontMetrics().elidedText(shown.name, Qt::ElideLeft, int(title.width())));
}

void ParallelView::drawTrial(QPainter& painter, int trial, const QColor& color) const {
    if (trial < 0 || size_t(trial) >= trials_->size() || !(*trials_)[size_t(trial)].isTimed())
        return;
    painter.setPen(QPen(color, 2.5));
    std::optional<QPointF> before;
    for (int axis = 0; axis < int(axes_.size()); ++axis) {
        const ParallelAxis& shown = picture_.axes[size_t(axis)];
        int place = -1;
        if (shown.question == models::ratioAxis)
            place = picture_.placeOf((*trials_)[size_t(trial)].ratio);
        else if (const auto found = std::ranges::find(
                     shown.answers, trials_->questions()[size_t(shown.question)].ofRow[size_t(trial)]);
                 found != shown.answers.end()) // else none, or one that came since
            place = shown.placeOf(size_t(found - shown.answers.begin()));
        const auto at = place < 0 ? std::nullopt : std::optional(QPointF(xOf(axis), yOf(axis, place)));
        if (before && at)
            painter.drawLine(*before, *at);
        before = at;
    }
}

void ParallelView::paintEvent(QPaintEvent*) {
    if (isWorking_)
        slices_.start(); // not before what can be seen at once is, and not unseen
    QPainter painter(this);
    if (!trials_ || axes_.size() < 2 || (picture_.drawn == 0 && !maker_)) {
        painter.fillRect(rect(), palette().base());
        painter.setPen(models::colorsFor(palette()).dimText);
        painter.drawText(rect(), Qt::AlignCenter,
                         !trials_ || axes_.size() < 2 ? tr("No question has several answers among these trials.")
                                                      : tr("None of these trials has a time."));
        return;
    }
    if (lines_.isNull())
        painter.fillRect(rect(), palette().base());
    else
        painter.drawPixmap(rect(), lines_); // of another size, as long as those of this one are not drawn
    painter.setRenderHint(QPainter::Antialiasing);
    const models::Colors colors = models::colorsFor(palette());
    drawTrial(painter, trials_->best(), colors.good);
    drawTrial(painter, marked_, colors.selection);
    for (int axis = 0; axis < int(axes_.size()); ++axis)
        drawAxis(painter, axis);
}

void ParallelView::resizeEvent(QResizeEvent* event) {
    beginLines();
    QWidget::resizeEvent(event);
}

void ParallelView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        beginLines();
    QWidget::changeEvent(event);
}

} // namespace lathe::views::tuning
