// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page Loops: one call of a fused function at all its levels side by side, from what it computes to its machine code.
// Lines of one origin share a colour; a line that is picked is followed through all levels and to the model's nodes. Texts
// are made elsewhere: the page asks for a kernel's and shows what comes back, if it is still wanted, and asks only while it
// is seen.
#pragma once

#include "views/models/kernel_texts.h"
#include "views/models/node_names.h"
#include "views/models/selection.h"
#include "views/page/page.h"

#include <array>

class QComboBox;
class QLabel;
class QToolButton;

namespace lathe::views::text {
class CodeView;
}

namespace lathe::views::loops {

class LoopsPage : public Page {
    Q_OBJECT

public:
    explicit LoopsPage(models::Selection* selection);

    void setProvenance(std::shared_ptr<const driver::Provenance> provenance) override;
    void setLoops(int kernel, const models::LoopTexts& texts);
    void setCode(int kernel, const models::CodeTexts& texts);
    /// The call that is shown, in the Trace; -1: none.
    int call() const { return call_; }
    text::CodeView* view(models::KernelLevel level) const { return views_[size_t(level)]; }
    /// What stands below the texts.
    QString facts() const;

signals:
    /// Texts of the Trace's kernels.
    void loopsWanted(std::shared_ptr<const lathe::driver::Trace> trace, int kernel);
    void codeWanted(std::shared_ptr<const lathe::driver::Trace> trace, int kernel);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void showCall(int call);
    void ask();
    void follow();
    void describe();

    models::Selection* selection_;
    std::shared_ptr<const driver::Provenance> provenance_;
    QComboBox* function_;
    QLabel* nodes_; // of the line that is picked, else of the call
    QLabel* code_;  // of the machine code
    std::array<text::CodeView*, models::kernelLevels> views_{};
    int call_ = -1, kernel_ = -1;
    int asked_ = -1; // the kernel whose texts are there or on their way
};

} // namespace lathe::views::loops
