// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tuning/trial_filter.h"

#include "views/models/tuning/trial_model.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::views::models {
namespace {

using Sign = TrialTerm::Sign;

struct NamedField {
    const char* name;
    TrialField field;
    bool isText;
};
constexpr std::array fields = {
    NamedField{"id", TrialField::Id, false},
    NamedField{"parent", TrialField::Parent, false},
    NamedField{"round", TrialField::Round, false},
    NamedField{"us", TrialField::Us, false},
    NamedField{"ratio", TrialField::Ratio, false},
    NamedField{"low", TrialField::Low, false},
    NamedField{"high", TrialField::High, false},
    NamedField{"prior", TrialField::Prior, false},
    NamedField{"predicted", TrialField::Predicted, false},
    NamedField{"seconds", TrialField::Seconds, false},
    NamedField{"made", TrialField::Made, true},
    NamedField{"verdict", TrialField::Verdict, true},
    NamedField{"is", TrialField::Is, true},
};

struct Text {
    Q_DECLARE_TR_FUNCTIONS(TrialFilter)
};

Failure wrong(const QString& what) {
    return failure(ErrorKind::Usage, what.toStdString());
}

/// A term as it stands there: [-] name sign value, or [-] words.
struct Piece {
    QString name, sign, value;
    bool negated = false;
    bool isOpen = false; // a quotation mark has no other one
    qsizetype from = 0, length = 0;
};

constexpr qsizetype longestShown = 40;
QString shown(const QString& text) {
    return text.size() > longestShown ? text.left(longestShown) + QStringLiteral("…") : text;
}

bool isSign(QChar c) {
    return c == '<' || c == '>' || c == '=' || c == '!' || c == ':';
}

/// Up to a space or, if `untilSign`, a sign; what stands in quotation marks is taken as it is.
QString word(const QString& text, qsizetype& at, bool untilSign, bool& isOpen) {
    QString result;
    bool isQuoted = false;
    for (; at < text.size(); ++at) {
        const QChar c = text[at];
        if (c == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\')) {
            result += text[++at];
            continue;
        }
        if (c == '"') {
            isQuoted = !isQuoted;
            continue;
        }
        if (!isQuoted && (c.isSpace() || (untilSign && isSign(c))))
            break;
        result += c;
    }
    isOpen = isOpen || isQuoted;
    return result;
}

std::vector<Piece> piecesOf(const QString& text) {
    std::vector<Piece> pieces;
    for (qsizetype at = 0; at < text.size();) {
        if (text[at].isSpace()) {
            ++at;
            continue;
        }
        Piece piece;
        piece.from = at;
        if (text[at] == '-' && at + 1 < text.size() && !text[at + 1].isSpace()) {
            piece.negated = true;
            ++at;
        }
        piece.name = word(text, at, true, piece.isOpen);
        while (at < text.size() && isSign(text[at]) && piece.sign.size() < 2)
            piece.sign += text[at++];
        if (piece.sign.size() == 2 &&
            piece.sign[1] != '=') { // "us<-1" has one sign, "a:>" is a value that begins with one
            piece.sign.chop(1);
            --at;
        }
        if (piece.sign.isEmpty())
            std::swap(piece.name, piece.value);
        else
            piece.value = word(text, at, false, piece.isOpen);
        piece.length = at - piece.from;
        pieces.push_back(piece);
    }
    return pieces;
}

std::optional<Sign> signOf(const QString& sign) {
    const std::pair<const char*, Sign> signs[] = {
        {"<", Sign::Less},  {"<=", Sign::LessEqual}, {">", Sign::Greater}, {">=", Sign::GreaterEqual},
        {"=", Sign::Equal}, {"!=", Sign::Unequal},   {":", Sign::In}};
    for (const auto& [text, value] : signs)
        if (sign == QLatin1String(text))
            return value;
    return std::nullopt;
}

std::optional<double> numberOf(QString text) {
    const bool isShare = text.endsWith('%');
    if (isShare)
        text.chop(1);
    bool good = false;
    const double number = text.toDouble(&good);
    return good && std::isfinite(number) ? std::optional(isShare ? number / 100 : number) : std::nullopt;
}

std::optional<std::vector<int64_t>> answerOf(const QString& text) {
    std::vector<int64_t> answer;
    for (const QString& part : text.split(',')) {
        bool good = false;
        answer.push_back(part.toLongLong(&good));
        if (!good)
            return std::nullopt;
    }
    return answer;
}

/// The whole name, or what stands after its block.
bool isCalled(const std::string& question, const QString& name) {
    const QString whole = QString::fromStdString(question).toLower();
    return whole == name ||
           (whole.endsWith(name) && whole.size() > name.size() && whole[whole.size() - name.size() - 1] == '.');
}

QStringList namesOf(const TrialSet& trials) {
    constexpr qsizetype most = 40;
    QStringList names;
    for (const NamedField& field : fields)
        names << QLatin1String(field.name);
    for (const TrialSet::Question& question : trials.questions())
        if (names.size() < most)
            names << shown(QString::fromStdString(question.name));
    return names;
}

enum class Is { Best, Accepted, Timed, Failed };

/// What a field of texts may be, in the order of its values.
QStringList textsOf(TrialField field) {
    QStringList texts;
    if (field == TrialField::Is) // as Is has them
        return {QStringLiteral("best"), QStringLiteral("accepted"), QStringLiteral("timed"), QStringLiteral("failed")};
    if (field == TrialField::Made)
        for (int i = 0; i <= int(tune::Made::Recorded); ++i)
            texts << QLatin1String(toString(tune::Made(i)));
    if (field == TrialField::Verdict)
        for (int i = 0; i <= int(tune::Verdict::Measured); ++i)
            texts << verdictText(tune::Verdict(i));
    return texts;
}

Result<TrialTerm> termOf(const Piece& piece, const TrialSet& trials) {
    TrialTerm term;
    term.negated = piece.negated;
    term.from = piece.from;
    term.length = piece.length;
    if (piece.isOpen)
        return wrong(Text::tr("The quotation mark before “%1” has no other one.").arg(shown(piece.value)));
    if (piece.sign.isEmpty()) {
        term.text = piece.value.toLower();
        if (term.text.isEmpty())
            return wrong(Text::tr("There is nothing between the quotation marks."));
        return term;
    }
    const auto sign = signOf(piece.sign);
    if (!sign)
        return wrong(Text::tr("“%1” is no comparison: there are < <= > >= = != and :").arg(piece.sign));
    term.sign = *sign;
    term.name = piece.name.toLower();
    const QString written = shown(piece.name) + piece.sign;
    if (piece.name.isEmpty())
        return wrong(Text::tr("Before “%1” a name is missing.").arg(shown(piece.sign + piece.value)));
    const auto field =
        std::ranges::find_if(fields, [&](const NamedField& each) { return term.name == QLatin1String(each.name); });
    const bool isQuestion = std::ranges::any_of(
        trials.questions(), [&](const TrialSet::Question& question) { return isCalled(question.name, term.name); });
    if (field == fields.end() && !isQuestion)
        return wrong(Text::tr("Nothing is called “%1”. There are: %2.")
                         .arg(shown(piece.name), namesOf(trials).join(QStringLiteral(", "))));
    if (piece.value.isEmpty())
        return wrong(Text::tr("After “%1” something is missing.").arg(written));
    if (field == fields.end()) {
        const auto answer = answerOf(piece.value);
        if (!answer)
            return wrong(
                Text::tr("After “%1” a whole number has to stand, or several with commas between them; not “%2”.")
                    .arg(written, shown(piece.value)));
        term.field = TrialField::Question;
        term.answer = *answer;
        term.sign = term.sign == Sign::In ? Sign::Equal : term.sign;
        return term;
    }
    term.field = field->field;
    if (!field->isText) {
        const auto number = numberOf(piece.value);
        if (!number)
            return wrong(Text::tr("After “%1” a number has to stand, not “%2”.").arg(written, shown(piece.value)));
        term.number = *number;
        term.sign = term.sign == Sign::In ? Sign::Equal : term.sign;
        return term;
    }
    if (term.sign != Sign::In && term.sign != Sign::Equal && term.sign != Sign::Unequal)
        return wrong(Text::tr("“%1” is a text: ask for a part of it by “%1:”.").arg(shown(piece.name)));
    term.negated = term.negated != (term.sign == Sign::Unequal);
    term.sign = Sign::In;
    term.text = piece.value.toLower();
    const QStringList texts = textsOf(term.field);
    if (std::ranges::none_of(texts, [&](const QString& text) { return text.contains(term.text); }))
        return wrong(Text::tr("“%1” is none of: %2.").arg(shown(piece.value), texts.join(QStringLiteral(", "))));
    return term;
}

template <class T>
bool compare(Sign sign, const T& value, const T& with) {
    switch (sign) {
    case Sign::Less:
        return value < with;
    case Sign::LessEqual:
        return value <= with;
    case Sign::Greater:
        return value > with;
    case Sign::GreaterEqual:
        return value >= with;
    case Sign::Unequal:
        return value != with;
    case Sign::Equal:
    case Sign::In:
        break;
    }
    return value == with;
}

double numberOf(TrialField field, const TrialRow& row, size_t at) {
    switch (field) {
    case TrialField::Id:
        return double(at);
    case TrialField::Parent:
        return row.parent < 0 ? unknown : row.parent;
    case TrialField::Round:
        return row.round;
    case TrialField::Us:
        return row.us;
    case TrialField::Ratio:
        return row.ratio;
    case TrialField::Low:
        return row.low;
    case TrialField::High:
        return row.high;
    case TrialField::Prior:
        return row.prior;
    case TrialField::Predicted:
        return row.predicted;
    case TrialField::Seconds:
        return row.seconds;
    default:
        return unknown;
    }
}

} // namespace

