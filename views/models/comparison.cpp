// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/comparison.h"

#include "relay/text.h"
#include "tir/text.h"

#include <algorithm>

namespace lathe::views::models {

namespace {

constexpr int maximalDifferences = 1500;

struct Side {
    QStringList lines;
    std::vector<std::vector<int>> nodes;
};

/// Pairs of equal lines (before, after) in the middle [lo, hiA) x [lo, hiB); empty beyond the limit.
std::vector<std::pair<int, int>> commonLines(const QStringList& a, const QStringList& b, int lo, int hiA, int hiB) {
    const int n = hiA - lo, m = hiB - lo, limit = std::min(n + m, maximalDifferences);
    std::vector<std::vector<int>> history; // furthest x by diagonal, after each number of differences
    std::vector<int> furthest(2 * limit + 3);
    int found = -1;
    for (int d = 0; d <= limit && found < 0; ++d) {
        for (int k = -d; k <= d; k += 2) {
            int x = k == -d || (k != d && furthest[limit + k] < furthest[limit + k + 2]) ? furthest[limit + k + 2]
                                                                                         : furthest[limit + k] + 1;
            if (d == 0)
                x = 0;
            int y = x - k;
            while (x < n && y < m && a[lo + x] == b[lo + y])
                ++x, ++y;
            furthest[limit + k + 1] = x;
            if (x >= n && y >= m) {
                found = d;
                break;
            }
        }
        history.push_back(std::vector<int>(furthest.begin() + (limit - d), furthest.begin() + (limit + d + 3)));
    }
    std::vector<std::pair<int, int>> pairs;
    if (found < 0)
        return pairs;
    int x = n, y = m;
    for (int d = found; d > 0; --d) {
        const int k = x - y;
        const std::vector<int>& row = history[d - 1]; // row[i]: diagonal i - d
        auto at = [&](int diagonal) {
            const int i = diagonal + d;
            return i >= 0 && i < int(row.size()) ? row[i] : 0;
        };
        const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
        const int previous = down ? k + 1 : k - 1;
        const int startX = at(previous), startY = startX - previous;
        const int bendX = down ? startX : startX + 1;
        while (x > bendX && y > bendX - k)
            pairs.emplace_back(lo + --x, lo + --y);
        x = startX, y = startY;
    }
    while (x > 0 && y > 0)
        pairs.emplace_back(lo + --x, lo + --y);
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
}

/// Lines that stand against each other in a run of differences are Changed, the rest Removed or Added.
void addDifferences(std::vector<ComparedRow>& rows, int a, int endA, int b, int endB) {
    using Kind = ComparedRow::Kind;
    while (a < endA && b < endB)
        rows.push_back({Kind::Changed, a++, b++});
    while (a < endA)
        rows.push_back({Kind::Removed, a++, -1});
    while (b < endB)
        rows.push_back({Kind::Added, -1, b++});
}

QStringList linesOf(const std::string& text) {
    QStringList lines = QString::fromStdString(text).split('\n');
    if (!lines.isEmpty() && lines.last().isEmpty())
        lines.removeLast();
    return lines;
}

Side relaySide(const std::shared_ptr<const relay::Module>& module, const QString& function) {
    Side side;
    if (!module)
        return side;
    std::vector<const relay::Binding*> bindings;
    relay::PrintOptions options;
    options.lines = &bindings;
    if (function.isEmpty()) {
        side.lines = linesOf(print(*module, options));
    } else {
        const auto found = module->functions.find(function.toStdString());
        if (found == module->functions.end())
            return side;
        side.lines = linesOf(print(*found->second, *module, found->first, options));
    }
    for (const relay::Binding* binding : bindings) {
        std::vector<int> nodes;
        if (binding && module->spans)
            for (int32_t id : module->spans->ids(binding->span))
                nodes.push_back(id);
        side.nodes.push_back(std::move(nodes));
    }
    side.nodes.resize(side.lines.size());
    return side;
}

Side kernelSide(const driver::Trace& trace, const std::string& kernel, const tir::PrimFuncPtr& function) {
    Side side;
    if (!function)
        return side;
    std::vector<const tir::StmtNode*> statements;
    tir::PrintOptions options;
    options.lines = &statements;
    side.lines = linesOf(print(*function, options));
    // A kernel may serve several calls: a line's nodes are those of all of them.
    for (const tir::StmtNode* statement : statements) {
        std::vector<int> nodes;
        if (statement && statement->origin >= 0 && trace.graph)
            for (const driver::CallRecord& call : trace.calls)
                if (call.kernel == kernel && size_t(statement->origin) < call.origins.size())
                    for (int32_t id : trace.graph->spans->ids(call.origins[statement->origin]))
                        nodes.push_back(id);
        side.nodes.push_back(std::move(nodes));
    }
    side.nodes.resize(side.lines.size());
    return side;
}

/// Where the pass stands in the kernel's stages; -1 if it has none of that name.
int stageOf(const driver::KernelRecord& kernel, const std::string& pass) {
    for (size_t i = 0; i < kernel.stages.size(); ++i)
        if (kernel.stages[i].first == pass)
            return int(i);
    return -1;
}

} // namespace

int Comparison::differences() const {
    int count = 0;
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].kind != ComparedRow::Kind::Same && (i == 0 || rows[i - 1].kind == ComparedRow::Kind::Same))
            ++count;
    return count;
}

std::vector<ComparedRow> compareLines(const QStringList& before, const QStringList& after) {
    int lo = 0, hiA = int(before.size()), hiB = int(after.size());
    while (lo < hiA && lo < hiB && before[lo] == after[lo])
        ++lo;
    while (hiA > lo && hiB > lo && before[hiA - 1] == after[hiB - 1])
        --hiA, --hiB;

    using Kind = ComparedRow::Kind;
    std::vector<ComparedRow> rows;
    for (int i = 0; i < lo; ++i)
        rows.push_back({Kind::Same, i, i});
    int a = lo, b = lo;
    for (const auto& [x, y] : commonLines(before, after, lo, hiA, hiB)) {
        addDifferences(rows, a, x, b, y);
        rows.push_back({Kind::Same, x, y});
        a = x + 1, b = y + 1;
    }
    addDifferences(rows, a, hiA, b, hiB);
    for (int i = 0; hiA + i < int(before.size()); ++i)
        rows.push_back({Kind::Same, hiA + i, hiB + i});
    return rows;
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
    if (record.before || record.after) {
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
    comparison.rows = compareLines(before.lines, after.lines);
    comparison.before = std::move(before.lines);
    comparison.after = std::move(after.lines);
    comparison.nodesBefore = std::move(before.nodes);
    comparison.nodesAfter = std::move(after.nodes);
    return comparison;
}

} // namespace lathe::views::models
