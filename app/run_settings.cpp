// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_settings.h"

#include "codegen/target.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

namespace lathe::app {

using driver::NumericsLevel;

namespace {

constexpr int mostThreads = 1024;
constexpr int largestSize = 1 << 24;
constexpr int largestSeed = 1'000'000'000;

enum Column { Name, Size, Where, columns };
/// Of the inputs, behind their names.
enum InputColumn { File = 1, Choose };

QString nameOf(NumericsLevel level) {
    const std::string_view name = driver::toString(level);
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

} // namespace

RunSettings RunSettings::kept() {
    const QSettings kept;
    RunSettings settings;
    settings.target = kept.value("run/target", settings.target).toString();
    if (!codegen::parseTarget(settings.target.toStdString()))
        settings.target = RunSettings().target;
    if (const auto level = driver::parseNumerics(kept.value("run/numerics").toString().toStdString()))
        settings.numerics = *level;
    settings.threads = std::clamp(kept.value("run/threads").toInt(), 0, mostThreads);
    return settings;
}

void RunSettings::keep() const {
    QSettings kept;
    kept.setValue("run/target", target);
    kept.setValue("run/numerics", nameOf(numerics));
    kept.setValue("run/threads", threads);
}

std::string RunSettings::toJson() const {
    QJsonObject sizesByName;
    for (const auto& [name, size] : sizes)
        sizesByName[name] = size;
    QJsonObject files;
    for (const auto& [name, file] : inputs.files)
        files[QString::fromStdString(name)] = QString::fromStdString(file);
    const QJsonObject json{{"target", target},     {"numerics", nameOf(numerics)}, {"threads", threads},
                           {"sizes", sizesByName}, {"fix_sizes", fixSizes},        {"seed", qint64(inputs.seed)},
                           {"input_files", files}};
    return QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString();
}

RunSettings RunSettings::fromJson(const std::string& text) {
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
    RunSettings settings;
    if (const QString target = json["target"].toString(); codegen::parseTarget(target.toStdString()))
        settings.target = target;
    if (const auto level = driver::parseNumerics(json["numerics"].toString().toStdString()))
        settings.numerics = *level;
    settings.threads = std::clamp(json["threads"].toInt(), 0, mostThreads);
    const QJsonObject sizes = json["sizes"].toObject();
    for (auto size = sizes.begin(); size != sizes.end(); ++size)
        settings.sizes[size.key()] = std::clamp(size.value().toInteger(1), qint64{1}, qint64{largestSize});
    settings.fixSizes = json["fix_sizes"].toBool();
    settings.inputs.seed = uint64_t(std::clamp(json["seed"].toInteger(), qint64{0}, qint64{largestSeed}));
    const QJsonObject files = json["input_files"].toObject();
    for (auto file = files.begin(); file != files.end(); ++file)
        if (const QString path = file.value().toString(); !path.isEmpty())
            settings.inputs.files[file.key().toStdString()] = path.toStdString();
    return settings;
}

driver::Options RunSettings::options(const model::ModelGraph& graph) const {
    driver::Options options;
    if (auto parsed = codegen::parseTarget(target.toStdString()))
        options.target = *std::move(parsed);
    options.threads = threads;
    options.numerics = numerics;
    if (fixSizes)
        options.shapes = views::models::shapesWith(graph, sizes);
    return options;
}

QString RunSettings::text(const model::ModelGraph* graph) const {
    QStringList parts{target, threads == 0   ? QDialog::tr("all threads")
                              : threads == 1 ? QDialog::tr("1 thread")
                                             : QDialog::tr("%1 threads").arg(threads)};
    if (numerics != NumericsLevel::Default)
        parts << QDialog::tr("%1 numerics").arg(nameOf(numerics));
    if (graph)
        for (const views::models::OpenSize& size : views::models::openSizesOf(*graph)) {
            const auto value = sizes.find(size.name);
            parts << QStringLiteral("%1 %2%3")
                         .arg(size.name)
                         .arg(value == sizes.end() ? 1 : value->second)
                         .arg(fixSizes ? QDialog::tr(" (fixed)") : QString());
        }
    if (graph && !inputs.files.empty()) {
        QStringList names;
        for (const auto& [name, file] : inputs.files)
            names << QString::fromStdString(name);
        parts << QDialog::tr("%1 from files").arg(names.join(QStringLiteral(" and ")));
    }
    if (inputs.seed != 0)
        parts << QDialog::tr("seed %1").arg(inputs.seed);
    return parts.join(QStringLiteral(", "));
}

RunSettingsDialog::RunSettingsDialog(const RunSettings& settings, const model::ModelGraph* graph, QWidget* parent)
    : QDialog(parent), given_(settings), target_(new QComboBox), numerics_(new QComboBox), threads_(new QSpinBox),
      sizes_(new QTableWidget), inputs_(new QTableWidget), seed_(new QSpinBox),
      fix_(new QCheckBox(tr("Compile for these sizes &alone"))), problem_(new QLabel),
      buttons_(
          new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults)) {
    setWindowTitle(tr("Compile and run settings"));
    target_->setEditable(true);
    target_->addItems({"native", "x86-64-v3", "x86-64-v4", "haswell", "skylake-avx512", "znver4"});
    target_->setAccessibleName(tr("Target"));
    target_->setToolTip(tr("native: this machine; a cpu; or TRIPLE:CPU:+FEATURE,-FEATURE"));
    for (const NumericsLevel level : {NumericsLevel::Strict, NumericsLevel::Default, NumericsLevel::Fast})
        numerics_->addItem(nameOf(level), int(level));
    numerics_->setAccessibleName(tr("Numerics"));
    numerics_->setToolTip(tr("How far sums and products of floats may be rewritten"));
    threads_->setRange(0, mostThreads);
    threads_->setSpecialValueText(tr("all"));
    threads_->setAccessibleName(tr("Threads"));
    const std::vector<views::models::OpenSize> open =
        graph ? views::models::openSizesOf(*graph) : std::vector<views::models::OpenSize>();
    sizes_->setColumnCount(columns);
    sizes_->setHorizontalHeaderLabels({tr("Open size"), tr("Runs with"), tr("Dims of inputs")});
    sizes_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    sizes_->horizontalHeader()->setStretchLastSection(true);
    sizes_->verticalHeader()->hide();
    sizes_->setAccessibleName(tr("Sizes that the model leaves open"));
    sizes_->setRowCount(int(open.size()));
    sizes_->setSelectionMode(QAbstractItemView::NoSelection);
    for (int row = 0; row < int(open.size()); ++row) {
        const auto fixedItem = [](const QString& text) {
            auto item = new QTableWidgetItem(text);
            item->setFlags(Qt::ItemIsEnabled);
            return item;
        };
        const QString& name = open[size_t(row)].name;
        auto box = new QSpinBox;
        box->setRange(0, largestSize);
        const auto value = settings.sizes.find(name);
        box->setValue(value == settings.sizes.end() ? 1 : int(value->second));
        box->setFrame(false);
        box->setAccessibleName(name);
        sizes_->setItem(row, Name, fixedItem(name));
        sizes_->setCellWidget(row, Size, box);
        sizes_->setItem(row, Where, fixedItem(open[size_t(row)].where.join(QStringLiteral(", "))));
    }
    fix_->setToolTip(tr("The compiled model takes no others, and may be faster"));
    problem_->setTextFormat(Qt::PlainText); // it shows names
    problem_->setWordWrap(true);
    auto form = new QFormLayout;
    form->addRow(tr("&Target:"), target_);
    form->addRow(tr("&Numerics:"), numerics_);
    form->addRow(tr("Th&reads:"), threads_);
    seed_->setRange(0, largestSeed);
    seed_->setAccessibleName(tr("Seed of random inputs"));
    form->addRow(tr("S&eed of random inputs:"), seed_);
    auto all = new QVBoxLayout(this);
    all->addLayout(form);
    if (open.empty())
        all->addWidget(new QLabel(graph ? tr("All sizes of this model are fixed.")
                                        : tr("With a model open, its sizes are chosen here.")),
                       1, Qt::AlignTop);
    all->addWidget(sizes_, 1);
    all->addWidget(fix_);
    all->addWidget(inputs_, 1);
    inputs_->setVisible(graph != nullptr);
    if (graph)
        addInputs(*graph);
    sizes_->setVisible(!open.empty());
    fix_->setVisible(!open.empty());
    all->addWidget(problem_);
    all->addWidget(buttons_);
    resize(560, !graph ? 260 : open.empty() ? 420 : 560);

    const auto show = [this](const RunSettings& shown) {
        target_->setCurrentText(shown.target);
        numerics_->setCurrentIndex(numerics_->findData(int(shown.numerics)));
        threads_->setValue(shown.threads);
        fix_->setChecked(shown.fixSizes);
        seed_->setValue(int(std::min<uint64_t>(shown.inputs.seed, largestSeed)));
        for (int row = 0; row < inputs_->rowCount(); ++row) {
            const auto file = shown.inputs.files.find(inputs_->item(row, Name)->text().toStdString());
            static_cast<QLineEdit*>(inputs_->cellWidget(row, File))
                ->setText(file == shown.inputs.files.end() ? QString() : QString::fromStdString(file->second));
        }
    };
    show(settings);
    check();
    connect(target_, &QComboBox::editTextChanged, this, &RunSettingsDialog::check);
    connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons_->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this, show] {
        show({});
        for (int row = 0; row < sizes_->rowCount(); ++row)
            static_cast<QSpinBox*>(sizes_->cellWidget(row, Size))->setValue(1);
    });
}

