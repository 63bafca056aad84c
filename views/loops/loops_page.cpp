// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/loops/loops_page.h"

#include "views/models/text/counted.h"
#include "views/models/text/plain_tip.h"
#include "views/page/row_delegate.h"
#include "views/page/table.h"
#include "views/text/code_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

namespace lathe::views::loops {

using models::KernelLevel;

LoopsPage::LoopsPage(models::Selection* selection)
    : Page(QStringLiteral("loops"), tr("Loops")), selection_(selection), function_(new QComboBox), nodes_(new QLabel),
      code_(new QLabel), nest_(new models::LoopNestModel(this)), steps_(new models::ScheduleStepModel(this)),
      nestTree_(new QTreeView), stepTable_(new QTableView) {
    function_->setAccessibleName(tr("Fused function, in the order of the calls"));
    function_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    function_->setMinimumContentsLength(20);
    function_->setMaxVisibleItems(30);
    auto label = new QLabel(tr("F&unction"));
    label->setBuddy(function_);
    auto bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->setSpacing(8);
    bar->addWidget(label);
    bar->addWidget(function_, 1);

    const struct {
        QString title, hint;
        bool shown;
    } levels[models::kernelLevels] = {
        {tr("Computation"), tr("What the function computes, operator by operator"), true},
        {tr("Schedule"), tr("The computation in blocks, as the schedule arranged it"), false},
        {tr("Loops"), tr("The loops as they were compiled"), true},
        {tr("LLVM IR"), tr("After LLVM's passes"), false},
        {tr("Assembly"), tr("Addresses and instructions"), true},
    };
    auto splitter = new QSplitter;
    splitter->setChildrenCollapsible(false);
    for (size_t level = 0; level < views_.size(); ++level) {
        auto column = new QWidget;
        auto layout = new QVBoxLayout(column);
        auto title = titles_[level] = new QLabel(levels[level].title);
        title->setContentsMargins(8, 4, 8, 4);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
        views_[level] = new text::CodeView(levels[level].title);
        layout->addWidget(title);
        layout->addWidget(views_[level], 1);
        splitter->addWidget(column);
        column->setVisible(levels[level].shown);
        auto button = buttons_[level] = new QToolButton;
        button->setText(levels[level].title);
        button->setToolTip(levels[level].hint);
        button->setCheckable(true);
        button->setChecked(levels[level].shown);
        connect(button, &QToolButton::toggled, column, &QWidget::setVisible);
        bar->addWidget(button);
        connect(views_[level], &text::CodeView::originPicked, this, &LoopsPage::pick);
    }
    auto footer = new QHBoxLayout;
    footer->setContentsMargins(8, 4, 8, 6);
    nodes_->setTextFormat(Qt::PlainText);
    nodes_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    nodes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    footer->addWidget(nodes_, 1);
    footer->addWidget(code_);
    auto all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(bar);
    auto whole = new QSplitter(Qt::Vertical);
    whole->addWidget(splitter);
    whole->addWidget(makeTables());
    whole->setStretchFactor(0, 1);
    whole->setStretchFactor(1, 1); // else a low window takes it all from the texts
    whole->setSizes({500, 230});
    all->addWidget(whole, 1);
    all->addLayout(footer);

    connect(function_, &QComboBox::activated, this,
            [this](int call) { selection_->set({provenance_->nodesOf(call, -1), call}); });
    connect(selection_, &models::Selection::changed, this, &LoopsPage::follow);
    setProvenance(nullptr);
}

QWidget* LoopsPage::makeTables() {
    nestTree_->setModel(nest_);
    nestTree_->setUniformRowHeights(true);
    nestTree_->setItemDelegate(new RowDelegate(nestTree_));
    nestTree_->setAlternatingRowColors(true);
    nestTree_->setFrameShape(QFrame::NoFrame);
    nestTree_->header()->setStretchLastSection(false);
    nestTree_->header()->setDefaultSectionSize(120);
    nestTree_->setAccessibleName(tr("Loops, with what each costs"));
    setUpTable(*stepTable_, *steps_);
    stepTable_->verticalHeader()->setDefaultSectionSize(22);
    stepTable_->setAlternatingRowColors(false);
    stepTable_->setColumnWidth(models::ScheduleStepModel::Number, 44);
    stepTable_->setSelectionMode(QAbstractItemView::SingleSelection);
    stepTable_->setAccessibleName(tr("Steps of the schedule, and what was refused"));
    connect(nestTree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LoopsPage::pickLoop);
    connect(nestTree_, &QTreeView::clicked, this, &LoopsPage::pickLoop); // again the one that is current
    connect(stepTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid() && steps_->stepsAt(row.row()) >= 0)
                    emit stepWanted(trace(), kernel_, steps_->stepsAt(row.row()));
            });
    auto tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->addTab(nestTree_, tr("Loop nest"));
    tabs->addTab(stepTable_, tr("Schedule, step by step"));
    return tabs;
}

