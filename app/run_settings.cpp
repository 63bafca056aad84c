// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_settings.h"

#include "codegen/target.h"
#include "inspect/machine_peaks.h"
#include "views/models/inputs/input_files_model.h"
#include "views/models/inputs/open_size_model.h"
#include "views/models/text/one_line.h"
#include "views/page/file_dialog.h"
#include "views/page/table.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>

namespace lathe::app {

using driver::NumericsLevel;

namespace {

constexpr int mostThreads = 1024;
constexpr int largestSeed = 1'000'000'000;

/// How many names of inputs or sizes the status bar has.
constexpr qsizetype mostNames = 3;

/// The first of them, and how many there are beside.
QString firstOf(const QStringList& names, const QString& separator) {
    if (names.size() <= mostNames)
        return names.join(separator);
    return QDialog::tr("%1 and %2 more")
        .arg(names.mid(0, mostNames).join(QStringLiteral(", ")))
        .arg(names.size() - mostNames);
}

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

QString nameOf(NumericsLevel level) {
    const std::string_view name = driver::toString(level);
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

/// Takes what was kept, where it can be read.
struct Reader {
    RunSettings& settings;
    std::vector<Diagnostic>* unread; // or null

    void target(const QString& text) const {
        if (const auto parsed = codegen::parseTarget(text.toStdString()))
            settings.target = text;
        else
            note(parsed.error(), settings.target);
    }
    void numerics(const QString& text) const {
        if (const auto level = driver::keptNumerics(text.toStdString()))
            settings.numerics = *level;
        else
            note(level.error(), nameOf(settings.numerics));
    }
    void json(const QJsonObject& object) const {
        for (auto entry = object.begin(); entry != object.end(); ++entry)
            if (!takes(entry.key(), entry.value()))
                refuse(entry.key(), entry.value());
    }
    void refuse(const QString& name, const QJsonValue& value) const {
        const QByteArray text = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
        note(error(views::models::oneLine(QStringLiteral("%1 %2").arg(name, QString::fromUtf8(text))).toStdString() +
                   " cannot be read"),
             QDialog::tr("the default"));
    }

private:
    static bool isCount(const QJsonValue& value, qint64 most) {
        const qint64 count = value.toInteger(-1); // also of what is no whole number
        return count >= 0 && count <= most;
    }
    /// False: it is of no name that is known, or of another kind than what has it.
    bool takes(const QString& name, const QJsonValue& value) const {
        if (name == "target" && value.isString())
            target(value.toString());
        else if (name == "numerics" && value.isString())
            numerics(value.toString());
        else if (name == "threads" && isCount(value, mostThreads))
            settings.threads = value.toInt();
        else if (name == "fix_sizes" && value.isBool())
            settings.fixSizes = value.toBool();
        else if (name == "seed" && isCount(value, largestSeed))
            settings.inputs.seed = uint64_t(value.toInteger());
        else if (name == "sizes" && value.isObject())
            sizes(value.toObject());
        else if (name == "input_files" && value.isObject())
            files(value.toObject());
        else
            return false;
        return true;
    }
    void sizes(const QJsonObject& object) const {
        for (auto size = object.begin(); size != object.end(); ++size)
            if (isCount(size.value(), views::models::OpenSizeModel::largest))
                settings.sizes[size.key()] = size.value().toInteger();
            else
                refuse(QStringLiteral("sizes of ") + size.key(), size.value());
    }
    void files(const QJsonObject& object) const {
        for (auto file = object.begin(); file != object.end(); ++file)
            if (const QString path = file.value().toString(); !path.isEmpty())
                settings.inputs.files.byName[file.key().toStdString()] = path.toStdString();
            else
                refuse(QStringLiteral("input_files of ") + file.key(), file.value());
    }
    void note(Diagnostic problem, const QString& instead) const {
        problem.severity = Severity::Warning;
        problem.what = QDialog::tr("of the settings that were kept: %1; %2 stands in its place")
                           .arg(QString::fromStdString(problem.what), instead)
                           .toStdString();
        if (unread)
            unread->push_back(std::move(problem));
    }
};

} // namespace

RunSettings RunSettings::kept(std::vector<Diagnostic>* unread) {
    const QSettings kept;
    RunSettings settings;
    const Reader read{settings, unread};
    if (kept.contains("run/target"))
        read.target(kept.value("run/target").toString());
    if (kept.contains("run/numerics"))
        read.numerics(kept.value("run/numerics").toString());
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
    for (const auto& [name, file] : inputs.files.byName)
        files[QString::fromStdString(name)] = QString::fromStdString(file);
    const QJsonObject json{{"target", target},     {"numerics", nameOf(numerics)}, {"threads", threads},
                           {"sizes", sizesByName}, {"fix_sizes", fixSizes},        {"seed", qint64(inputs.seed)},
                           {"input_files", files}};
    return QJsonDocument(json).toJson(QJsonDocument::Compact).toStdString();
}

RunSettings RunSettings::fromJson(const std::string& text, std::vector<Diagnostic>* unread) {
    RunSettings settings;
    if (text.empty())
        return settings;
    QJsonParseError failed;
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(text), &failed);
    const Reader read{settings, unread};
    if (json.isObject())
        read.json(json.object());
    else
        read.refuse(json.isNull() ? failed.errorString() : QDialog::tr("no JSON object"), QString::fromStdString(text));
    return settings;
}

driver::Options RunSettings::options(const model::ModelGraph& graph) const {
    driver::Options options;
    if (auto parsed = codegen::parseTarget(target.toStdString()))
        options.target = *std::move(parsed);
    options.bytesPerMultiplyAdd = inspect::measuredBalance(target.toStdString());
    options.threads = threads;
    options.numerics = numerics;
    if (fixSizes)
        options.shapes = views::models::shapesWith(graph, sizes);
    else if (!sizes.empty())
        options.shapesAtNeed = views::models::shapesWith(graph, sizes);
    options.inputsAtNeed = inputs.files;
    return options;
}

QString RunSettings::text(const model::ModelGraph* graph) const {
    QStringList parts{target, threads == 0   ? QDialog::tr("all threads")
                              : threads == 1 ? QDialog::tr("1 thread")
                                             : QDialog::tr("%1 threads").arg(threads)};
    if (numerics != NumericsLevel::Default)
        parts << QDialog::tr("%1 numerics").arg(nameOf(numerics));
    QStringList open;
    if (graph)
        for (const views::models::OpenSize& size : views::models::openSizesOf(*graph)) {
            const auto value = sizes.find(size.name);
            open << QStringLiteral("%1 %2%3")
                        .arg(size.name)
                        .arg(value == sizes.end() ? 1 : value->second)
                        .arg(fixSizes ? QDialog::tr(" (fixed)") : QString());
        }
    if (!open.isEmpty())
        parts << firstOf(open, QStringLiteral(", "));
    if (graph && !inputs.files.empty()) {
        QStringList names;
        for (const auto& [name, file] : inputs.files.byName)
            names << QString::fromStdString(name);
        parts << QDialog::tr("%1 from files").arg(firstOf(names, QStringLiteral(" and ")));
    }
    if (inputs.seed != 0)
        parts << QDialog::tr("seed %1").arg(inputs.seed);
    return parts.join(QStringLiteral(", "));
}

namespace {

/// Whether an input's sizes are known from a file alone.
bool hasUndeclared(const model::ModelGraph& graph) {
    return std::ranges::any_of(graph.graph->inputs, [](const model::Value& input) {
        return input.type.kind == model::ValueType::Kind::Tensor && !input.type.hasShape;
    });
}

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
    threads_->setRange(0, mostThreads);
    threads_->setSpecialValueText(tr("all"));
    threads_->setAccessibleName(tr("Threads"));
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
    std::vector<views::models::OpenSize> open =
        graph ? views::models::openSizesOf(*graph) : std::vector<views::models::OpenSize>();
    if (open.empty())
        all->addWidget(new QLabel(!graph ? tr("With a model open, its sizes are chosen here.")
                                  : hasUndeclared(*graph)
                                      ? tr("The model declares no shape of an input: a file for it says the sizes.")
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
        seed_->setValue(int(std::min<uint64_t>(shown.inputs.seed, largestSeed)));
        files_->show(names, shown.inputs.files.byName);
    };
    show(settings);
    check();
    connect(target_, &QComboBox::editTextChanged, this, &RunSettingsDialog::check);
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
    const QString problem = parsed ? files_->problem() : QString::fromStdString(toString(parsed.error()));
    problem_->setText(problem);
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

RunSettings RunSettingsDialog::settings() const {
    RunSettings settings = given_; // sizes of other models stay
    settings.target = target_->currentText();
    settings.numerics = NumericsLevel(numerics_->currentData().toInt());
    settings.threads = threads_->value();
    settings.fixSizes = fix_->isChecked();
    settings.inputs = {.seed = uint64_t(seed_->value()), .files = {.byName = files_->files()}};
    for (const auto& [name, size] : sizes_->values())
        settings.sizes[name] = size;
    return settings;
}

} // namespace lathe::app