void RunSettingsDialog::addInputs(const model::ModelGraph& graph) {
    const std::vector<model::Value>& inputs = graph.graph->inputs;
    inputs_->setObjectName(QStringLiteral("inputs"));
    inputs_->setColumnCount(3);
    inputs_->setHorizontalHeaderLabels({tr("Input"), tr("File (.npy, .pb)"), QString()});
    inputs_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    inputs_->horizontalHeader()->setSectionResizeMode(File, QHeaderView::Stretch);
    inputs_->horizontalHeader()->setSectionResizeMode(Choose, QHeaderView::ResizeToContents);
    inputs_->verticalHeader()->hide();
    inputs_->setSelectionMode(QAbstractItemView::NoSelection);
    inputs_->setAccessibleName(tr("Inputs and the files that they come from"));
    inputs_->setRowCount(int(inputs.size()));
    for (int row = 0; row < int(inputs.size()); ++row) {
        const QString name = QString::fromStdString(inputs[size_t(row)].name);
        auto item = new QTableWidgetItem(name);
        item->setFlags(Qt::ItemIsEnabled);
        inputs_->setItem(row, Name, item);
        auto file = new QLineEdit;
        file->setPlaceholderText(tr("random"));
        file->setFrame(false);
        file->setAccessibleName(tr("File of %1").arg(name));
        connect(file, &QLineEdit::textChanged, this, &RunSettingsDialog::check);
        inputs_->setCellWidget(row, File, file);
        auto choose = new QPushButton(tr("Choose…"));
        choose->setAutoDefault(false);
        choose->setAccessibleName(tr("Choose a file for %1").arg(name));
        connect(choose, &QPushButton::clicked, this, [this, row] { chooseFile(row); });
        inputs_->setCellWidget(row, Choose, choose);
    }
}

