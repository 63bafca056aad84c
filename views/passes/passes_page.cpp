// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/passes/passes_page.h"

#include "views/models/text/counted.h"
#include "views/page/elided_label.h"
#include "views/page/table.h"
#include "views/passes/pass_strip.h"
#include "views/passes/picture_view.h"
#include "views/text/comparison_view.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace lathe::views::passes {

PassesPage::PassesPage(models::Selection* selection)
    : Page(QStringLiteral("passes"), tr("Passes")), selection_(selection), passes_(new models::PassModel(this)) {
    QLayout* stripBar = makeStrip(); // before the table: it hears of the passes first
    makeTable();
    makeActions();
    auto splitter = new QSplitter;
    splitter->addWidget(makeList());
    splitter->addWidget(makeComparison());
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({470, 900});
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(stripBar);
    all->addWidget(strip_);
    all->addWidget(splitter, 1);

    connectLists();
    connectActions();
    connectViews();
    setProvenance(nullptr);
}

QLayout* PassesPage::makeStrip() {
    strip_ = new PassStrip(passes_);
    measure_ = new QComboBox;
    measure_->addItems(
        {tr("Time"), tr("Δ bindings, statements"), tr("Δ FLOPs"), tr("Δ bytes moved"), tr("Δ peak memory")});
    measure_->setAccessibleName(tr("Height of the bars"));
    measure_->setToolTip(tr("What the bars' heights are the square roots of"));
    caption_ = new ElidedLabel;
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 4);
    bar->setSpacing(8);
    bar->addWidget(measure_);
    bar->addWidget(caption_, 1);
    return bar;
}

void PassesPage::makeTable() {
    table_ = new QTableView;
    setUpTable(*table_, *passes_);
    table_->horizontalHeader()->setStretchLastSection(false); // the name stretches
    table_->setWordWrap(true);
    table_->horizontalHeader()->setSectionResizeMode(models::PassModel::Name, QHeaderView::Stretch);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAccessibleName(tr("Passes"));
}

void PassesPage::makeActions() {
    off_ = new QAction(tr("Switch &off"), this);
    off_->setCheckable(true);
    upTo_ = new QAction(tr("Run only up to &here"), this);
    all_ = new QAction(tr("Run &all passes"), this);
    next_ = new QAction(tr("&Next difference"), this);
    previous_ = new QAction(tr("Pre&vious difference"), this);
    for (QAction* each : {next_, previous_})
        each->setEnabled(false);
    asPicture_ = new QAction(tr("&Picture"), this);
    asPicture_->setCheckable(true);
    asPicture_->setToolTip(tr("The graph before and after the pass as pictures, instead of the text"));
    table_->addActions({off_, upTo_, all_});
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QWidget* PassesPage::makeList() {
    onlyChanged_ = new QCheckBox(tr("Only passes that &changed something"));
    summary_ = new ElidedLabel;
    auto list = new QWidget;
    auto layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->addWidget(onlyChanged_);
    layout->addLayout(bar);
    layout->addWidget(table_, 1);
    summary_->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(summary_);
    return list;
}

QWidget* PassesPage::makeComparison() {
    function_ = new QComboBox;
    function_->setAccessibleName(tr("Function or kernel"));
    function_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    function_->setMinimumContentsLength(12);
    auto label = new QLabel(tr("F&unction"));
    label->setBuddy(function_);
    auto asPicture = new QToolButton;
    asPicture->setDefaultAction(asPicture_);
    auto chooser = new QHBoxLayout;
    chooser->setContentsMargins(8, 6, 8, 2);
    chooser->setSpacing(8);
    chooser->addWidget(label);
    chooser->addWidget(function_, 1);
    chooser->addWidget(asPicture);
    view_ = new text::ComparisonView;
    picture_ = new PictureView;
    views_ = new QStackedWidget;
    views_->addWidget(view_);
    views_->addWidget(picture_);
    auto comparison = new QWidget;
    auto layout = new QVBoxLayout(comparison);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(chooser);
    layout->addWidget(views_, 1);
    return comparison;
}

void PassesPage::connectLists() {
    connect(onlyChanged_, &QCheckBox::toggled, this, [this](bool on) {
        passes_->setOnlyChanged(on);
        choosePass(pass_);
    });
    connect(measure_, &QComboBox::activated, this,
            [this](int measure) { strip_->setMeasure(PassStrip::Measure(measure)); });
    connect(strip_, &PassStrip::chosen, table_, &QTableView::selectRow);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &PassesPage::passChosen);
}

