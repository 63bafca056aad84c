// SPDX-License-Identifier: GPL-3.0-or-later
//
// The language in which trials are chosen, by all views of them:
//   rows>8 verdict:crashed made:random us<30 ratio<95% -panel "did not end" is:best
// Terms with spaces between them must all hold, those with - before them must not. A name is a column, a question, or a
// question's name after its block (rows for b0.rows and b1.rows: one of them has to). Numbers are compared by < <= > >= = !=,
// answers of several numbers from the first one on; for texts : and = ask whether it is in them. What has no name is
// looked for in messages and in answers as they are written, b0.rows=6. Quotation marks keep spaces together; \" is one that does not.
#pragma once

#include "base/result.h"
#include "views/models/tuning/trial_set.h"

#include <QString>
#include <QStringList>

namespace lathe::views::models {

/// What a term says something about.
enum class TrialField {
    Words,
    Question,
    Id,
    Round,
    Us,
    Ratio,
    Low,
    High,
    Prior,
    Predicted,
    Seconds,
    Parent,
    Made,
    Verdict,
    Is
};

struct TrialTerm {
    enum class Sign { Less, LessEqual, Greater, GreaterEqual, Equal, Unequal, In } sign = Sign::In;
    TrialField field = TrialField::Words;
    bool negated = false;
    QString name; // Question: in small letters
    QString text; // In: in small letters
    double number = 0;
    std::vector<int64_t> answer;    // Question
    qsizetype from = 0, length = 0; // in the text of the filter
};

struct TrialFilter {
    std::vector<TrialTerm> terms; // none: all trials
};

inline constexpr size_t mostTerms = 100;

/// Fails with what is wrong and where; `trials` say which questions there are.
Result<TrialFilter> parseTrialFilter(const QString& text, const TrialSet& trials);

/// Whether trials hold, for many of them; of trials that may grow meanwhile. What texts and answers hold is found out once.
class TrialMatcher {
public:
    TrialMatcher(TrialFilter filter, const TrialSet& trials);
    bool matches(size_t row);

private:
    /// What a term says of all that occurs.
    struct Holding {
        std::vector<char> messages;             // Words: of each
        std::vector<std::vector<char>> answers; // Words, Question: of each question's answers
        std::vector<size_t> questions;          // those with an answer that holds
        unsigned values = 0;                    // Made, Verdict, Is: a bit of each that holds
    };
    void follow();
    bool holds(const TrialTerm& term, const Holding& holding, size_t row) const;

    TrialFilter filter_;
    const TrialSet& trials_;
    std::vector<Holding> holding_; // of each term
    size_t revision_ = 0;          // of the trials, when that was found out
};

/// The filter's text with all terms about this name replaced by others, which come last. None: they go. For a text that
/// cannot be read, what can be told apart of it.
QString withTerms(const QString& filter, const QString& name, const QStringList& terms);
/// A name or a text as it is written in a filter, in quotation marks where it needs them.
QString quoted(const QString& text);

} // namespace lathe::views::models
