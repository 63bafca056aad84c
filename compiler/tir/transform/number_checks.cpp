// SPDX-License-Identifier: Apache-2.0
//
// See number_checks.h.
#include "tir/transform/number_checks.h"

#include "tir/structure.h"
#include "tir/visit.h"

namespace lathe::tir {
namespace {

class Numbering : public Mutator {
public:
    explicit Numbering(int first) : next_(first) {}
    using Mutator::mutate;
    Stmt mutate(const Stmt& stmt) override {
        if (stmt) {
            if (const Check* check = stmt->as<Check>()) {
                Check numbered = *check;
                numbered.ordinal = next_++;
                return makeStmt(std::move(numbered), stmt->origin);
            }
        }
        return descend(stmt);
    }

private:
    int next_;
};

} // namespace

PrimFuncPtr numberChecks(const PrimFuncPtr& function, int first) {
    return withBody(function, Numbering(first).mutate(function->body));
}

std::vector<CheckEntry> checksOf(const PrimFunc& function) {
    std::vector<CheckEntry> entries;
    visitStmts(function.body, [&](const Stmt& stmt) {
        if (const Check* check = stmt->as<Check>()) {
            LATHE_ASSERT(check->ordinal >= 0, "checks of " + function.name + " are not numbered");
            if (static_cast<size_t>(check->ordinal) >= entries.size())
                entries.resize(static_cast<size_t>(check->ordinal) + 1);
            entries[static_cast<size_t>(check->ordinal)] = {check->kind, stmt->origin, check->message};
        }
        return true;
    });
    return entries;
}

} // namespace lathe::tir
