// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/kernel_texts.h"

#include "driver/guarded.h"
#include "tir/text.h"

#include <QStringList>
#include <algorithm>

namespace lathe::views::models {

OriginText textOf(const tir::PrimFunc& function) {
    std::vector<const tir::StmtNode*> statements;
    tir::PrintOptions options;
    options.lines = &statements;
    OriginText result;
    result.text = QString::fromStdString(print(function, options));
    // A statement's further lines are its own: what a block reads, the end of a loop.
    std::vector<std::pair<qsizetype, int>> around; // indentation and origin, outermost first
    const QStringList lines = result.text.split('\n');
    for (size_t i = 0; i < statements.size() && qsizetype(i) < lines.size(); ++i) {
        const QString& line = lines[qsizetype(i)];
        const qsizetype indentation = std::ranges::find_if(line, [](QChar c) { return c != ' '; }) - line.begin();
        int origin = statements[i] ? statements[i]->origin : -1;
        while (!around.empty() && around.back().first >= indentation) {
            if (!statements[i] && around.back().first == indentation)
                origin = around.back().second;
            around.pop_back();
        }
        if (!statements[i] && origin < 0 && !around.empty())
            origin = around.back().second;
        around.emplace_back(indentation, origin);
        result.origins.push_back(origin);
    }
    return result;
}

namespace {

/// From "define" to "}", each line without what it refers to: ", !dbg !17", " #2".
OriginText llvmText(const driver::Listing& listing) {
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
        result.origins.push_back(size_t(i) < listing.irOrigins.size() ? listing.irOrigins[size_t(i)] : -1);
        inside = lines[i] != QLatin1String("}");
    }
    result.text = shown.join('\n');
    return result;
}

} // namespace

LoopTexts loopTexts(const driver::KernelRecord& kernel) {
    LoopTexts texts;
    const auto& stages = kernel.stages;
    if (stages.empty())
        return texts;
    const auto schedule = std::ranges::find(stages, "schedule", [](const auto& stage) { return stage.first; });
    texts.levels[size_t(KernelLevel::Computation)] = textOf(*stages.front().second);
    if (schedule != stages.end())
        texts.levels[size_t(KernelLevel::Schedule)] = textOf(*schedule->second);
    texts.levels[size_t(KernelLevel::Loops)] = textOf(*stages.back().second);
    const tir::PrimFunc& nest = schedule != stages.end() ? *schedule->second : *stages.front().second;
    texts.nest = std::make_shared<const lower::LoopCost>(lower::loopCosts(nest));
    return texts;
}

CodeTexts codeTexts(const driver::KernelRecord& kernel) {
    CodeTexts texts;
    const auto compiled = driver::guarded(kernel.listing);
    if (!compiled) {
        texts.problem = QString::fromStdString(toString(compiled.error()));
        return texts;
    }
    const driver::Listing& listing = *compiled;
    texts.llvm = llvmText(listing);
    QStringList lines;
    for (const driver::Instruction& instruction : listing.instructions) {
        const QString text = QString::fromStdString(instruction.text);
        lines << QStringLiteral("%1  %2").arg(instruction.address, 5, 16, QLatin1Char('0')).arg(text);
        texts.assembly.origins.push_back(instruction.stmt ? instruction.origin : -1);
        texts.loopInstructions += instruction.inLoop;
        texts.loopStack += instruction.inLoop && text.contains(QLatin1String("[rsp"));
    }
    texts.instructions = int(listing.instructions.size());
    texts.assembly.text = lines.join('\n');
    return texts;
}

} // namespace lathe::views::models
