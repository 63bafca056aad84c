// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/exporting/outcome_pages.h"

#include "views/exporting/open_folder.h"
#include "views/models/exporting/packing.h"
#include "views/models/text/counted.h"
#include "views/models/text/one_line.h"
#include "views/models/text/plain_tip.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

namespace lathe::views::exporting {

using models::ExportRequest;

namespace {

QString megabytes(double bytes) {
    return ExportPage::tr("%1 MB").arg(bytes / 1e6, 0, 'f', bytes < 1e5 ? 3 : 1);
}

/// A command that can be read and copied, and the button that does.
QPlainTextEdit* addCommand(QVBoxLayout* to, const QString& title) {
    auto command = new QPlainTextEdit;
    command->setObjectName("command");
    command->setReadOnly(true);
    command->setTabChangesFocus(true);
    command->setMaximumHeight(4 * command->fontMetrics().lineSpacing());
    command->setAccessibleName(title);
    auto label = new QLabel(title);
    label->setBuddy(command);
    auto copy = new QPushButton(ExportPage::tr("Cop&y"));
    copy->setObjectName("copy");
    QObject::connect(copy, &QPushButton::clicked, command,
                     [command] { QGuiApplication::clipboard()->setText(command->toPlainText()); });
    auto row = new QHBoxLayout;
    row->addWidget(command, 1);
    row->addWidget(copy);
    to->addWidget(label);
    to->addLayout(row);
    return command;
}

/// Each of packings(), for people.
QString textOfPacking(const QString& packing) {
    const std::pair<const char*, QString> texts[] = {
        {".tar.zst", ExportPage::tr("One file: .tar.zst, the smallest")},
        {".zip", ExportPage::tr("One file: .zip, for any system")},
        {".tar", ExportPage::tr("One file: .tar, not compressed")},
    };
    for (const auto& [ending, text] : texts)
        if (packing == QLatin1String(ending))
            return text;
    return ExportPage::tr("A folder");
}

QString textOf(const models::ExportEnd& end, const QString& device) {
    switch (verdictOf(end)) {
    case models::ExportVerdict::NotChecked:
        return ExportPage::tr("Made, and not checked.");
    case models::ExportVerdict::NotGood:
        return ExportPage::tr("✗ Made, and NOT good on %1.").arg(device);
    case models::ExportVerdict::Whole:
        return ExportPage::tr("✓ Whole. Nothing of it was run.");
    case models::ExportVerdict::Loads:
        return ExportPage::tr("✓ Whole, and loads on %1. Nothing says that it is right there.").arg(device);
    case models::ExportVerdict::RightInPart:
        return ExportPage::tr("✓ Whole, and right on %1: %2 of %3. Nothing says that the others are.")
            .arg(device)
            .arg(std::ranges::count(end.targets, QLatin1String("right"), &models::ExportedTarget::outcome))
            .arg(models::counted(end.targets.size(), "target", "targets"));
    case models::ExportVerdict::Right:
        break;
    }
    return ExportPage::tr("✓ Whole, and right on %1.").arg(device);
}

void showFraction(QProgressBar* bar, double fraction) {
    bar->setRange(0, 1000);
    bar->setValue(int(fraction * 1000));
}

} // namespace

SummaryPage::SummaryPage(const models::ExportChoices& choices, const ExportRequest& begin)
    : ExportPage(tr("Summary"),
                 tr("What will be written, and where. The model is compiled for it; nothing is on the disk yet.")),
      problemOfPlace_(choices.problemOfPlace), out_(new QLineEdit(begin.out)), packing_(new QComboBox),
      replace_(new QCheckBox(tr("&Replace the bundle that is there"))), files_(new QTreeWidget),
      known_(new QPlainTextEdit), progress_(new QProgressBar) {
    setCommitPage(true);
    setButtonText(QWizard::CommitButton, tr("&Export"));
    out_->setObjectName("out");
    packing_->setObjectName("packing");
    packing_->setAccessibleName(tr("How it is packed"));
    for (const QString& packing : models::packings())
        packing_->addItem(textOfPacking(packing), packing);
    const auto showPacking = [this] { packing_->setCurrentIndex(packing_->findData(models::packingOf(out_->text()))); };
    showPacking();
    replace_->setObjectName("replace");
    files_->setObjectName("files");
    files_->setAccessibleName(tr("Files of the bundle"));
    files_->setHeaderLabels({tr("File"), tr("Bytes"), tr("Kind")});
    files_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    files_->setRootIsDecorated(true);
    known_->setObjectName("remarks");
    known_->setAccessibleName(tr("What one should know"));
    known_->setReadOnly(true);
    known_->setTabChangesFocus(true);
    known_->setMaximumHeight(5 * known_->fontMetrics().lineSpacing());
    known_->hide();
    auto browse = new QPushButton(tr("Bro&wse…"));
    auto row = new QHBoxLayout;
    auto label = new QLabel(tr("&To"));
    label->setBuddy(out_);
    row->addWidget(label);
    row->addWidget(out_, 1);
    row->addWidget(packing_);
    row->addWidget(browse);
    layout_->addLayout(row);
    layout_->addWidget(replace_);
    layout_->addWidget(progress_);
    layout_->addWidget(files_, 1);
    layout_->addWidget(known_);
    command_ = addCommand(layout_, tr("The same by a command"));
    connect(browse, &QPushButton::clicked, this, [this] {
        const QFileInfo now(out_->text());
        if (const QString folder = QFileDialog::getExistingDirectory(this, tr("Export into"), now.absolutePath());
            !folder.isEmpty())
            out_->setText(folder + '/' + now.fileName());
    });
    const auto onEdit = [this] {
        changed();
        emit edited();
    };
    connect(out_, &QLineEdit::textChanged, this, showPacking);
    connect(out_, &QLineEdit::textChanged, this, onEdit);
    connect(packing_, &QComboBox::activated, this, [this, showPacking](int index) {
        out_->setText(models::withPacking(out_->text(), packing_->itemData(index).toString()));
        showPacking(); // without a path there is nothing to pack
    });
    connect(replace_, &QCheckBox::toggled, this, onEdit);
}

void SummaryPage::initializePage() {
    showPlan(std::nullopt);
    out_->selectAll(); // typing names another place
    emit edited();
    emit planWanted();
}

void SummaryPage::fill(ExportRequest& request) const {
    request.out = out_->text();
    request.replace = replace_->isChecked();
}

QString SummaryPage::problem() const {
    if (!failure_.isEmpty())
        return failure_;
    if (out_->text().isEmpty())
        return tr("Say where it goes.");
    if (const QString why = problemOfPlace_(out_->text(), replace_->isChecked()); !why.isEmpty())
        return why;
    return planned_ ? QString() : tr("It is being compiled.");
}

void SummaryPage::showPlan(const std::optional<models::ExportPlan>& plan) {
    planned_ = plan.has_value();
    failure_.clear();
    files_->clear();
    remarks_.clear();
    progress_->setVisible(!plan);
    progress_->setRange(0, 0);
    if (plan) {
        std::map<QString, QTreeWidgetItem*> folders;
        for (const models::ExportFile& file : plan->files) {
            const QString top = file.path.section('/', 0, 0);
            const QStringList texts{file.path, models::grouped(file.bytes), file.kind};
            QTreeWidgetItem* item = nullptr;
            if (top == file.path) {
                item = new QTreeWidgetItem(files_, texts);
            } else {
                QTreeWidgetItem*& folder = folders[top];
                if (!folder)
                    folder = new QTreeWidgetItem(files_, {top + '/'});
                item = new QTreeWidgetItem(folder, texts);
                folder->setData(1, Qt::UserRole, folder->data(1, Qt::UserRole).toLongLong() + file.bytes);
                folder->setText(1, models::grouped(folder->data(1, Qt::UserRole).toLongLong()));
                folder->setTextAlignment(1, Qt::AlignRight);
            }
            item->setTextAlignment(1, Qt::AlignRight);
        }
        remarks_ = plan->remarks;
    }
    showRemarks();
    changed();
}

void SummaryPage::showWarnings(const QStringList& warnings) {
    warnings_ = warnings;
    showRemarks();
}

void SummaryPage::showRemarks() {
    QStringList lines;
    for (const QString& remark : warnings_ + remarks_)
        lines << QStringLiteral("⚠ ") + remark;
    if (const QString text = lines.join('\n'); text != known_->toPlainText())
        known_->setPlainText(text);
    known_->setVisible(!lines.isEmpty());
}

void SummaryPage::showFailure(const QString& why) {
    failure_ = why;
    progress_->hide();
    changed();
}

void SummaryPage::showProgress(const QString& what, double fraction) {
    progress_->setFormat(what + QStringLiteral(" %p %"));
    showFraction(progress_, fraction);
}

void SummaryPage::showCommand(const QString& command) {
    command_->setPlainText(command);
}

WorkPage::WorkPage()
    : ExportPage(
          tr("Export"),
          tr("It is written beside its place and renamed when it is whole: cancelling until then leaves nothing. "
             "What is checked after that is there, and stays.")),
      progress_(new QProgressBar), what_(new QLabel), steps_(new QListWidget) {
    steps_->setObjectName("steps");
    steps_->setAccessibleName(tr("Steps"));
    what_->setTextFormat(Qt::PlainText);
    layout_->addWidget(what_);
    layout_->addWidget(progress_);
    layout_->addWidget(steps_, 1);
}

void WorkPage::initializePage() {
    ended_ = false;
    steps_->clear();
    progress_->setRange(0, 0);
    what_->setText(tr("Writing"));
    emit exportWanted();
}

void WorkPage::showProgress(const QString& what, double fraction) {
    what_->setText(what);
    showFraction(progress_, fraction);
}

void WorkPage::addStep(const models::ExportStep& step) {
    steps_->addItem(QStringLiteral("%1 %2: %3").arg(step.good ? "✓" : "✗", step.name, step.text));
    steps_->scrollToBottom();
}

ResultPage::ResultPage()
    : ExportPage(tr("Result"), tr("What was made, and what it does where it was run.")), verdict_(new QLabel),
      targets_(new QTableWidget(0, 2)), figures_(new QTableWidget(0, 3)) {
    verdict_->setObjectName("verdict");
    verdict_->setTextFormat(Qt::PlainText);
    verdict_->setWordWrap(true);
    verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    targets_->setObjectName("targets");
    targets_->setAccessibleName(tr("Targets"));
    targets_->horizontalHeader()->setStretchLastSection(true);
    figures_->setObjectName("figures");
    figures_->setAccessibleName(tr("Figures"));
    figures_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    for (QTableWidget* each : {targets_, figures_}) {
        each->verticalHeader()->hide();
        each->setTabKeyNavigation(false);
        each->setEditTriggers(QAbstractItemView::NoEditTriggers);
    }
    auto open = new QPushButton(tr("&Open the folder"));
    open->setObjectName("open");
    auto exports = new QPushButton(tr("&Compare with other exports…"));
    exports->setObjectName("exports");
    auto row = new QHBoxLayout;
    row->addWidget(open);
    row->addWidget(exports);
    row->addStretch();
    connect(open, &QPushButton::clicked, this, [this] { openFolder(out_); });
    connect(exports, &QPushButton::clicked, this, &ResultPage::exportsWanted);
    layout_->addWidget(verdict_);
    layout_->addWidget(targets_, 1);
    layout_->addWidget(figures_, 2);
    layout_->addLayout(row);
    command_ = addCommand(layout_, tr("The same again by a command"));
}

void ResultPage::show(const models::ExportEnd& end, const ExportRequest& request, const QString& command) {
    out_ = end.out;
    command_->setPlainText(command);
    const QString where = end.out.isEmpty()
                              ? QString()
                              : tr("%1, %2. Its id is %3.").arg(end.out, megabytes(double(end.bytes)), end.id.left(16));
    const QString device = request.device == ExportRequest().device
                               ? tr("this machine")
                               : models::oneLine(request.device, models::longestNameInText);
    const QString verdict = end.out.isEmpty() ? tr("✗ Nothing was written.") : textOf(end, device);
    verdict_->setText(QStringList{verdict, where, end.problems.join('\n')}.join('\n').trimmed());
    targets_->setVisible(!end.targets.isEmpty());
    targets_->setHorizontalHeaderLabels({tr("Target"), tr("On %1").arg(device)});
    targets_->setRowCount(int(end.targets.size()));
    for (int i = 0; i < targets_->rowCount(); ++i) {
        const QString outcome = textOf(end.targets[i]);
        for (const auto& [column, text] : {std::pair{0, end.targets[i].target}, {1, outcome}}) {
            auto item = new QTableWidgetItem(models::oneLine(text));
            item->setToolTip(models::plainTip(text));
            targets_->setItem(i, column, item);
        }
    }
    targets_->resizeColumnToContents(0);
    QStringList measured{tr("Measured")};
    if (end.targets.size() > 1 && !end.variant.isEmpty())
        measured << end.variant;
    if (end.threads > 0)
        measured << models::counted(end.threads, "thread", "threads");
    figures_->setHorizontalHeaderLabels({tr("Figure"), measured.join(QStringLiteral(", ")), tr("Limit")});
    struct Row {
        QString name, measured, limit;
    };
    const auto ms = [](double value) { return value > 0 ? tr("%1 ms").arg(models::msText(value)) : QString(); };
    const auto mb = [](double value) { return value > 0 ? tr("%1 MB").arg(value, 0, 'f', 1) : QString(); };
    const Row rows[] = {
        {tr("Load"), ms(end.loadMs), ms(request.loadMs)},
        {tr("First run"), ms(end.firstMs), {}},
        {tr("Median of a run"), ms(end.p50Ms), ms(request.p50Ms)},
        {tr("90 of 100 runs"), ms(end.p90Ms), {}},
        {tr("99 of 100 runs"), ms(end.p99Ms), ms(request.p99Ms)},
        {tr("Memory at the peak"), mb(double(end.residentBytes) / 1e6), mb(request.residentMb)},
        {tr("Size"), mb(double(end.bytes) / 1e6), mb(request.sizeMb)},
    };
    figures_->setRowCount(int(std::size(rows)));
    for (int i = 0; i < figures_->rowCount(); ++i)
        for (const auto& [column, text] : {std::pair{0, rows[i].name}, {1, rows[i].measured}, {2, rows[i].limit}})
            figures_->setItem(i, column, new QTableWidgetItem(text));
}

} // namespace lathe::views::exporting
