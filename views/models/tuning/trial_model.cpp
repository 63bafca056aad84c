// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/trial_model.h"

#include "views/models/text/one_line.h"
#include "views/models/tuning/ascending.h"

#include <algorithm>
#include <numeric>

namespace lathe::views::models {

namespace {

bool isNumberOfTrial(int column) {
    return column != TrialModel::Made && column != TrialModel::Verdict && column != TrialModel::Reason;
}

constexpr auto notKnown = "–";

} // namespace

QString verdictText(tune::Verdict verdict) {
    return verdict == tune::Verdict::Slow ? TrialModel::tr("behind") : QString::fromLatin1(toString(verdict));
}

QString usText(double us) {
    return std::isnan(us) ? QString::fromUtf8(notKnown) : QString::number(us, 'f', us < 10 ? 3 : us < 1000 ? 2 : 1);
}

QString ratioText(double ratio) {
    return std::isnan(ratio) ? QString::fromUtf8(notKnown) : QString::number(ratio, 'f', 3);
}

TrialModel::TrialModel(QObject* parent) : QAbstractTableModel(parent) {
    setTrials(std::make_shared<TrialSet>());
}

void TrialModel::setTrials(std::shared_ptr<TrialSet> trials) {
    beginResetModel();
    trials_ = std::move(trials);
    questions_ = int(trials_->questions().size());
    best_ = trials_->best();
    auto filter = parseTrialFilter(filter_, *trials_);
    if (!filter)
        filter_.clear();
    matcher_ = std::make_unique<TrialMatcher>(std::move(filter).value_or(TrialFilter{}), *trials_);
    if (sortColumn_ >= columns + questions_)
        sortColumn_ = Id;
    order_.resize(trials_->size());
    std::iota(order_.begin(), order_.end(), 0);
    endResetModel();
    sort(sortColumn_, sortOrder_);
}

Result<void> TrialModel::setFilter(const QString& text) {
    LATHE_TRY(TrialFilter filter, parseTrialFilter(text, *trials_));
    filter_ = text;
    matcher_ = std::make_unique<TrialMatcher>(std::move(filter), *trials_);
    beginResetModel();
    showPassing();
    endResetModel();
    emit shownChanged();
    return {};
}

void TrialModel::showPassing() {
    shown_.clear();
    std::ranges::copy_if(order_, std::back_inserter(shown_),
                         [&](int trial) { return matcher_->matches(size_t(trial)); });
}

double TrialModel::keyOf(int trial, int column) const {
    const TrialRow& row = (*trials_)[size_t(trial)];
    switch (column) {
    case Id:
        return trial;
    case Made:
        return double(row.made);
    case Parent:
        return row.parent < 0 ? unknown : row.parent;
    case Round:
        return row.round;
    case Us:
        return row.us;
    case Interval:
        return row.low;
    case Ratio:
        return row.ratio;
    case Prior:
        return row.prior;
    case Predicted:
        return row.predicted;
    case Verdict:
        return double(row.verdict);
    case Reason:
        return row.message;
    default:
        break;
    }
    const int answer = trials_->questions()[size_t(column - columns)].ofRow[size_t(trial)];
    return answer < 0 ? unknown : size_t(answer) < answerPlace_.size() ? answerPlace_[size_t(answer)] : answer;
}

bool TrialModel::isBefore(int one, int other) const {
    const double a = keyOf(one, sortColumn_), b = keyOf(other, sortColumn_);
    if (std::isnan(a) != std::isnan(b))
        return std::isnan(b);
    if (a == b || std::isnan(a))
        return one < other;
    return (a < b) == (sortOrder_ == Qt::AscendingOrder);
}

void TrialModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= columnCount())
        column = Id;
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<int> held; // the trials of these
    for (const QModelIndex& index : before)
        held.push_back(shown_[size_t(index.row())]);
    sortColumn_ = column;
    sortOrder_ = order;
    answerPlace_.clear();
    if (column >= columns) {
        const std::vector<int> ordered = trials_->questions()[size_t(column - columns)].ordered();
        answerPlace_.resize(ordered.size());
        for (size_t place = 0; place < ordered.size(); ++place)
            answerPlace_[size_t(ordered[place])] = int(place);
    }
    std::vector<double> keys; // so that no column is looked up while sorting
    keys.reserve(trials_->size());
    for (int trial = 0; trial < int(trials_->size()); ++trial) {
        const double key = keyOf(trial, column);
        keys.push_back(std::isnan(key) ? std::numeric_limits<double>::infinity()
                                       : (order == Qt::AscendingOrder ? key : -key));
    }
    order_ = ascending(keys);
    showPassing();
    std::vector<int> rows(trials_->size(), -1);
    for (size_t row = 0; row < shown_.size(); ++row)
        rows[size_t(shown_[row])] = int(row);
    for (qsizetype i = 0; i < before.size(); ++i)
        changePersistentIndex(before[i], index(rows[size_t(held[size_t(i)])], before[i].column()));
    emit layoutChanged({}, VerticalSortHint);
    emit shownChanged();
}

std::vector<int>::iterator TrialModel::placeIn(std::vector<int>& order, int trial) {
    return std::ranges::lower_bound(order, trial, [this](int one, int other) { return isBefore(one, other); });
}

void TrialModel::insert(int trial) {
    order_.insert(placeIn(order_, trial), trial);
    if (!matcher_->matches(size_t(trial)))
        return;
    const auto place = placeIn(shown_, trial);
    const int row = int(place - shown_.begin());
    beginInsertRows({}, row, row);
    shown_.insert(place, trial);
    endInsertRows();
}

