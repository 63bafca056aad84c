// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/comparison.h"

#include "relay/text.h"
#include "tir/text.h"

#include <algorithm>

namespace lathe::views::models {

namespace {

struct Side {
    std::vector<std::string> lines;
    std::vector<std::vector<int>> nodes;
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
        side.lines = driver::splitLines(print(*module, options));
    } else {
        const auto found = module->functions.find(function.toStdString());
        if (found == module->functions.end())
            return side;
        side.lines = driver::splitLines(print(*found->second, *module, found->first, options));
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
    side.lines = driver::splitLines(print(*function, options));
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

using Kind = driver::DiffRow::Kind;

/// A side's lines by row.
TintedText sideOf(const Comparison& comparison, bool before) {
    const QStringList& lines = before ? comparison.before : comparison.after;
    TintedText side;
    side.tints.reserve(comparison.rows.size());
    side.numbers.reserve(comparison.rows.size());
    for (const driver::DiffRow& row : comparison.rows) {
        const int line = before ? row.before : row.after;
        if (!side.numbers.empty())
            side.text += '\n';
        if (line >= 0)
            side.text += lines[line];
        side.numbers.push_back(line);
        side.tints.push_back(row.kind == Kind::Same      ? Tint::None
                             : line < 0                  ? Tint::Absent
                             : row.kind == Kind::Changed ? Tint::Changed
                             : before                    ? Tint::Removed
                                                         : Tint::Added);
    }
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

void Comparison::align() {
    left = sideOf(*this, true);
    right = sideOf(*this, false);
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
    comparison.rows = driver::diffLines(before.lines, after.lines);
    comparison.before = shown(before.lines);
    comparison.after = shown(after.lines);
    comparison.nodesBefore = std::move(before.nodes);
    comparison.nodesAfter = std::move(after.nodes);
    comparison.align();
    return comparison;
}

} // namespace lathe::views::models