void PassesPage::connectActions() {
    connect(off_, &QAction::triggered, this, [this](bool off) {
        emit whatIfWanted(models::switchPass(passes_->at(table_->currentIndex().row()).name, off));
    });
    connect(upTo_, &QAction::triggered, this,
            [this] { emit whatIfWanted(models::runUpTo(passes_->lastOptional(table_->currentIndex().row()))); });
    connect(all_, &QAction::triggered, this, [this] { emit whatIfWanted(models::runUpTo({})); });
    const auto step = [this](bool forward) {
        asPicture_->isChecked() ? picture_->step(forward) : view_->step(forward);
    };
    connect(next_, &QAction::triggered, this, [step] { step(true); });
    connect(previous_, &QAction::triggered, this, [step] { step(false); });
    connect(asPicture_, &QAction::toggled, this, [this](bool on) {
        views_->setCurrentIndex(on ? 1 : 0);
        if (function_->count() > 0)
            ask();
    });
}

void PassesPage::connectViews() {
    connect(function_, &QComboBox::activated, this, &PassesPage::ask);
    connect(view_, &text::ComparisonView::nodesPicked, selection_, &models::Selection::set);
    connect(picture_, &PictureView::nodesPicked, selection_, &models::Selection::set);
    connect(picture_, &PictureView::arranged, this, &PassesPage::arranged);
    connect(selection_, &models::Selection::changed, this, &PassesPage::follow);
}

void PassesPage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    trace_ = provenance ? std::shared_ptr<const driver::Trace>(provenance, &provenance->trace()) : nullptr;
    pass_ = -1;
    figuresAsked_ = false;
    caption_->clear();
    passes_->show(trace_ ? models::passRows(*trace_) : std::vector<models::PassRow>());
    table_->resizeColumnsToContents();
    table_->horizontalHeader()->setSectionResizeMode(models::PassModel::Name, QHeaderView::Stretch);
    functions_.clear();
    function_->clear();
    allowWishes();
    if (!trace_ || trace_->passes.empty()) {
        summary_->clear();
        function_->setEnabled(false);
        return showMessage(tr("Compile the model (F5) to see what each pass makes of it."));
    }
    double ms = 0;
    int changed = 0;
    for (const driver::PassRecord& pass : trace_->passes) {
        ms += pass.ms;
        changed += pass.changed;
    }
    summary_->setText(tr("%1, %2 changed something, %3 s of work")
                          .arg(models::counted(qint64(trace_->passes.size()), "pass", "passes"))
                          .arg(changed)
                          .arg(ms / 1000, 0, 'f', 2));
    // What failed; else the first pass that changed a module.
    int best = 0;
    for (int row = passes_->rowCount() - 1; row >= 0; --row)
        if (passes_->at(row).changed && trace_->passes[passes_->at(row).index].before)
            best = row;
    for (int row = 0; row < passes_->rowCount(); ++row)
        if (passes_->at(row).failed)
            best = row;
    table_->selectRow(best);
    askForFigures();
}

void PassesPage::askForFigures() {
    if (!isVisible() || figuresAsked_ || !trace_ || trace_->passes.empty())
        return;
    figuresAsked_ = true;
    emit figuresWanted();
}

void PassesPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    askForFigures();
    for (QAction* each : {next_, previous_})
        each->setEnabled(true);
}

void PassesPage::hideEvent(QHideEvent* event) {
    Page::hideEvent(event);
    for (QAction* each : {next_, previous_})
        each->setEnabled(false);
}

