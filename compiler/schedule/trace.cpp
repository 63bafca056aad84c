// SPDX-License-Identifier: Apache-2.0
//
// Text of a trace, one step a line, only what the step has:
//   split loops(0) numbers(-1, 16) gives(3, 4)
//   cacheWrite blocks("C") numbers(0) texts("local")
#include "schedule/schedule.h"

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

template <class T>
void printList(std::string& out, const char* name, const std::vector<T>& items) {
    if (items.empty())
        return;
    std::vector<std::string> texts;
    for (const T& item : items) {
        if constexpr (std::is_same_v<T, std::string>)
            texts.push_back(quote(item));
        else
            texts.push_back(fmt::format("{}", item));
    }
    out += fmt::format(" {}({})", name, fmt::join(texts, ", "));
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
            bool known = name == "blocks"    ? list(step.blocks)
                         : name == "loops"   ? list(step.loops)
                         : name == "numbers" ? list(step.numbers)
                         : name == "texts"   ? list(step.texts)
                         : name == "gives"   ? list(step.results)
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
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
            ++at_;
        return std::string(text_.substr(start, at_ - start));
    }

    template <class T>
    bool list(std::vector<T>& items) {
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
    bool item(T& value) {
        skipSpace();
        auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        at_ = static_cast<size_t>(end - text_.data());
        return status == std::errc();
    }
    bool item(std::string& value) {
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
    for (const Step& step : trace.steps) {
        out += step.primitive;
        printList(out, "blocks", step.blocks);
        printList(out, "loops", step.loops);
        printList(out, "numbers", step.numbers);
        printList(out, "texts", step.texts);
        printList(out, "gives", step.results);
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
        LATHE_TRY(Step step, LineParser(one, line).run());
        trace.steps.push_back(std::move(step));
    }
    return trace;
}

} // namespace lathe::schedule
