// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/loops/loops_page.h"

#include "views/models/counted.h"
#include "views/text/code_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

namespace lathe::views::loops {

using models::KernelLevel;

LoopsPage::LoopsPage(models::Selection* selection)
    : Page(QStringLiteral("loops"), tr("Loops")), selection_(selection), function_(new QComboBox), nodes_(new QLabel),
      code_(new QLabel) {
    function_->setAccessibleName(tr("Fused function, in the order of the calls"));
    function_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    function_->setMinimumContentsLength(32);
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
        auto title = new QLabel(levels[level].title);
        title->setContentsMargins(8, 4, 8, 4);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(0);
        views_[level] = new text::CodeView(levels[level].title);
        layout->addWidget(title);
        layout->addWidget(views_[level], 1);
        splitter->addWidget(column);
        column->setVisible(levels[level].shown);
        auto button = new QToolButton;
        button->setText(levels[level].title);
        button->setToolTip(levels[level].hint);
        button->setCheckable(true);
        button->setChecked(levels[level].shown);
        connect(button, &QToolButton::toggled, column, &QWidget::setVisible);
        bar->addWidget(button);
        connect(views_[level], &text::CodeView::originPicked, this,
                [this](int origin) { selection_->set({provenance_->nodesOf(call_, origin), call_, origin}); });
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
    all->addWidget(splitter, 1);
    all->addLayout(footer);

    connect(function_, &QComboBox::activated, this,
            [this](int call) { selection_->set({provenance_->nodesOf(call, -1), call}); });
    connect(selection_, &models::Selection::changed, this, &LoopsPage::follow);
    setProvenance(nullptr);
}

void LoopsPage::setProvenance(std::shared_ptr<const driver::Provenance> provenance) {
    provenance_ = std::move(provenance);
    call_ = kernel_ = asked_ = -1;
    function_->clear();
    const bool empty = !provenance_ || provenance_->trace().calls.empty();
    function_->setEnabled(!empty);
    code_->clear();
    nodes_->clear();
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
        const auto own = std::ranges::find(uses, call_, &driver::NodeUse::call);
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

void LoopsPage::ask() {
    if (!isVisible() || kernel_ < 0 || asked_ == kernel_)
        return;
    asked_ = kernel_;
    code_->clear();
    for (text::CodeView* view : views_)
        view->showMessage(tr("…"));
    const std::shared_ptr<const driver::Trace> trace(provenance_, &provenance_->trace());
    emit loopsWanted(trace, kernel_);
    emit codeWanted(trace, kernel_);
}

void LoopsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

void LoopsPage::setLoops(int kernel, const models::LoopTexts& texts) {
    if (kernel != kernel_)
        return;
    for (size_t level = 0; level < texts.size(); ++level) {
        if (texts[level].text.isEmpty())
            views_[level]->showMessage(tr("This kernel has no such text."));
        else
            views_[level]->setOriginText(texts[level]);
    }
    describe();
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

void LoopsPage::describe() {
    if (!provenance_ || call_ < 0)
        return;
    const models::Place& place = selection_->place();
    std::vector<int> origins;
    if (place.call == call_ && place.origin >= 0) {
        origins = provenance_->alike(call_, place.origin);
    } else {
        for (const int node : place.nodes)
            std::ranges::copy(provenance_->originsOf(call_, node), std::back_inserter(origins));
        // All that the call does is no part of it that could stand out.
        if (place.nodes == provenance_->nodesOf(call_, -1))
            origins.clear();
    }
    for (text::CodeView* view : views_)
        view->markOrigins(origins);
    QString text =
        place.call < 0 && !place.nodes.empty() ? models::whyNoLoops(*provenance_, place.nodes.front()) : QString();
    if (text.isEmpty())
        text = models::namesOf(*provenance_->trace().graph,
                               provenance_->nodesOf(call_, place.call == call_ ? place.origin : -1));
    nodes_->setText(text);
    nodes_->setToolTip(text);
}

QString LoopsPage::facts() const {
    return code_->text();
}

} // namespace lathe::views::loops