Result<TrialFilter> parseTrialFilter(const QString& text, const TrialSet& trials) {
    TrialFilter filter;
    for (const Piece& piece : piecesOf(text)) {
        if (filter.terms.size() == mostTerms)
            return wrong(Text::tr("There are more than %1 terms.").arg(mostTerms));
        LATHE_TRY(TrialTerm term, termOf(piece, trials));
        filter.terms.push_back(std::move(term));
    }
    return filter;
}

TrialMatcher::TrialMatcher(TrialFilter filter, const TrialSet& trials)
    : filter_(std::move(filter)), trials_(trials), holding_(filter_.terms.size()) {
    for (size_t i = 0; i < holding_.size(); ++i) {
        const QStringList texts = textsOf(filter_.terms[i].field);
        for (qsizetype value = 0; value < texts.size(); ++value)
            if (texts[value].contains(filter_.terms[i].text))
                holding_[i].values |= 1U << value;
    }
    follow();
}

/// What messages and answers hold that came since.
void TrialMatcher::follow() {
    revision_ = trials_.revision();
    const auto& questions = trials_.questions();
    for (size_t at = 0; at < holding_.size(); ++at) {
        const TrialTerm& term = filter_.terms[at];
        const bool isWords = term.field == TrialField::Words;
        if (!isWords && term.field != TrialField::Question)
            continue;
        const auto has = [&](const std::string& text) {
            return QString::fromStdString(text).toLower().contains(term.text);
        };
        auto& [messages, answers, found, values] = holding_[at];
        while (isWords && messages.size() < trials_.messages().size())
            messages.push_back(has(trials_.messages()[messages.size()]));
        answers.resize(questions.size());
        for (size_t i = 0; i < questions.size(); ++i) {
            const TrialSet::Question& question = questions[i];
            std::vector<char>& known = answers[i];
            if (known.size() == question.answers.size())
                continue;
            const bool isMeant = isWords || isCalled(question.name, term.name);
            while (known.size() < question.answers.size()) {
                const std::vector<int64_t>& answer = question.answers[known.size()];
                known.push_back(isMeant && (isWords ? has(question.name + "=" + textOf(answer))
                                                    : compare(term.sign, answer, term.answer)));
                if (known.back() && std::ranges::find(found, i) == found.end())
                    found.push_back(i);
            }
        }
    }
}

