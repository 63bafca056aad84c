// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/log/log_panel.h"

#include "views/models/text/colors.h"
#include "views/page/table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::views::log {

using models::LogLevel;
using models::LogModel;

namespace {

/// What is grave is seen before it is read.
class LevelDelegate : public RowDelegate {
public:
    using RowDelegate::RowDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        RowDelegate::initStyleOption(option, index);
        const models::Colors colors = models::colorsFor(option->palette);
        const auto level = LogLevel(index.data(LogModel::levelRole).toInt());
        if (level == LogLevel::Error)
            option->palette.setColor(QPalette::Text, colors.problem);
        else if (level == LogLevel::Detail)
            option->palette.setColor(QPalette::Text, colors.dimText);
        if (level <= LogLevel::Warning && index.column() == LogModel::Level)
            option->font.setBold(true);
    }
};

} // namespace

LogPanel::LogPanel(QWidget* parent)
    : QWidget(parent), lines_(new LogModel(this)), shown_(new models::LogFilter(this)), level_(new QComboBox),
      words_(new QLineEdit), table_(new QTableView), copy_(new QAction(tr("Cop&y the log"), this)),
      clear_(new QAction(tr("Clea&r the log"), this)) {
    shown_->setSourceModel(lines_);
    setUpTable(*table_, *shown_);
    table_->setItemDelegate(new LevelDelegate(table_));
    table_->setAlternatingRowColors(false);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setAccessibleName(tr("Log"));
    fitColumns();
    table_->addAction(clear_); // copying is every table's
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (const auto& [level, name] :
         {std::pair(LogLevel::Error, tr("Errors")), std::pair(LogLevel::Warning, tr("Errors and warnings")),
          std::pair(LogLevel::Note, tr("Notes too")), std::pair(LogLevel::Detail, tr("All"))})
        level_->addItem(name, int(level));
    level_->setAccessibleName(tr("Which lines are shown"));
    level_->setCurrentIndex(level_->findData(int(LogLevel::Note)));
    words_->setPlaceholderText(tr("Lines with these words"));
    words_->setAccessibleName(tr("Words of the lines that are shown"));
    words_->setClearButtonEnabled(true);
    auto label = new QLabel(tr("S&how"));
    label->setBuddy(level_);
    const auto button = [](QAction* action, const QString& text) {
        auto made = new QToolButton;
        made->setDefaultAction(action);
        made->setText(text);
        made->setAutoRaise(true);
        return made;
    };
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->addWidget(label);
    bar->addWidget(level_);
    bar->addWidget(words_, 1);
    bar->addWidget(button(copy_, tr("Copy")));
    bar->addWidget(button(clear_, tr("Clear")));
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar);
    all->addWidget(table_, 1);

    connect(level_, &QComboBox::currentIndexChanged, this, [this] {
        shown_->setLevel(LogLevel(level_->currentData().toInt()));
        table_->scrollToBottom();
    });
    connect(words_, &QLineEdit::textChanged, this, [this](const QString& words) {
        shown_->setWords(words);
        table_->scrollToBottom();
    });
    connect(copy_, &QAction::triggered, this, &LogPanel::copy);
    connect(clear_, &QAction::triggered, lines_, &LogModel::clear);
}

void LogPanel::fitColumns() {
    table_->setColumnWidth(LogModel::Time, fontMetrics().horizontalAdvance(QStringLiteral("00:00:00")) + 24);
    table_->setColumnWidth(LogModel::Level, fontMetrics().horizontalAdvance(nameOf(LogLevel::Warning)) + 40);
}

void LogPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange)
        fitColumns();
    QWidget::changeEvent(event);
}

void LogPanel::add(LogLevel level, const QString& text) {
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    lines_->add(QDateTime::currentDateTime(), level, text);
    if (atEnd)
        table_->scrollToBottom();
}

QString LogPanel::text() const {
    QString all;
    for (int row = 0; row < lines_->rowCount(); ++row)
        all += textOf(lines_->at(row)) + '\n';
    return all;
}

void LogPanel::copy() {
    QApplication::clipboard()->setText(tabbedText(*table_));
}

} // namespace lathe::views::log
