// SPDX-License-Identifier: Apache-2.0
//
// Text of a trace, one step a line, only what the step has:
//   choose numbers(1, 2, 4) texts("b0.rows") gives(4)
//   split loops(0) numbers(-1, $b0.rows) gives(3, 4)
//   cacheWrite blocks(#0) numbers(0) texts("local") makes(#1)
#include "schedule/trace.h"

#include "base/limits.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace lathe::schedule {

namespace {

std::string quote(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + "\"";
}

std::string textOf(const StepNumber& number) {
    const auto* ref = std::get_if<DecisionRef>(&number);
    if (ref == nullptr)
        return fmt::format("{}", std::get<int64_t>(number));
    return ref->part == 0 ? "$" + ref->decision : fmt::format("${}[{}]", ref->decision, ref->part);
}

template <class T, class Text>
void printList(std::string& out, const char* name, const std::vector<T>& items, Text text) {
    if (items.empty())
        return;
    std::vector<std::string> texts;
    for (const T& item : items)
        texts.push_back(text(item));
    out += fmt::format(" {}({})", name, fmt::join(texts, ", "));
}

bool isWordPart(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class LineParser {
public:
    LineParser(std::string_view text, int line) : text_(text), line_(line) {}

    Result<Step> run() {
        Step step;
        step.primitive = word();
        if (step.primitive.empty())
            return wrong("a primitive's name is missing");
        for (;;) {
            skipSpace();
            if (at_ == text_.size())
                return step;
            std::string name = word();
            if (!take('('))
                return wrong("'(' is missing");
            const auto loop = [this](auto& item) { return number(item); };
            const auto block = [this](int& item) { return take('#') && number(item); };
            bool known = name == "blocks"    ? list(step.blocks, block)
                         : name == "loops"   ? list(step.loops, loop)
                         : name == "numbers" ? list(step.numbers, [this](auto& item) { return stepNumber(item); })
                         : name == "texts"   ? list(step.texts, [this](auto& item) { return quoted(item); })
                         : name == "makes"   ? list(step.makes, block)
                         : name == "gives"   ? list(step.gives, loop)
                                             : false;
            if (!known)
                return wrong("'" + name + "' is no list of a step, or is malformed");
        }
    }

private:
    Failure wrong(std::string what) const {
        Diagnostic diagnostic = error("schedule trace: " + std::move(what));
        diagnostic.line = line_;
        return Failure(std::move(diagnostic));
    }

    void skipSpace() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }
    bool take(char c) {
        skipSpace();
        if (at_ == text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }
    std::string word() {
        skipSpace();
        size_t start = at_;
        while (at_ < text_.size() && isWordPart(text_[at_]))
            ++at_;
        return std::string(text_.substr(start, at_ - start));
    }

    template <class T, class Item>
    bool list(std::vector<T>& items, Item item) {
        if (!items.empty())
            return false;
        do {
            T value{};
            if (!item(value))
                return false;
            items.push_back(std::move(value));
        } while (take(','));
        return take(')');
    }
    template <class T>
    bool number(T& value) {
        skipSpace();
        auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        at_ = static_cast<size_t>(end - text_.data());
        return status == std::errc();
    }
    bool stepNumber(StepNumber& value) {
        if (!take('$'))
            return number(value.emplace<int64_t>());
        DecisionRef ref;
        while (at_ < text_.size() && (isWordPart(text_[at_]) || text_[at_] == '.'))
            ref.decision += text_[at_++];
        if (ref.decision.empty() || (take('[') && (!number(ref.part) || ref.part < 0 || !take(']'))))
            return false;
        value = std::move(ref);
        return true;
    }
    bool quoted(std::string& value) {
        if (!take('"'))
            return false;
        while (at_ < text_.size() && text_[at_] != '"') {
            char c = text_[at_++];
            if (c == '\\') {
                if (at_ == text_.size())
                    return false;
                c = text_[at_++];
                if (c == 'n')
                    c = '\n';
            }
            value += c;
        }
        return take('"');
    }

    std::string_view text_;
    int line_;
    size_t at_ = 0;
};

} // namespace

std::string print(const Trace& trace) {
    std::string out;
    const auto plain = [](auto number) { return std::to_string(number); };
    const auto block = [](int number) { return fmt::format("#{}", number); };
    for (const Step& step : trace.steps) {
        out += step.primitive;
        printList(out, "blocks", step.blocks, block);
        printList(out, "loops", step.loops, plain);
        printList(out, "numbers", step.numbers, textOf);
        printList(out, "texts", step.texts, quote);
        printList(out, "makes", step.makes, block);
        printList(out, "gives", step.gives, plain);
        out += "\n";
    }
    return out;
}

Result<Trace> parseTrace(std::string_view text) {
    Trace trace;
    int line = 0;
    while (!text.empty()) {
        ++line;
        size_t end = std::min(text.find('\n'), text.size());
        std::string_view one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        if (trace.steps.size() == limits::scheduleSteps)
            return failure(fmt::format("schedule trace: more than {} steps", limits::scheduleSteps));
        LATHE_TRY(Step step, LineParser(one, line).run());
        trace.steps.push_back(std::move(step));
    }
    return trace;
}

Step stepOf(const Decision& decision) {
    const Question& question = decision.question;
    const bool tile = question.kind == Question::Kind::Tile;
    Step step;
    step.primitive = "choose";
    step.texts = {question.name};
    if (question.kind != Question::Kind::OneOf)
        step.texts.emplace_back(toString(question.kind));
    if (tile)
        step.numbers = {question.extent, int64_t{question.parts}};
    else
        step.numbers.assign(question.candidates.begin(), question.candidates.end());
    step.gives = decision.answer;
    return step;
}

Result<Decision> decisionOf(const Step& step) {
    using Kind = Question::Kind;
    const Failure malformed = failure("the decision is malformed");
    Decision decision;
    Question& question = decision.question;
    std::vector<int64_t> numbers;
    for (const StepNumber& number : step.numbers)
        if (const auto* literal = std::get_if<int64_t>(&number))
            numbers.push_back(*literal);
    if (step.primitive != "choose" || step.texts.empty() || step.texts.size() > 2 || !step.blocks.empty() ||
        !step.loops.empty() || !step.makes.empty() || numbers.size() != step.numbers.size())
        return malformed;
    question.name = step.texts[0];
    if (!std::ranges::all_of(question.name, [](char c) { return isWordPart(c) || c == '.'; }) || question.name.empty())
        return malformed;
    if (step.texts.size() == 2) {
        const Kind kinds[] = {Kind::Tile, Kind::Place, Kind::Rule};
        const auto* kind = std::ranges::find(kinds, step.texts[1], [](Kind each) { return toString(each); });
        if (kind == std::end(kinds))
            return malformed;
        question.kind = *kind;
    }
    if (question.kind == Kind::Tile) {
        if (numbers.size() != 2 || numbers[0] < 0 || numbers[1] < 1 || numbers[1] > 16)
            return malformed;
        question.extent = numbers[0];
        question.parts = static_cast<int>(numbers[1]);
    } else {
        question.candidates = std::move(numbers);
    }
    decision.answer = question.preferred = step.gives;
    if (std::string wrong = objection(question, decision.answer); !wrong.empty())
        return failure(fmt::format("the answer to {} does not fit: {}", question.name, wrong));
    return decision;
}

Result<Trace> withAnswers(const Trace& trace, const Answers& answers) {
    Trace changed = trace;
    for (const auto& [name, answer] : answers) {
        Step* decided = nullptr;
        bool referred = false;
        for (Step& step : changed.steps) {
            if (step.primitive == "choose" && !step.texts.empty() && step.texts[0] == name && decided == nullptr)
                decided = &step;
            referred |= std::ranges::any_of(step.numbers, [&](const StepNumber& number) {
                const auto* ref = std::get_if<DecisionRef>(&number);
                return ref != nullptr && ref->decision == name;
            });
        }
        if (decided == nullptr)
            return failure(fmt::format("the schedule has no decision '{}'", name));
        LATHE_TRY(Decision decision, decisionOf(*decided));
        if (std::string wrong = objection(decision.question, answer); !wrong.empty())
            return failure(fmt::format("the answer to {} does not fit: {}", name, wrong));
        if (!referred && answer != decided->gives)
            return failure(fmt::format("no step of the schedule takes its number from {}", name),
                           "pin it without a schedule: then the steps are made anew");
        decided->gives = answer;
    }
    return changed;
}

} // namespace lathe::schedule