bool TrialMatcher::matches(size_t row) {
    if (revision_ != trials_.revision())
        follow();
    for (size_t i = 0; i < holding_.size(); ++i)
        if (holds(filter_.terms[i], holding_[i], row) == filter_.terms[i].negated)
            return false;
    return true;
}

bool TrialMatcher::holds(const TrialTerm& term, const Holding& holding, size_t row) const {
    const TrialRow& trial = trials_[row];
    const auto isAmong = [&](auto value) { return (holding.values >> unsigned(value) & 1U) != 0; };
    switch (term.field) {
    case TrialField::Words:
        if (holding.messages[size_t(trial.message)])
            return true;
        [[fallthrough]];
    case TrialField::Question:
        return std::ranges::any_of(holding.questions, [&](size_t question) {
            const int answer = trials_.questions()[question].ofRow[row];
            return answer >= 0 && holding.answers[question][size_t(answer)];
        });
    case TrialField::Made:
        return isAmong(trial.made);
    case TrialField::Verdict:
        return isAmong(trial.verdict);
    case TrialField::Is:
        return (isAmong(Is::Best) && trials_.best() == int(row)) || (isAmong(Is::Accepted) && trial.accepted) ||
               isAmong(trial.isTimed() ? Is::Timed : Is::Failed);
    default:
        return compare(term.sign, numberOf(term.field, trial, row), term.number);
    }
}

QString withTerms(const QString& filter, const QString& name, const QStringList& terms) {
    QStringList result;
    for (const Piece& piece : piecesOf(filter))
        if (piece.sign.isEmpty() || piece.name.compare(name, Qt::CaseInsensitive) != 0)
            result << filter.mid(piece.from, piece.length);
    return (result + terms).join(' ');
}

QString quoted(const QString& text) {
    const bool isPlain = !text.isEmpty() && text[0] != '-' && std::ranges::none_of(text, [](QChar c) {
        return c.isSpace() || isSign(c) || c == '"' || c == '\\';
    });
    QString inside = text;
    inside.replace('\\', QStringLiteral("\\\\")).replace('"', QStringLiteral("\\\""));
    return isPlain ? text : '"' + inside + '"';
}

} // namespace lathe::views::models
