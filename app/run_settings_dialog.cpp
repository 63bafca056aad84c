// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sizes and inputs are tables that are written into; what is wrong with a target or a file stands below them at once.
#include "app/run_settings_dialog.h"

#include "app/graph_choice_rows.h"
#include "codegen/target.h"
#include "views/models/inputs/input_files_model.h"
#include "views/models/inputs/open_size_model.h"
#include "views/page/file_dialog.h"
#include "views/page/table.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace lathe::app {

using driver::NumericsLevel;

namespace {

/// A table of which one column is written into: with a click, or by typing, whatever column was gone to.
void setUpEditing(QTableView& table, int column) {
    table.setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    QObject::connect(&table, &QTableView::clicked, &table,
                     [&table, column](const QModelIndex& at) { table.edit(at.siblingAtColumn(column)); });
    QObject::connect(table.selectionModel(), &QItemSelectionModel::currentChanged, &table,
                     [&table, column](const QModelIndex& now) {
                         if (now.isValid() && now.column() != column)
                             table.setCurrentIndex(now.siblingAtColumn(column));
                     });
    table.setToolTip(QDialog::tr("A click, or typing, changes it"));
}

/// A size is written with the wheel and the arrows too.
class SizeDelegate : public views::RowDelegate {
public:
    using RowDelegate::RowDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override {
        auto box = new QSpinBox(parent);
        box->setRange(0, int(views::models::OpenSizeModel::largest));
        box->setFrame(false);
        box->setAccessibleName(index.data(Qt::AccessibleTextRole).toString());
        return box;
    }
};

} // namespace

RunSettingsDialog::RunSettingsDialog(const RunSettings& settings, const model::ModelGraph* graph, QWidget* parent)
    : QDialog(parent), given_(settings), target_(new QComboBox), numerics_(new QComboBox), threads_(new QSpinBox),
      sizes_(new views::models::OpenSizeModel(this)), files_(new views::models::InputFilesModel(this)),
      seed_(new QSpinBox), fix_(new QCheckBox(tr("Compile for these sizes &alone"))), problem_(new QLabel),
      buttons_(
          new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults)) {
    setWindowTitle(tr("Compile and run settings"));
    target_->setEditable(true);
    target_->addItems({"native", "x86-64-v3", "x86-64-v4", "haswell", "skylake-avx512", "znver4"});
    target_->setAccessibleName(tr("Target"));
    target_->setToolTip(tr("native: this machine; a cpu; or TRIPLE:CPU:+FEATURE,-FEATURE"));
    for (const NumericsLevel level : {NumericsLevel::Strict, NumericsLevel::Default})
        numerics_->addItem(nameOf(level), int(level));
    numerics_->setAccessibleName(tr("Numerics"));
    numerics_->setToolTip(tr("How far sums and products of floats may be rewritten"));
    threads_->setRange(0, RunSettings::mostThreads);
    threads_->setSpecialValueText(tr("all"));
    threads_->setAccessibleName(tr("Threads"));
    fix_->setToolTip(tr("The compiled model takes no others, and may be faster"));
    problem_->setTextFormat(Qt::PlainText); // it shows names
    problem_->setWordWrap(true);
    auto form = new QFormLayout;
    form->addRow(tr("&Target:"), target_);
    form->addRow(tr("&Numerics:"), numerics_);
    form->addRow(tr("Th&reads:"), threads_);
    seed_->setRange(0, RunSettings::largestSeed);
    seed_->setAccessibleName(tr("Seed of random inputs"));
    form->addRow(tr("S&eed of random inputs:"), seed_);
    rows_ = new GraphChoiceRows(settings.graphChoice, graph, *form, this);
    auto all = new QVBoxLayout(this);
    all->addLayout(form);
    std::vector<views::models::OpenSize> open =
        graph ? views::models::openSizesOf(*graph) : std::vector<views::models::OpenSize>();
    if (open.empty())
        all->addWidget(new QLabel(!graph ? tr("With a model open, its sizes are chosen here.")
                                  : views::models::hasUndeclaredShapes(*graph)
                                      ? tr("The model declares no shape of an input: it stands above, or a file for it "
                                           "says the sizes.")
                                      : tr("All sizes of this model are fixed.")),
                       1, Qt::AlignTop);
    else
        addSizes(*all);
    resize(560, !graph ? 260 : open.empty() ? 420 : 560);
    sizes_->show(std::move(open), settings.sizes);
    fix_->setVisible(sizes_->rowCount() > 0);
    all->addWidget(fix_);
    if (graph)
        addInputs(*all);
    all->addWidget(problem_);
    all->addWidget(buttons_);

    std::vector<QString> names;
    if (graph)
        for (const model::Value& input : graph->graph->inputs)
            names.push_back(QString::fromStdString(input.name));
    const auto show = [this, names](const RunSettings& shown) {
        target_->setCurrentText(shown.target);
        numerics_->setCurrentIndex(numerics_->findData(int(shown.numerics)));
        threads_->setValue(shown.threads);
        fix_->setChecked(shown.fixSizes);
        seed_->setValue(int(std::min<uint64_t>(shown.inputs.seed, RunSettings::largestSeed)));
        files_->show(names, shown.inputs.files.byName);
        rows_->show(shown.graphChoice);
    };
    show(settings);
    check();
    connect(target_, &QComboBox::editTextChanged, this, &RunSettingsDialog::check);
    connect(rows_, &GraphChoiceRows::changed, this, &RunSettingsDialog::check);
    connect(files_, &QAbstractItemModel::dataChanged, this, &RunSettingsDialog::check);
    connect(files_, &QAbstractItemModel::modelReset, this, &RunSettingsDialog::check);
    connect(buttons_, &QDialogButtonBox::accepted, this, &RunSettingsDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons_->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this, show] {
        show({});
        for (int row = 0; row < sizes_->rowCount(); ++row)
            sizes_->setData(sizes_->index(row, views::models::OpenSizeModel::Size), 1, Qt::EditRole);
    });
}