bool PassesPage::isArranging() const {
    return picture_->isArranging();
}

void PassesPage::setFigures(const std::vector<inspect::PassFigures>& figures) {
    passes_->setFigures(figures);
    caption_->setText(strip_->textOf(strip_->current()));
}

std::vector<PageAction> PassesPage::pageActions() const {
    return {{"off", off_, {}},
            {"up_to", upTo_, {}},
            {"all", all_, {}},
            {"next", next_, {Qt::Key_F7}},
            {"previous", previous_, {Qt::SHIFT | Qt::Key_F7}},
            {"picture", asPicture_, {}}};
}

void PassesPage::allowWishes() {
    const QModelIndex current = table_->currentIndex();
    const models::PassRow* pass = current.isValid() ? &passes_->at(current.row()) : nullptr;
    off_->setEnabled(pass && !pass->required);
    off_->setChecked(pass && !pass->enabled);
    upTo_->setEnabled(pass && !passes_->lastOptional(current.row()).isEmpty());
    all_->setEnabled(trace_ != nullptr);
}

void PassesPage::choosePass(int pass) {
    for (int row = 0; row < passes_->rowCount(); ++row)
        if (passes_->at(row).index == pass)
            return table_->selectRow(row);
}

void PassesPage::choosePass(const QString& name) {
    for (size_t i = 0; trace_ && i < trace_->passes.size(); ++i)
        if (QString::fromStdString(trace_->passes[i].name) == name)
            return choosePass(int(i));
}

void PassesPage::follow() {
    view_->markNodes(selection_->nodes());
    picture_->markNodes(selection_->nodes());
    const int call = selection_->place().call;
    if (!trace_ || call < 0 || size_t(call) >= trace_->calls.size())
        return;
    const auto kernel = int(functions_.indexOf(QString::fromStdString(trace_->calls[size_t(call)].kernel)));
    if (kernel < 0 || kernel == function_->currentIndex())
        return;
    function_->setCurrentIndex(kernel);
    ask();
}

void PassesPage::passChosen() {
    const QModelIndex current = table_->currentIndex();
    strip_->setCurrent(current.row());
    caption_->setText(strip_->textOf(current.row()));
    allowWishes();
    if (!trace_ || !current.isValid())
        return;
    pass_ = passes_->at(current.row()).index;
    const QString wanted = functionAtHand();
    QStringList names = models::functionsOf(*trace_, pass_);
    if (names != functions_) { // thousands, and the same for most passes
        functions_ = std::move(names);
        QStringList titles = functions_;
        if (!titles.isEmpty() && titles.front().isEmpty())
            titles.front() = tr("(whole module)");
        function_->clear();
        function_->addItems(titles);
    }
    function_->setCurrentIndex(int(std::max<qsizetype>(0, functions_.indexOf(wanted))));
    function_->setEnabled(function_->count() > 1);
    ask();
}

QString PassesPage::functionAtHand() const {
    return functions_.value(function_->currentIndex());
}

void PassesPage::showMessage(const QString& text) {
    view_->showMessage(text);
    picture_->showMessage(text);
}

void PassesPage::ask() {
    if (function_->count() == 0)
        return showMessage(tr("This pass has no text to show."));
    if (asPicture_->isChecked())
        emit pictureWanted(pass_, functionAtHand());
    else
        emit comparisonWanted(pass_, functionAtHand());
}

void PassesPage::setPicture(int pass, const QString& function, models::PassPicturePtr picture) {
    if (pass != pass_ || function != functionAtHand())
        return;
    picture_->setPicture(std::move(picture));
    picture_->markNodes(selection_->nodes());
}

void PassesPage::setComparison(int pass, const QString& function, models::Comparison comparison) {
    if (pass != pass_ || function != functionAtHand())
        return;
    view_->setComparison(std::move(comparison));
    view_->markNodes(selection_->nodes());
}

} // namespace lathe::views::passes
