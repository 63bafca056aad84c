// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/passes/fusion_model.h"

#include "arith/analysis.h"
#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"

#include <QStringList>
#include <algorithm>
#include <map>

namespace lathe::views::models {

namespace {

using relay::transform::FusionOutcome;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

QString nameOf(const driver::ChoiceName& name) {
    return text(name.op) + "  " + text(driver::display(name));
}

/// For the heading of a menu.
QString shortNameOf(const driver::ChoiceName& name) {
    return oneLine(driver::display(name), longestNameInText);
}

struct Choices {
    QString chosen; // in short
    FusedChoice all;
};

Choices of(const driver::VariantRecord& record) {
    Choices choices{.chosen = text(record.chosen.variant), .all = {}};
    choices.all.title = FusionModel::tr("%1: variant").arg(shortNameOf(record.chosen.of));
    for (const relay::choose::VariantCost& each : record.offered) {
        driver::VariantDecision decision = record.chosen;
        decision.variant = each.name;
        choices.all.options.push_back(
            {FusionModel::tr("%1, estimated %2cycles").arg(text(each.name), shortened(each.cycles) + ' '),
             each.name == record.chosen.variant, chooseVariant(decision)});
    }
    return choices;
}

Choices of(const driver::LayoutRecord& record) {
    const QString part = text(driver::toString(record.chosen.part));
    const auto name = [&](int64_t width) {
        return width > 0 ? FusionModel::tr("%1 of %2").arg(part).arg(width) : FusionModel::tr("no %1").arg(part);
    };
    Choices choices{.chosen = record.chosen.width > 0 ? name(record.chosen.width) : QString(), .all = {}};
    choices.all.title = FusionModel::tr("%1: %2").arg(shortNameOf(record.chosen.of), part);
    for (const int64_t width : record.offered) {
        driver::LayoutDecision decision = record.chosen;
        decision.width = width;
        choices.all.options.push_back({name(width), width == record.chosen.width, chooseLayout(decision)});
    }
    return choices;
}

/// By the first model node that they are about.
std::multimap<int, Choices> choicesOf(const driver::Trace& trace) {
    std::multimap<int, Choices> choices;
    const auto add = [&](const auto& records) {
        for (const auto& record : records)
            if (const auto& nodes = trace.graph->spans->ids(record.span); !nodes.empty())
                choices.emplace(nodes.front(), of(record));
    };
    add(trace.variants);
    add(trace.layouts);
    return choices;
}

/// Its calls: one, several of a pair of kernels, none of a view.
void addCalls(const driver::Trace& trace, std::vector<FusedRow>& functions) {
    std::unordered_map<QString, FusedRow*> byName;
    for (FusedRow& function : functions)
        byName[function.name] = &function;
    for (const driver::CallRecord& call : trace.calls) {
        const auto found = byName.find(text(call.function));
        if (found == byName.end())
            continue;
        FusedRow& function = *found->second;
        const bool first = function.calls++ == 0;
        const QString kernel = text(call.kernel);
        function.kernel += first ? kernel : ", " + kernel;
        const auto add = [&](std::optional<double>& sum, const arith::Expr& estimate) {
            const auto value = arith::evaluate(estimate, {});
            const bool known = value && (first || sum);
            sum = known ? std::optional(sum.value_or(0) + double(*value)) : std::nullopt;
        };
        add(function.flops, call.flops);
        add(function.bytes, call.bytes);
    }
    for (FusedRow& function : functions)
        if (function.calls == 0)
            function.kernel = FusionModel::tr("none: a view");
}

} // namespace

FusionRows fusionRows(const driver::Trace& trace) {
    FusionRows rows;
    const driver::FusionRecord& record = trace.fusion;
    if (!trace.graph)
        return rows;
    const auto choices = choicesOf(trace);
    std::vector<std::pair<int, int>> places(record.operators.size()); // function and member
    for (const driver::FusedFunction& each : driver::functionsOf(record)) {
        FusedRow& function = rows.functions.emplace_back();
        function.name = text(each.name);
        for (const size_t at : each.members) {
            const driver::FusionRecord::Operator& one = record.operators[at];
            places[at] = {int(rows.functions.size()) - 1, int(function.members.size())};
            FusedRow& member = function.members.emplace_back();
            member.name = nameOf(one.name);
            const auto& nodes = trace.graph->spans->ids(one.span);
            member.nodes.assign(nodes.begin(), nodes.end());
            function.nodes.insert(function.nodes.end(), member.nodes.begin(), member.nodes.end());
        }
        function.operators = int(function.members.size());
        std::ranges::sort(function.nodes);
        function.nodes.erase(std::unique(function.nodes.begin(), function.nodes.end()), function.nodes.end());
        QStringList chosen;
        for (const int node : function.nodes)
            for (auto [it, end] = choices.equal_range(node); it != end; ++it) {
                if (!it->second.chosen.isEmpty())
                    chosen << it->second.chosen;
                if (it->second.all.options.size() > 1)
                    function.choices.push_back(it->second.all);
            }
        chosen.removeDuplicates();
        function.chosen = chosen.join(", ");
    }
    addCalls(trace, rows.functions);
    for (const relay::transform::FusionEdge& edge : record.edges) {
        FusionPairRow& pair = rows.pairs.emplace_back();
        pair.producer = nameOf(record.operators[edge.producer].name);
        pair.consumer = nameOf(record.operators[edge.consumer].name);
        pair.why = text(sentenceOf(edge.outcome));
        if (edge.due)
            pair.why += FusionModel::tr(" (At %1.)").arg(nameOf(record.operators[*edge.due].name));
        pair.joined = edge.outcome == FusionOutcome::Joined;
        pair.keptApart = edge.outcome == FusionOutcome::KeptApart;
        pair.pair = {record.operators[edge.producer].name, record.operators[edge.consumer].name};
        std::tie(pair.fromFunction, pair.fromMember) = places[edge.producer];
        std::tie(pair.toFunction, pair.toMember) = places[edge.consumer];
    }
    return rows;
}

void FusionModel::show(std::vector<FusedRow> functions) {
    beginResetModel();
    functions_ = std::move(functions);
    functionsOf_.clear();
    for (size_t i = 0; i < functions_.size(); ++i)
        for (const int node : functions_[i].nodes)
            functionsOf_[node].push_back(int(i));
    endResetModel();
}

void FusionModel::setProfile(const inspect::Profile& profile) {
    std::unordered_map<QString, std::vector<const inspect::ProfileRow*>> rows;
    for (const inspect::ProfileRow& row : profile.rows)
        rows[text(row.function)].push_back(&row);
    for (FusedRow& function : functions_) {
        function.ms.reset();
        const auto found = rows.find(function.name);
        if (found == rows.end())
            continue;
        function.ms = function.flops = function.bytes = 0;
        for (const inspect::ProfileRow* row : found->second) {
            *function.ms += row->ms;
            *function.flops += row->flops;
            *function.bytes += row->bytes;
        }
    }
    if (!functions_.empty())
        emit dataChanged(index(0, Time), index(rowCount() - 1, Bytes));
}

const FusedRow& FusionModel::at(const QModelIndex& index) const {
    const QModelIndex above = parent(index);
    return above.isValid() ? functions_[size_t(above.row())].members[size_t(index.row())]
                           : functions_[size_t(index.row())];
}

int FusionModel::functionOf(const std::vector<int>& nodes) const {
    std::map<int, int> shared;
    for (const int node : nodes)
        if (const auto found = functionsOf_.find(node); found != functionsOf_.end())
            for (const int function : found->second)
                ++shared[function];
    const auto better = [&](const auto& a, const auto& b) {
        return std::pair(-a.second, functions_[size_t(a.first)].nodes.size()) <
               std::pair(-b.second, functions_[size_t(b.first)].nodes.size());
    };
    const auto best = std::min_element(shared.begin(), shared.end(), better);
    return best == shared.end() ? -1 : best->first;
}

// The id of an operator's index is its function's row + 1.
QModelIndex FusionModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : 0);
}

