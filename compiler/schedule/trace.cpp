// SPDX-License-Identifier: Apache-2.0
//
// Text of a trace, one step a line, only what the step has:
//   choose numbers(1, 2, 4) texts("b0.rows") gives(4)
//   split loops(0) numbers(-1, $b0.rows) gives(3, 4)
//   cacheWrite blocks(#0) numbers(0) texts("local") makes(#1)
#include "schedule/trace.h"

#include "arith/scanner.h"
#include "base/limits.h"

#include <algorithm>
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

bool isListName(char c) {
    return arith::isWordPart(c) && c != '.';
}

class LineParser {
public:
    LineParser(std::string_view text, int line) : in_(text), line_(line) {}

    Result<Step> run() {
        Step step;
        step.primitive = word();
        if (step.primitive.empty())
            return wrong("a primitive's name is missing");
        while (!in_.atEnd()) {
            std::string name = word();
            if (!in_.accept("("))
                return wrong("'(' is missing");
            const auto loop = [this](auto& item) { return number(item); };
            const auto block = [this](int& item) { return in_.accept("#") && number(item); };
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
        return step;
    }

private:
    Failure wrong(std::string what) const {
        Diagnostic diagnostic = error("schedule trace: " + std::move(what));
        diagnostic.line = line_;
        return Failure(std::move(diagnostic));
    }

    std::string word() {
        in_.skipBlanks();
        return std::string(in_.takeWhile(isListName));
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
        } while (in_.accept(","));
        return in_.accept(")");
    }
    template <class T>
    bool number(T& value) {
        int64_t read = in_.integer();
        value = static_cast<T>(read);
        return !in_.failed() && value == read;
    }
    bool stepNumber(StepNumber& value) {
        if (!in_.accept("$"))
            return number(value.emplace<int64_t>());
        DecisionRef ref;
        ref.decision = in_.takeWhile(arith::isWordPart);
        if (ref.decision.empty() || (in_.accept("[") && (!number(ref.part) || ref.part < 0 || !in_.accept("]"))))
            return false;
        value = std::move(ref);
        return true;
    }
    bool quoted(std::string& value) {
        return in_.accept("\"") && in_.quotedRest('"', {.any = true, .newlines = true}, value);
    }

    arith::Scanner in_;
    int line_;
};

} // namespace

std::string print(const ScheduleTrace& trace) {
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

Result<ScheduleTrace> parseTrace(std::string_view text) {
    ScheduleTrace trace;
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
        step.numbers = {question.extent, int64_t{question.parts}, question.unit};
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
    if (!std::ranges::all_of(question.name, arith::isWordPart) || question.name.empty())
        return malformed;
    if (step.texts.size() == 2) {
        const Kind kinds[] = {Kind::Tile, Kind::Place, Kind::Rule};
        const auto* kind = std::ranges::find(kinds, step.texts[1], [](Kind each) { return toString(each); });
        if (kind == std::end(kinds))
            return malformed;
        question.kind = *kind;
    }
    if (question.kind == Kind::Tile) {
        if (numbers.size() != 3 || numbers[0] < 0 || numbers[1] < 1 || numbers[1] > 16 || numbers[2] < 1)
            return malformed;
        question.extent = numbers[0];
        question.parts = static_cast<int>(numbers[1]);
        question.unit = numbers[2];
    } else {
        question.candidates = std::move(numbers);
    }
    decision.answer = question.preferred = step.gives;
    if (std::string wrong = objection(question, decision.answer); !wrong.empty())
        return failure(fmt::format("the answer to {} does not fit: {}", question.name, wrong));
    return decision;
}

Result<ScheduleTrace> withAnswers(const ScheduleTrace& trace, const Answers& answers) {
    ScheduleTrace changed = trace;
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
