// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_settings.h"

#include "codegen/target.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
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

enum Column { Name, Size, Where, columns };

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
    const QJsonObject json{{"target", target},
                           {"numerics", nameOf(numerics)},
                           {"threads", threads},
                           {"sizes", sizesByName},
                           {"fix_sizes", fixSizes}};
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
    return parts.join(QStringLiteral(", "));
}

RunSettingsDialog::RunSettingsDialog(const RunSettings& settings, const model::ModelGraph* graph, QWidget* parent)
    : QDialog(parent), given_(settings), target_(new QComboBox), numerics_(new QComboBox), threads_(new QSpinBox),
      sizes_(new QTableWidget), fix_(new QCheckBox(tr("Compile for these sizes &alone"))), problem_(new QLabel),
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
    problem_->setWordWrap(true);
    auto form = new QFormLayout;
    form->addRow(tr("&Target:"), target_);
    form->addRow(tr("&Numerics:"), numerics_);
    form->addRow(tr("Th&reads:"), threads_);
    auto all = new QVBoxLayout(this);
    all->addLayout(form);
    if (open.empty())
        all->addWidget(new QLabel(graph ? tr("All sizes of this model are fixed.")
                                        : tr("With a model open, its sizes are chosen here.")),
                       1, Qt::AlignTop);
    all->addWidget(sizes_, 1);
    all->addWidget(fix_);
    sizes_->setVisible(!open.empty());
    fix_->setVisible(!open.empty());
    all->addWidget(problem_);
    all->addWidget(buttons_);
    resize(520, open.empty() ? 240 : 420);

    const auto show = [this](const RunSettings& shown) {
        target_->setCurrentText(shown.target);
        numerics_->setCurrentIndex(numerics_->findData(int(shown.numerics)));
        threads_->setValue(shown.threads);
        fix_->setChecked(shown.fixSizes);
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

void RunSettingsDialog::check() {
    const auto parsed = codegen::parseTarget(target_->currentText().toStdString());
    problem_->setText(parsed ? QString() : QString::fromStdString(toString(parsed.error())));
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(parsed.has_value());
}

RunSettings RunSettingsDialog::settings() const {
    RunSettings settings = given_; // sizes of other models stay
    settings.target = target_->currentText();
    settings.numerics = NumericsLevel(numerics_->currentData().toInt());
    settings.threads = threads_->value();
    settings.fixSizes = fix_->isChecked();
    for (int row = 0; row < sizes_->rowCount(); ++row)
        settings.sizes[sizes_->item(row, Name)->text()] =
            static_cast<QSpinBox*>(sizes_->cellWidget(row, Size))->value();
    return settings;
}

} // namespace lathe::app