QModelIndex FusionModel::parent(const QModelIndex& child) const {
    return child.internalId() == 0 ? QModelIndex() : createIndex(int(child.internalId()) - 1, 0, quintptr(0));
}

int FusionModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return int(functions_.size());
    return parent.column() == 0 ? int(at(parent).members.size()) : 0;
}

int FusionModel::columnCount(const QModelIndex&) const {
    return int(columns);
}

QVariant FusionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const FusedRow& row = at(index);
    const auto figure = [](const std::optional<double>& value) { return value ? shortened(*value) : QString(); };
    const std::optional<double>* const figures[] = {&row.ms, &row.flops, &row.bytes};
    const bool number = index.column() >= Operators && index.column() <= Bytes;
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case Function:
            return row.name;
        case Operators:
            return row.operators ? QString::number(row.operators) : QString();
        case Kernel:
            return row.kernel;
        case Chosen:
            return row.chosen;
        case Flops:
        case Bytes:
            return figure(*figures[index.column() - Time]);
        case Time:
            return row.ms ? msText(*row.ms) : QString();
        }
    }
    if (role == sortRole) {
        if (number && index.column() != Operators)
            return figures[index.column() - Time]->value_or(-1);
        return number ? QVariant(row.operators) : data(index, Qt::DisplayRole);
    }
    if (role == Qt::TextAlignmentRole && number)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return data(index, Qt::DisplayRole);
    return {};
}

QVariant FusionModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section >= Operators && section <= Bytes)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Fused function"), tr("Operators"), tr("ms"),    tr("FLOPs"),
                             tr("Bytes"),          tr("Kernel"),    tr("Chosen")};
    return names[section];
}

void FusionPairModel::setPairs(std::vector<FusionPairRow> pairs) {
    beginResetModel();
    pairs_ = std::move(pairs);
    shown_.clear();
    endResetModel();
}

void FusionPairModel::choose(int function, int member) {
    beginResetModel();
    shown_.clear();
    for (size_t i = 0; i < pairs_.size(); ++i) {
        const FusionPairRow& pair = pairs_[i];
        const auto is = [&](int f, int m) { return f == function && (member < 0 || m == member); };
        if (is(pair.fromFunction, pair.fromMember) || is(pair.toFunction, pair.toMember))
            shown_.push_back(i);
    }
    std::ranges::stable_partition(shown_, [&](size_t at) { return !pairs_[at].joined; });
    endResetModel();
}

Pairs FusionPairModel::joinedIn(int function) const {
    Pairs joined;
    for (const FusionPairRow& pair : pairs_)
        if (pair.joined && pair.fromFunction == function && pair.toFunction == function)
            joined.push_back(pair.pair);
    return joined;
}

int FusionPairModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shown_.size());
}

int FusionPairModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(columns);
}

QVariant FusionPairModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || size_t(index.row()) >= shown_.size())
        return {};
    const FusionPairRow& pair = at(index.row());
    if (role == Qt::ToolTipRole)
        return pair.why;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Producer:
        return pair.producer;
    case Consumer:
        return pair.consumer;
    case Joined:
        return pair.joined ? tr("yes") : tr("no");
    default:
        return pair.why;
    }
}

QVariant FusionPairModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columns)
        return {};
    const QString names[] = {tr("Value of"), tr("Used by"), tr("Fused"), tr("Why")};
    return names[section];
}

} // namespace lathe::views::models
