// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph_choice_rows.h"

#include "frontend/frontend.h"
#include "views/models/inputs/open_sizes.h"
#include "views/models/text/one_line.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QFormLayout>
#include <QPlainTextEdit>
#include <QTextDocument>
#include <algorithm>

namespace lathe::app {

using project::GraphChoice;

namespace {

constexpr qsizetype longestListed = 60; // as it is shown
constexpr int linesShown = 2;

frontend::FileType typeOf(const model::ModelGraph* graph) {
    for (const frontend::FileType& type : frontend::fileTypes())
        if (graph && type.format == graph->format)
            return type;
    return {.format = {}, .patterns = {}, .canBeCut = false, .hasArguments = false};
}

} // namespace

GraphChoiceRows::GraphChoiceRows(const GraphChoice& given, const model::ModelGraph* graph, QFormLayout& form,
                                 QObject* parent)
    : QObject(parent), signature_(new QComboBox) {
    const frontend::FileType type = typeOf(graph);
    const auto add = [&](std::vector<std::string> GraphChoice::* words, const QString& label, const char* name,
                         const QString& tip,
                         bool isKnown) { addField(words, label, name, tip, isKnown || !(given.*words).empty(), form); };
    // Neither does a part say what its values are, where nobody knows.
    const bool leavesOpen = type.hasArguments || type.canBeCut;
    addSignatures(given, graph, form);
    add(&GraphChoice::inputs, tr("&Begins at:"), "cut inputs",
        tr("Values that a part of the model is given instead of computing them, one a line"), type.canBeCut);
    add(&GraphChoice::outputs, tr("En&ds at:"), "cut outputs", tr("Values that a part of the model gives, one a line"),
        type.canBeCut);
    add(&GraphChoice::shapes, tr("S&hapes:"), "shapes",
        tr("Of inputs, which the model does not declare, one a line: x=1,3,224,224; a name leaves a size open"),
        leavesOpen || (graph && views::models::hasUndeclaredShapes(*graph)));
    add(&GraphChoice::types, tr("Element t&ypes:"), "types",
        tr("Of inputs, which the model does not declare, one a line: ids=int64; those of TorchScript are float32 else"),
        leavesOpen);
    add(&GraphChoice::arguments, tr("Argu&ments:"), "arguments",
        tr("That are no tensors, one a line, as Python writes them: rate=16000, sizes=[1, 2]"), type.hasArguments);
    show(given);
}

/// The first one is none: what is usual. One that was given and the model has not can be taken back.
void GraphChoiceRows::addSignatures(const GraphChoice& given, const model::ModelGraph* graph, QFormLayout& form) {
    const std::vector<std::string> none;
    const std::vector<std::string>& all = graph ? graph->signatures : none;
    const QString chosen = QString::fromStdString(given.signature);
    signature_->addItem(tr("the usual one"), QString());
    for (const std::string& each : all)
        signature_->addItem(views::models::oneLine(QString::fromStdString(each), longestListed),
                            QString::fromStdString(each));
    if (signature_->findData(chosen) < 0)
        signature_->addItem(tr("%1 (not in the model)").arg(views::models::oneLine(chosen, longestListed)), chosen);
    signature_->setObjectName(QStringLiteral("signature"));
    signature_->setAccessibleName(tr("Signature"));
    signature_->setToolTip(tr("Which of the graphs that the model names is opened"));
    form.addRow(tr("S&ignature:"), signature_);
    if (all.size() < 2 && given.signature.empty())
        form.setRowVisible(signature_, false);
    connect(signature_, &QComboBox::currentIndexChanged, this, &GraphChoiceRows::changed);
}

void GraphChoiceRows::addField(std::vector<std::string> GraphChoice::* words, const QString& label, const char* name,
                               const QString& tip, bool isShown, QFormLayout& form) {
    auto lines = new QPlainTextEdit;
    lines->setTabChangesFocus(true);
    lines->setLineWrapMode(QPlainTextEdit::NoWrap);
    lines->setFixedHeight(linesShown * lines->fontMetrics().lineSpacing() +
                          2 * (int(lines->document()->documentMargin()) + lines->frameWidth()));
    lines->setObjectName(QLatin1String(name));
    lines->setAccessibleName(QString(label).remove('&').remove(':'));
    lines->setToolTip(tip);
    form.addRow(label, lines);
    if (!isShown)
        form.setRowVisible(lines, false);
    connect(lines, &QPlainTextEdit::textChanged, this, &GraphChoiceRows::changed);
    fields_.push_back({words, lines});
}

GraphChoice GraphChoiceRows::choice() const {
    GraphChoice choice;
    choice.signature = signature_->currentData().toString().toStdString();
    for (const Field& field : fields_)
        for (const QString& line : field.lines->toPlainText().split('\n'))
            if (const QString word = line.trimmed(); !word.isEmpty())
                (choice.*field.words).push_back(word.toStdString());
    return choice;
}

void GraphChoiceRows::show(const GraphChoice& choice) {
    signature_->setCurrentIndex(std::max(0, signature_->findData(QString::fromStdString(choice.signature))));
    for (const Field& field : fields_) {
        QStringList lines;
        for (const std::string& word : choice.*field.words)
            lines << QString::fromStdString(word);
        field.lines->setPlainText(lines.join('\n'));
    }
}

} // namespace lathe::app
