// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/loops/kernel_texts.h"

#include "base/guarded.h"
#include "tir/text.h"

#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

namespace {

void addLine(OriginText& text, const tir::StmtNode* stmt, const inspect::Statements& statements) {
    text.origins.push_back(stmt ? stmt->origin : -1);
    const auto known = statements.find(stmt);
    text.statements.push_back(known == statements.end() ? inspect::Statement() : known->second);
}

} // namespace

OriginText textOf(const tir::PrimFunc& function, const inspect::Statements& statements) {
    std::vector<const tir::StmtNode*> begins;
    tir::PrintOptions options;
    options.lines = &begins;
    OriginText result;
    result.text = QString::fromStdString(print(function, options));
    // A statement's further lines are its own: what a block reads, the end of a loop.
    std::vector<std::pair<qsizetype, const tir::StmtNode*>> around; // indentation and statement, outermost first
    const QStringList lines = result.text.split('\n');
    for (size_t i = 0; i < begins.size() && qsizetype(i) < lines.size(); ++i) {
        const QString& line = lines[qsizetype(i)];
        const qsizetype indentation = std::ranges::find_if(line, [](QChar c) { return c != ' '; }) - line.begin();
        const tir::StmtNode* stmt = begins[i];
        while (!around.empty() && around.back().first >= indentation) {
            if (!begins[i] && around.back().first == indentation)
                stmt = around.back().second;
            around.pop_back();
        }
        if (!stmt && !around.empty())
            stmt = around.back().second;
        around.emplace_back(indentation, stmt);
        addLine(result, stmt, statements);
    }
    return result;
}

namespace {

/// From "define" to "}", each line without what it refers to: ", !dbg !17", " #2".
OriginText llvmText(const driver::Listing& listing, const inspect::Statements& statements) {
    OriginText result;
    QStringList shown;
    bool inside = false;
    const QStringList lines = QString::fromStdString(listing.llvmIr).split('\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        inside = inside || lines[i].startsWith(QLatin1String("define "));
        if (!inside)
            continue;
        QString line = lines[i];
        if (const qsizetype metadata = line.indexOf(QLatin1String(", !")); metadata >= 0)
            line.truncate(metadata);
        if (line.endsWith('{')) // attributes and the subprogram
            line = line.left(line.lastIndexOf(')') + 1) + QLatin1String(" {");
        shown << line;
        addLine(result, size_t(i) < listing.irStatements.size() ? listing.irStatements[size_t(i)] : nullptr,
                statements);
        inside = lines[i] != QLatin1String("}");
    }
    result.text = shown.join('\n');
    return result;
}

/// Texts are worth having without.
inspect::KernelStatements knownStatements(const driver::KernelRecord& kernel) {
    const auto found = guarded([&]() -> Result<inspect::KernelStatements> { return inspect::statementsOf(kernel); });
    return found ? *found : inspect::KernelStatements();
}

} // namespace

LoopTexts loopTexts(const driver::KernelRecord& kernel) {
    LoopTexts texts;
    const auto& stages = kernel.stages;
    if (stages.empty())
        return texts;
    const auto schedule = std::ranges::find(stages, "schedule", [](const auto& stage) { return stage.first; });
    inspect::KernelStatements statements = knownStatements(kernel);
    texts.levels[size_t(KernelLevel::Computation)] = textOf(*stages.front().second, statements.computation);
    if (schedule != stages.end())
        texts.levels[size_t(KernelLevel::Schedule)] = textOf(*schedule->second, statements.schedule);
    texts.levels[size_t(KernelLevel::Loops)] = textOf(*stages.back().second, statements.lowered);
    texts.ofNest = std::move(statements.schedule); // a kernel without a schedule has its computation there
    return texts;
}

CodeTexts codeTexts(const driver::KernelRecord& kernel) {
    CodeTexts texts;
    const auto compiled = guarded(kernel.listing);
    if (!compiled) {
        texts.problem = QString::fromStdString(toString(compiled.error()));
        return texts;
    }
    const driver::Listing& listing = *compiled;
    const inspect::Statements statements = knownStatements(kernel).lowered;
    texts.llvm = llvmText(listing, statements);
    QStringList lines;
    for (const driver::Instruction& instruction : listing.instructions) {
        const QString text = QString::fromStdString(instruction.text);
        lines << QStringLiteral("%1  %2").arg(instruction.address, 5, 16, QLatin1Char('0')).arg(text);
        addLine(texts.assembly, instruction.stmt, statements);
        texts.loopInstructions += instruction.inLoop;
        texts.loopStack += instruction.inLoop && text.contains(QLatin1String("[rsp"));
    }
    texts.instructions = int(listing.instructions.size());
    texts.assembly.text = lines.join('\n');
    return texts;
}

} // namespace lathe::views::models