void LoopsPage::pick(int origin, const inspect::Statement& statement) {
    picked_ = {provenance_->nodesOf(call_, origin), call_, origin};
    statement_ = statement;
    if (selection_->place() == picked_)
        describe(); // another statement of the same operator
    else
        selection_->set(picked_);
}

void LoopsPage::pickLoop(const QModelIndex& row) {
    const tir::StmtNode* stmt = row.isValid() ? nest_->at(row).stmt : nullptr;
    if (!stmt || stmt->origin < 0)
        return;
    const auto known = ofNest_.find(stmt);
    pick(stmt->origin, known == ofNest_.end() ? inspect::Statement() : known->second);
}

void LoopsPage::setProvenance(std::shared_ptr<const inspect::Provenance> provenance) {
    provenance_ = std::move(provenance);
    call_ = kernel_ = asked_ = nestAsked_ = -1;
    shapes_.clear();
    picked_ = {};
    statement_ = {};
    ofNest_.clear();
    function_->clear();
    const bool empty = !provenance_ || provenance_->trace().calls.empty();
    function_->setEnabled(!empty);
    code_->clear();
    nodes_->clear();
    nest_->show(nullptr);
    steps_->show(nullptr);
    for (text::CodeView* view : views_)
        view->showMessage(empty ? tr("Compile the model (F5) to see its loops.") : QString());
    if (empty)
        return;
    for (const driver::CallRecord& call : provenance_->trace().calls)
        function_->addItem(QString::fromStdString(call.function));
    follow();
    if (call_ < 0)
        showCall(0);
}

void LoopsPage::follow() {
    if (!provenance_ || function_->count() == 0)
        return;
    const models::Place& place = selection_->place();
    int call = place.call;
    if (call < 0 && !place.nodes.empty()) { // the call at hand, if it computes the node, else the first that does
        const auto uses = provenance_->usesOf(place.nodes.front());
        const auto own = std::ranges::find(uses, call_, &inspect::NodeUse::call);
        call = own != uses.end() ? own->call : uses.empty() ? -1 : uses.front().call;
    }
    if (call >= 0 && call < function_->count())
        showCall(call);
    describe();
}

void LoopsPage::showCall(int call) {
    if (call != call_) {
        call_ = call;
        kernel_ = provenance_->kernelOf(call);
        function_->setCurrentIndex(call);
    }
    ask();
    describe();
}

void LoopsPage::setProfile(const inspect::Profile& profile) {
    shapes_ = profile.shapes;
    nestAsked_ = -1;
    askNest();
}

void LoopsPage::askNest() {
    if (!isVisible() || call_ < 0 || nestAsked_ == call_)
        return;
    if (kernel_ != asked_) // of the call before; else its loops are these, and stay until their costs are there
        nest_->show(nullptr);
    nestAsked_ = call_;
    emit nestWanted(trace(), call_, shapes_);
}

