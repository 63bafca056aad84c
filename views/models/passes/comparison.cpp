// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/passes/comparison.h"

#include "relay/text.h"
#include "tir/text.h"
#include "views/models/graph/model_comparison.h"
#include "views/models/graph/relay_graph.h"
#include "views/models/text/paired_rows.h"

#include <QRegularExpression>
#include <algorithm>
#include <unordered_map>

namespace lathe::views::models {

namespace {

struct Side {
    std::vector<std::string> lines;
    std::vector<std::vector<int>> nodes;
    std::unordered_map<const relay::Binding*, int> lineOf; // of the graph IR
    std::vector<bool> isBinding;                           // likewise
};

QStringList shown(const std::vector<std::string>& lines) {
    QStringList result;
    for (const std::string& line : lines)
        result << QString::fromStdString(line);
    return result;
}

Side relaySide(const std::shared_ptr<const relay::Module>& module, const QString& function) {
    Side side;
    if (!module)
        return side;
    std::vector<const relay::Binding*> bindings;
    relay::PrintOptions options;
    options.lines = &bindings;
    if (function.isEmpty()) {
        side.lines = splitLines(print(*module, options));
    } else {
        const auto found = module->functions.find(function.toStdString());
        if (found == module->functions.end())
            return side;
        side.lines = splitLines(print(*found->second, *module, found->first, options));
    }
    // How Vars will be numbered is of no pass.
    if (!side.lines.empty() && side.lines.front().starts_with("module next")) {
        side.lines.erase(side.lines.begin());
        bindings.erase(bindings.begin());
    }
    for (const relay::Binding* binding : bindings) {
        if (binding)
            side.lineOf.emplace(binding, int(side.nodes.size()));
        side.isBinding.push_back(binding != nullptr);
        std::vector<int> nodes;
        if (binding && module->spans)
            for (int32_t id : module->spans->ids(binding->span))
                nodes.push_back(id);
        side.nodes.push_back(std::move(nodes));
    }
    side.nodes.resize(side.lines.size());
    side.isBinding.resize(side.lines.size());
    return side;
}

/// By the bindings that the picture pairs, since numbers and operands change where a pass takes one away.
std::vector<DiffRow> relayRows(const driver::PassRecord& record, const std::string& function, const Side& before,
                               const Side& after) {
    std::vector<int> afterOf(before.lines.size(), -1);
    if (record.before && record.after) {
        const RelayGraph one = graphOf(*record.before, function), other = graphOf(*record.after, function);
        const ModelComparisonPtr pairs = compareModels({}, one.graph, other.graph, lathe::graph::NodeNames::Identities);
        std::vector<bool> taken(after.lines.size());
        for (size_t node = 0; node < one.bindings.size(); ++node) {
            const auto pair = pairs->afterOf.find(int(node));
            if (pair == pairs->afterOf.end())
                continue;
            const auto from = before.lineOf.find(one.bindings[node]);
            const auto to = after.lineOf.find(other.bindings[size_t(pair->second.front())]);
            if (from == before.lineOf.end() || to == after.lineOf.end() || afterOf[size_t(from->second)] >= 0 ||
                taken[size_t(to->second)])
                continue;
            afterOf[size_t(from->second)] = to->second;
            taken[size_t(to->second)] = true;
        }
    }
    return pairedRows(before.lines, after.lines, std::move(afterOf));
}

Side kernelSide(const driver::Trace& trace, const std::string& kernel, const tir::PrimFuncPtr& function) {
    Side side;
    if (!function)
        return side;
    std::vector<const tir::StmtNode*> statements;
    tir::PrintOptions options;
    options.lines = &statements;
    side.lines = splitLines(print(*function, options));
    const auto spans = trace.graph ? driver::spansByOrigin(trace, kernel) : std::vector<model::Span>();
    for (const tir::StmtNode* statement : statements) {
        std::vector<int> nodes;
        if (statement && statement->origin >= 0 && size_t(statement->origin) < spans.size())
            for (int32_t id : trace.graph->spans->ids(spans[size_t(statement->origin)]))
                nodes.push_back(id);
        side.nodes.push_back(std::move(nodes));
    }
    side.nodes.resize(side.lines.size());
    return side;
}

using Kind = DiffRow::Kind;

constexpr int hashLength = 33, signLength = 2; // "#" and its digits; what stands for them

/// Where hashes of constants, which nobody reads, end in a line.
std::vector<int> hashEnds(const QString& line) {
    static const QRegularExpression hash(QStringLiteral("#[0-9a-f]{32}"));
    std::vector<int> ends;
    for (auto found = hash.globalMatch(line); found.hasNext();)
        ends.push_back(int(found.next().capturedEnd()));
    return ends;
}

/// The line with a sign for each of them; its columns become those of what is shown.
QString shortenedLine(const QString& line, std::vector<Columns>& columns) {
    const std::vector<int> ends = hashEnds(line);
    const auto shown = [&](int column) {
        const auto before = std::ranges::count_if(ends, [&](int end) { return end <= column; });
        return column - int(before) * (hashLength - signLength);
    };
    for (auto& [from, to] : columns) {
        from = shown(from);
        to = shown(to);
    }
    QString text = line;
    for (size_t i = ends.size(); i-- > 0;)
        text.replace(ends[i] - hashLength, hashLength, QStringLiteral("#…"));
    return text;
}

/// A row of one side: its line, or nothing.
void addRow(TintedText& side, const QStringList& lines, int line, std::vector<Columns> columns, Tint tint) {
    if (!side.numbers.empty())
        side.text += '\n';
    const QString whole = line >= 0 ? lines[line] : QString();
    const QString text = shortenedLine(whole, columns);
    side.text += text;
    side.tips.push_back(text == whole ? QString() : whole.trimmed());
    side.changes.push_back(std::move(columns));
    side.numbers.push_back(line);
    side.tints.push_back(line >= 0 || tint == Tint::None ? tint : Tint::Absent);
}

/// Where the pass stands in the kernel's stages; -1 if it has none of that name.
int stageOf(const driver::KernelRecord& kernel, const std::string& pass) {
    for (size_t i = 0; i < kernel.stages.size(); ++i)
        if (kernel.stages[i].first == pass)
            return int(i);
    return -1;
}

} // namespace

void Comparison::align() {
    left = right = {};
    differences.clear();
    for (const DiffRow& row : rows) {
        const bool isChanged = row.kind == Kind::Changed;
        auto [ofLeft, ofRight] = isChanged ? changedColumns(before[row.before], after[row.after])
                                           : std::pair<std::vector<Columns>, std::vector<Columns>>();
        const bool isSame = row.kind == Kind::Same;
        addRow(left, before, row.before, std::move(ofLeft),
               isSame      ? Tint::None
               : isChanged ? Tint::Changed
                           : Tint::Removed);
        addRow(right, after, row.after, std::move(ofRight),
               isSame      ? Tint::None
               : isChanged ? Tint::Changed
                           : Tint::Added);
    }
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].kind != Kind::Same && (i == 0 || rows[i - 1].kind == Kind::Same))
            differences.push_back(int(i));
}