bool RunSettingsDialog::isOfOtherGraph() const {
    return rows_->choice() != given_.graphChoice;
}

void RunSettingsDialog::addSizes(QVBoxLayout& to) {
    auto table = new QTableView;
    views::setUpTable(*table, *sizes_);
    table->setItemDelegate(new SizeDelegate(table));
    setUpEditing(*table, views::models::OpenSizeModel::Size);
    table->setAccessibleName(tr("Sizes that the model leaves open"));
    table->setObjectName(QStringLiteral("sizes"));
    to.addWidget(table, 1);
}

void RunSettingsDialog::addInputs(QVBoxLayout& to) {
    using views::models::InputFilesModel;
    auto inputs = new QTableView;
    views::setUpTable(*inputs, *files_);
    inputs->setObjectName(QStringLiteral("inputs"));
    setUpEditing(*inputs, InputFilesModel::File);
    inputs->horizontalHeader()->setSectionResizeMode(InputFilesModel::File, QHeaderView::Stretch);
    inputs->setTextElideMode(Qt::ElideMiddle);
    inputs->setAccessibleName(tr("Inputs and the files that they come from"));
    auto choose = new QPushButton(tr("&Choose a file…"));
    choose->setAutoDefault(false);
    auto folder = new QPushButton(tr("Choose a &folder…"));
    folder->setAutoDefault(false);
    folder->setToolTip(tr("With input_0.pb, input_1.pb and so on, in the model's order, for all inputs"));
    auto random = new QPushButton(tr("Dra&w at random"));
    random->setAutoDefault(false);
    for (QPushButton* button : {choose, random}) {
        button->setToolTip(tr("For the input that is chosen above"));
        button->setEnabled(false);
    }
    connect(inputs->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [choose, random](const QModelIndex& now) {
                choose->setEnabled(now.isValid());
                random->setEnabled(now.isValid());
            });
    connect(files_, &QAbstractItemModel::modelReset, this, [choose, random] { // nothing is current then
        choose->setEnabled(false);
        random->setEnabled(false);
    });
    connect(choose, &QPushButton::clicked, this, [this, inputs] { chooseFile(inputs->currentIndex().row()); });
    connect(random, &QPushButton::clicked, this, [this, inputs] { files_->setFile(inputs->currentIndex().row(), {}); });
    auto buttons = new QHBoxLayout;
    connect(folder, &QPushButton::clicked, this, &RunSettingsDialog::chooseFolder);
    buttons->addWidget(choose);
    buttons->addWidget(folder);
    buttons->addWidget(random);
    buttons->addStretch(1);
    to.addWidget(inputs, 1);
    to.addLayout(buttons);
}

void RunSettingsDialog::chooseFile(int row) {
    const QString file =
        views::askForFile(this, tr("A file for %1").arg(files_->name(row)), QFileInfo(files_->file(row)).path(),
                          tr("Tensors (*.npy *.npz *.pb);;All files (*)"));
    if (!file.isEmpty())
        files_->setFile(row, file);
}

void RunSettingsDialog::chooseFolder() {
    const QString folder = views::askForFolder(this, tr("A folder with input_0.pb and so on"));
    if (!folder.isEmpty())
        files_->setFolder(folder);
}

void RunSettingsDialog::accept() {
    buttons_->setFocus(); // what is being written counts
    if (buttons_->button(QDialogButtonBox::Ok)->isEnabled())
        QDialog::accept();
}

void RunSettingsDialog::check() {
    const auto parsed = codegen::parseTarget(target_->currentText().toStdString());
    driver::Options options;
    const auto asked = rows_->choice().addTo(options);
    const QString problem = !parsed            ? QString::fromStdString(toString(parsed.error()))
                            : !asked           ? QString::fromStdString(toString(asked.error()))
                            : isOfOtherGraph() ? QString()
                                               : files_->problem();
    for (auto* table : findChildren<QTableView*>())
        table->setEnabled(!isOfOtherGraph());
    problem_->setText(problem.isEmpty() && isOfOtherGraph()
                          ? tr("The sizes and inputs of another graph are chosen once it is open.")
                          : problem);
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

RunSettings RunSettingsDialog::settings() const {
    RunSettings settings = given_; // sizes of other models stay
    settings.target = target_->currentText();
    settings.numerics = NumericsLevel(numerics_->currentData().toInt());
    settings.threads = threads_->value();
    settings.fixSizes = fix_->isChecked();
    settings.inputs = {.seed = uint64_t(seed_->value()), .files = {.byName = files_->files()}};
    settings.graphChoice = rows_->choice();
    for (const auto& [name, size] : sizes_->values())
        settings.sizes[name] = size;
    return settings;
}

} // namespace lathe::app