void LoopsPage::ask() {
    askNest();
    if (!isVisible() || kernel_ < 0 || asked_ == kernel_)
        return;
    asked_ = kernel_;
    code_->clear();
    for (text::CodeView* view : views_)
        view->showMessage(tr("…"));
    steps_->show(&record());
    titles_[size_t(KernelLevel::Schedule)]->setText(tr("Schedule"));
    emit loopsWanted(trace(), kernel_);
    emit codeWanted(trace(), kernel_);
}

void LoopsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

void LoopsPage::setLoops(int kernel, const models::LoopTexts& texts) {
    if (kernel != kernel_)
        return;
    for (size_t level = 0; level < texts.levels.size(); ++level) {
        if (texts.levels[level].text.isEmpty())
            views_[level]->showMessage(tr("This kernel has no such text."));
        else
            views_[level]->setOriginText(texts.levels[level]);
    }
    ofNest_ = texts.ofNest;
    describe();
}

void LoopsPage::setNest(int call, std::shared_ptr<const lower::LoopCost> nest) {
    if (call != call_)
        return;
    nest_->show(std::move(nest));
    nestTree_->expandAll();
    nestTree_->resizeColumnToContents(models::LoopNestModel::Name);
    nestTree_->setColumnWidth(models::LoopNestModel::Name, std::max(260, nestTree_->columnWidth(0)));
    { // else the focus makes the first row current, as if somebody had picked it
        const QSignalBlocker quiet(nestTree_->selectionModel());
        nestTree_->selectionModel()->setCurrentIndex(nest_->index(0, 0), QItemSelectionModel::NoUpdate);
    }
}

void LoopsPage::setCode(int kernel, const models::CodeTexts& texts) {
    if (kernel != kernel_)
        return;
    text::CodeView *llvm = view(KernelLevel::Llvm), *assembly = view(KernelLevel::Assembly);
    if (!texts.problem.isEmpty()) {
        for (text::CodeView* each : {llvm, assembly})
            each->showMessage(texts.problem);
        return;
    }
    llvm->setOriginText(texts.llvm);
    assembly->setOriginText(texts.assembly);
    code_->setText(tr("%1, %2 in loops, %3 of these go to the stack")
                       .arg(models::counted(texts.instructions, "instruction", "instructions"))
                       .arg(models::grouped(texts.loopInstructions))
                       .arg(texts.loopStack ? models::grouped(texts.loopStack) : tr("none")));
    describe();
}

void LoopsPage::setStep(int kernel, int steps, const models::OriginText& text) {
    if (kernel != kernel_)
        return;
    const auto level = size_t(KernelLevel::Schedule);
    buttons_[level]->setChecked(true);
    titles_[level]->setText(tr("Schedule after step %1 of %2").arg(steps).arg(record().schedule.trace.steps.size()));
    views_[level]->setOriginText(text);
    describe();
}

void LoopsPage::describe() {
    if (!provenance_ || call_ < 0)
        return;
    const models::Place& place = selection_->place();
    std::vector<int> origins;
    if (place.call == call_ && place.origin >= 0)
        origins = provenance_->alike(call_, place.origin);
    else if (place.call != call_ && place.nodes != provenance_->nodesOf(call_, -1)) // all of it is no part to stand out
        for (const int node : place.nodes)
            std::ranges::copy(provenance_->originsOf(call_, node), std::back_inserter(origins));
    for (text::CodeView* view : views_)
        view->markOrigins(origins, place == picked_ && place.call >= 0 ? statement_ : inspect::Statement());
    QString text =
        place.call < 0 && !place.nodes.empty() ? models::whyNoLoops(*provenance_, place.nodes.front()) : QString();
    if (text.isEmpty())
        text = models::namesOf(*provenance_->trace().graph,
                               provenance_->nodesOf(call_, place.call == call_ ? place.origin : -1));
    nodes_->setText(text);
    nodes_->setToolTip(models::plainTip(text));
}

QString LoopsPage::facts() const {
    return code_->text();
}

} // namespace lathe::views::loops