void TrialModel::remove(int trial) {
    order_.erase(std::ranges::find(order_, trial));
    if (const int row = rowOf(trial); row >= 0) {
        beginRemoveRows({}, row, row);
        shown_.erase(shown_.begin() + row);
        endRemoveRows();
    }
}

void TrialModel::followQuestions() {
    const int now = int(trials_->questions().size());
    if (now > questions_) {
        beginInsertColumns({}, columns + questions_, columns + now - 1);
        questions_ = now;
        endInsertColumns();
    }
    const int before = std::exchange(best_, trials_->best());
    if (before != best_)
        for (const int trial : {before, best_})
            if (const int row = trial < 0 ? -1 : rowOf(trial); row >= 0)
                emit dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void TrialModel::add(const tune::Trial& trial) {
    trials_->add(trial);
    insert(int(trials_->size()) - 1);
    followQuestions();
    emit shownChanged();
}

void TrialModel::change(size_t trial, const tune::Trial& as) {
    remove(int(trial));
    trials_->change(trial, as);
    insert(int(trial));
    followQuestions();
    emit shownChanged();
}

int TrialModel::rowOf(int trial) const {
    const auto found = std::ranges::find(shown_, trial);
    return found == shown_.end() ? -1 : int(found - shown_.begin());
}

int TrialModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

int TrialModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns + questions_;
}

QString TrialModel::textOf(int trial, int column) const {
    const TrialRow& row = (*trials_)[size_t(trial)];
    switch (column) {
    case Id:
        return trial == trials_->best() ? QStringLiteral("★ %1").arg(trial) : QString::number(trial);
    case Made:
        return QLatin1String(toString(row.made));
    case Parent:
        return row.parent < 0 ? QString() : QString::number(row.parent);
    case Round:
        return QString::number(row.round);
    case Us:
        return usText(row.us);
    case Interval:
        return std::isnan(row.low) ? QString() : tr("%1 to %2").arg(ratioText(row.low), ratioText(row.high));
    case Ratio:
        return (row.isTimed() && std::isnan(row.low) ? QStringLiteral("≈ ") : QString()) + ratioText(row.ratio);
    case Prior:
        return usText(row.prior);
    case Predicted:
        return ratioText(row.predicted);
    case Verdict:
        return row.accepted ? tr("accepted") : verdictText(row.verdict);
    case Reason:
        return oneLine(trials_->messageOf(size_t(trial)));
    default:
        return QString::fromStdString(models::textOf(trials_->answer(size_t(trial), size_t(column - columns))));
    }
}

QVariant TrialModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= shown_.size())
        return {};
    const int trial = shown_[size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return textOf(trial, index.column());
    case Qt::ToolTipRole:
        return models::textOf(*trials_, trial);
    case Qt::TextAlignmentRole:
        return isNumberOfTrial(index.column()) ? int(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::AccessibleTextRole:
        return index.column() == Id && trial == trials_->best() ? tr("%1, the best").arg(trial) : QVariant();
    case bestRole:
        return trial == trials_->best();
    default:
        return {};
    }
}

QVariant TrialModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole && isNumberOfTrial(section))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (section >= columns)
        return role == Qt::DisplayRole ? QVariant(oneLine(trials_->questions()[size_t(section - columns)].name))
                                       : QVariant();
    const QString names[] = {tr("Id"),    tr("Made"),     tr("Parent"),    tr("Round"),   tr("µs"),    tr("Interval"),
                             tr("Ratio"), tr("Prior µs"), tr("Predicted"), tr("Verdict"), tr("Reason")};
    const QString meanings[] = {
        tr("In the order in which they were tried; 0 is the default schedule, ★ the best"),
        tr("How it came about"),
        tr("The trial that it was made from"),
        tr("The batch that it was tried in"),
        tr("Microseconds of a call as they were in its batch, median; at a glance the least that was seen"),
        tr("Of the ratio: holds its median with about 96 %"),
        tr("Of its time to the default's, timed side by side; ≈ at a glance, of what was behind the best then"),
        tr("Microseconds that the estimate expected"),
        tr("The model's score before it was tried: higher for what is expected to be faster"),
        tr("What became of it; accepted: a paired test found it faster than what was best before"),
        tr("Why it was not measured")};
    return role == Qt::DisplayRole ? names[section] : role == Qt::ToolTipRole ? meanings[section] : QVariant();
}

QString textOf(const TrialSet& trials, int trial) {
    const TrialRow& row = trials[size_t(trial)];
    QStringList lines;
    lines << TrialModel::tr("Trial %1, %2, round %3: %4")
                 .arg(trial)
                 .arg(QLatin1String(toString(row.made)))
                 .arg(row.round)
                 .arg(row.accepted ? TrialModel::tr("accepted") : verdictText(row.verdict));
    if (row.isTimed())
        lines << (std::isnan(row.low)
                      ? TrialModel::tr("%1 µs, %2 of the default's").arg(usText(row.us), ratioText(row.ratio))
                      : TrialModel::tr("%1 µs, %2 of the default's (%3 to %4)")
                            .arg(usText(row.us), ratioText(row.ratio), ratioText(row.low), ratioText(row.high)));
    if (const std::string& message = trials.messageOf(size_t(trial)); !message.empty())
        lines << oneLine(message);
    for (const auto& [name, answer] : trials.answersOf(size_t(trial)))
        lines << oneLine(name) + QStringLiteral(" = ") + QString::fromStdString(textOf(answer));
    return lines.join('\n');
}

} // namespace lathe::views::models