void RunSettingsDialog::chooseFile(int row) {
    auto field = static_cast<QLineEdit*>(inputs_->cellWidget(row, File));
    const QString file =
        QFileDialog::getOpenFileName(this, tr("A file for %1").arg(inputs_->item(row, Name)->text()),
                                     QFileInfo(field->text()).path(), tr("Tensors (*.npy *.pb);;All files (*)"));
    if (!file.isEmpty())
        field->setText(file);
}

void RunSettingsDialog::check() {
    const auto parsed = codegen::parseTarget(target_->currentText().toStdString());
    QString problem = parsed ? QString() : QString::fromStdString(toString(parsed.error()));
    for (int row = 0; row < inputs_->rowCount() && problem.isEmpty(); ++row) // what is in them, a run says
        if (const QString file = static_cast<QLineEdit*>(inputs_->cellWidget(row, File))->text();
            !file.isEmpty() && !QFileInfo(file).isFile())
            problem = tr("Input %1: there is no file %2.").arg(inputs_->item(row, Name)->text(), file);
    problem_->setText(problem);
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

RunSettings RunSettingsDialog::settings() const {
    RunSettings settings = given_; // sizes of other models stay
    settings.target = target_->currentText();
    settings.numerics = NumericsLevel(numerics_->currentData().toInt());
    settings.threads = threads_->value();
    settings.fixSizes = fix_->isChecked();
    settings.inputs.seed = uint64_t(seed_->value());
    settings.inputs.files.clear();
    for (int row = 0; row < inputs_->rowCount(); ++row)
        if (const QString file = static_cast<QLineEdit*>(inputs_->cellWidget(row, File))->text(); !file.isEmpty())
            settings.inputs.files[inputs_->item(row, Name)->text().toStdString()] =
                QFileInfo(file).absoluteFilePath().toStdString();
    for (int row = 0; row < sizes_->rowCount(); ++row)
        settings.sizes[sizes_->item(row, Name)->text()] =
            static_cast<QSpinBox*>(sizes_->cellWidget(row, Size))->value();
    return settings;
}

} // namespace lathe::app