QStringList functionsOf(const driver::Trace& trace, int pass) {
    if (pass < 0 || size_t(pass) >= trace.passes.size())
        return {};
    const driver::PassRecord& record = trace.passes[pass];
    QStringList names;
    if (record.before || record.after) {
        names << QString();
        const auto& module = record.after ? record.after : record.before;
        if (module->functions.size() > 1)
            for (const auto& [name, function] : module->functions)
                names << QString::fromStdString(name);
        return names;
    }
    for (const driver::KernelRecord& kernel : trace.kernels)
        if (stageOf(kernel, record.name) >= 0)
            names << QString::fromStdString(kernel.name);
    return names;
}

Comparison comparePass(const driver::Trace& trace, int pass, const QString& function) {
    Comparison comparison;
    if (pass < 0 || size_t(pass) >= trace.passes.size())
        return comparison;
    const driver::PassRecord& record = trace.passes[pass];
    comparison.title = QString::fromStdString(record.name);
    Side before, after;
    const bool isGraph = record.before || record.after;
    if (isGraph) {
        before = relaySide(record.before, function);
        after = relaySide(record.after, function);
    } else {
        for (const driver::KernelRecord& kernel : trace.kernels) {
            const int stage = stageOf(kernel, record.name);
            if (stage < 0 || QString::fromStdString(kernel.name) != function)
                continue;
            if (stage > 0)
                before = kernelSide(trace, kernel.name, kernel.stages[stage - 1].second);
            after = kernelSide(trace, kernel.name, kernel.stages[stage].second);
            break;
        }
    }
    comparison.rows =
        isGraph ? relayRows(record, function.toStdString(), before, after) : diffLines(before.lines, after.lines);
    comparison.before = shown(before.lines);
    comparison.after = shown(after.lines);
    comparison.nodesBefore = std::move(before.nodes);
    comparison.nodesAfter = std::move(after.nodes);
    comparison.align();
    if (isGraph) {
        const auto bound = [](const Side& side, int line) { return line >= 0 && side.isBinding[size_t(line)]; };
        comparison.differences.clear();
        for (size_t i = 0; i < comparison.rows.size(); ++i)
            if (const DiffRow& row = comparison.rows[i];
                row.kind != Kind::Same && (bound(before, row.before) || bound(after, row.after)))
                comparison.differences.push_back(int(i));
    }
    return comparison;
}

} // namespace lathe::views::models
