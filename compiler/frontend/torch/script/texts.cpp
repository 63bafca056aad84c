// SPDX-License-Identifier: Apache-2.0
//
// Functions of strings.
#include "frontend/torch/script/containers.h"
#include "frontend/torch/script/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lathe::frontend::torch::script {
namespace {

using Told = Builtins::Result;

/// As Python prints a value; "?" for what is not known before the call: such a text is only told to people.
std::string textOfValue(Evaluator& e, const ScriptValue& value, bool isQuoted, int nesting = 0) {
    constexpr int mostNestedTexts = 16;
    if (const std::string* text = value.as<std::string>())
        return isQuoted ? "'" + *text + "'" : *text;
    if (const std::optional<std::string> number = printedNumber(value))
        return *number;
    if (const Expr* size = value.as<Expr>())
        return arith::sizeText(*size);
    if (value.isNone())
        return "None";
    if (const Device* device = value.as<Device>())
        return device->name;
    const TupleValue* tuple = value.as<TupleValue>();
    const ListCell* list = Builtins::heap(e).find<ListCell>(value);
    const ScriptValues* items = list ? &list->items : tuple ? tuple->items.get() : nullptr;
    if (!items || nesting > mostNestedTexts || !Builtins::mayMake(e, items->size()))
        return "?";
    std::string all = tuple ? "(" : "[";
    for (size_t i = 0; i < items->size() && all.size() <= limits::sequenceParts; ++i)
        all += (i > 0 ? ", " : "") + textOfValue(e, (*items)[i], true, nesting + 1);
    if (!Builtins::mayMake(e, all.size()))
        return "?";
    return all + (tuple ? items->size() == 1 ? ",)" : ")" : "]");
}

const std::string* textAt(const Arguments& a, size_t place) {
    return place < a.values.size() ? a.values[place].as<std::string>() : nullptr;
}

ScriptValue listOfTexts(Evaluator& e, const std::vector<std::string>& texts) {
    return listOf(e, ScriptValues(texts.begin(), texts.end()));
}

/// "got {} of {:.2f}": what stands in the brackets is how a number is shown, which only people read.
Told formatText(Evaluator& e, const Arguments& a) {
    const std::string* pattern = textAt(a, 0);
    if (!pattern)
        return std::nullopt;
    std::string text;
    size_t next = 1;
    const size_t lastEnd = pattern->rfind('}');
    for (size_t i = 0; i < pattern->size(); ++i) {
        const bool isPlace = (*pattern)[i] == '{' && lastEnd != std::string::npos && i < lastEnd;
        const size_t end = isPlace ? pattern->find('}', i) : std::string::npos;
        if (end == std::string::npos) {
            text += (*pattern)[i];
            continue;
        }
        text += next < a.values.size() ? textOfValue(e, a.values[next++], false) : std::string("{}");
        i = end;
        if (!Builtins::mayMake(e, text.size()))
            return std::nullopt;
    }
    return text;
}
Told percentText(Evaluator& e, const Arguments& a) {
    const std::string* pattern = textAt(a, 0);
    if (!pattern)
        return std::nullopt;
    std::string text;
    size_t next = 1;
    for (size_t i = 0; i < pattern->size(); ++i) {
        if ((*pattern)[i] != '%' || i + 1 == pattern->size()) {
            text += (*pattern)[i];
            continue;
        }
        ++i;
        text += (*pattern)[i] == '%' ? "%" : next < a.values.size() ? textOfValue(e, a.values[next++], false) : "?";
        if (!Builtins::mayMake(e, text.size()))
            return std::nullopt;
    }
    return text;
}
Told toText(Evaluator& e, const Arguments& a) {
    return a.values.size() == 1 ? Told(textOfValue(e, a.values[0], false)) : std::nullopt;
}
Told joinTexts(Evaluator& e, const Arguments& a) {
    const std::string* between = textAt(a, 0);
    const ListCell* list = between && a.values.size() == 2 ? Builtins::heap(e).find<ListCell>(a.values[1]) : nullptr;
    if (!list)
        return std::nullopt;
    std::string text;
    for (size_t i = 0; i < list->items.size() && Builtins::mayMake(e, text.size()); ++i)
        text += (i > 0 ? *between : "") + textOfValue(e, list->items[i], false);
    return text;
}
Told addTexts(Evaluator& e, const Arguments& a) {
    const std::string *x = textAt(a, 0), *y = textAt(a, 1);
    return x && y && Builtins::mayMake(e, x->size() + y->size()) ? Told(*x + *y) : std::nullopt;
}
Told timesText(Evaluator& e, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    const std::optional<int64_t> times = text && a.values.size() == 2 ? asInt(a.values[1]) : std::nullopt;
    if (!times || *times > limits::knownValueElements ||
        !Builtins::mayMake(e, text->size() * static_cast<size_t>(std::max<int64_t>(*times, 0))))
        return std::nullopt;
    std::string all;
    for (int64_t i = 0; i < *times; ++i)
        all += *text;
    return all;
}
Told textLength(Evaluator&, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    return text ? Told(Expr(static_cast<int64_t>(text->size()))) : std::nullopt;
}
Told letterAt(Evaluator& e, const Arguments& a) {
    return textAt(a, 0) && a.values.size() == 2 ? Told(Builtins::element(e, a.values[0], a.values[1])) : std::nullopt;
}
Told partOfText(Evaluator& e, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    if (!text)
        return std::nullopt;
    const auto size = static_cast<int64_t>(text->size());
    const std::optional<int64_t> first = boundAt(e, a, 1, 0), last = boundAt(e, a, 2, size), step = boundAt(e, a, 3, 1);
    if (!first || !last || step != 1)
        return std::nullopt;
    const auto within = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
    const int64_t begin = within(*first), end = within(*last);
    return begin < end ? text->substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)) : std::string();
}

template <int (*change)(int)>
Told changedLetters(Evaluator&, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    if (!text)
        return std::nullopt;
    std::string changed = *text;
    std::ranges::transform(changed, changed.begin(),
                           [](unsigned char c) { return static_cast<char>(c < 128 ? change(c) : c); });
    return changed;
}
int lowerLetter(int c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}
int upperLetter(int c) {
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

template <bool atBegin, bool atEnd>
Told stripText(Evaluator&, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    if (!text)
        return std::nullopt;
    const std::string* given = textAt(a, 1);
    const std::string what = given ? *given : std::string(" \t\n\r\f\v");
    const size_t begin = atBegin ? text->find_first_not_of(what) : 0;
    if (begin == std::string::npos)
        return std::string();
    const size_t end = atEnd ? text->find_last_not_of(what) + 1 : text->size();
    return begin < end ? text->substr(begin, end - begin) : std::string();
}
Told beginsWith(Evaluator&, const Arguments& a) {
    const std::string *text = textAt(a, 0), *part = textAt(a, 1);
    return text && part ? Told(text->starts_with(*part)) : std::nullopt;
}
Told endsWith(Evaluator&, const Arguments& a) {
    const std::string *text = textAt(a, 0), *part = textAt(a, 1);
    return text && part ? Told(text->ends_with(*part)) : std::nullopt;
}
Told containsText(Evaluator& e, const Arguments& a) {
    const std::string *text = textAt(a, 0), *part = textAt(a, 1);
    return text && part && Builtins::mayMake(e, text->size()) ? Told(text->contains(*part)) : std::nullopt;
}
Told findText(Evaluator& e, const Arguments& a) {
    const std::string *text = textAt(a, 0), *part = textAt(a, 1);
    if (!text || !part || a.values.size() != 2 || !Builtins::mayMake(e, text->size()))
        return std::nullopt;
    const size_t at = text->find(*part);
    return Expr(at == std::string::npos ? int64_t{-1} : static_cast<int64_t>(at));
}
Told replaceText(Evaluator& e, const Arguments& a) {
    const std::string *text = textAt(a, 0), *old = textAt(a, 1), *by = textAt(a, 2);
    if (!text || !old || !by || old->empty())
        return std::nullopt;
    std::string changed;
    size_t at = 0;
    for (size_t found = text->find(*old); found != std::string::npos; found = text->find(*old, at)) {
        if (!Builtins::mayMake(e, changed.size() + by->size()))
            return std::nullopt;
        changed.append(*text, at, found - at).append(*by);
        at = found + old->size();
    }
    return changed.append(*text, at);
}
Told splitText(Evaluator& e, const Arguments& a) {
    const std::string *text = textAt(a, 0), *by = textAt(a, 1);
    if (!text || (a.values.size() > 1 && !by && !a.values[1].isNone()) || !Builtins::mayMake(e, text->size()))
        return std::nullopt;
    const std::string spaces = " \t\n\r\f\v";
    std::vector<std::string> parts;
    for (size_t at = 0; at <= text->size();) {
        const size_t end =
            std::min(by && !by->empty() ? text->find(*by, at) : text->find_first_of(spaces, at), text->size());
        if (by || end > at)
            parts.push_back(text->substr(at, end - at));
        at = end + (by && !by->empty() ? by->size() : 1);
    }
    return listOfTexts(e, parts);
}
Told isDigits(Evaluator&, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    return text ? Told(!text->empty() && std::ranges::all_of(*text, [](char c) { return c >= '0' && c <= '9'; }))
                : std::nullopt;
}
Told codeOfLetter(Evaluator&, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    return text && text->size() == 1 ? Told(Expr(static_cast<int64_t>(static_cast<unsigned char>(text->front()))))
                                     : std::nullopt;
}
Told letterOfCode(Evaluator&, const Arguments& a) {
    const std::optional<int64_t> code = a.values.size() == 1 ? asInt(a.values[0]) : std::nullopt;
    return code && *code >= 0 && *code < 128 ? Told(std::string(1, static_cast<char>(*code))) : std::nullopt;
}
Told wholeOfText(Evaluator& e, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    if (!text)
        return std::nullopt;
    int64_t whole = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), whole);
    if (read.ec != std::errc() || read.ptr != text->data() + text->size())
        Builtins::raise(e, "invalid literal for int(): '" + *text + "'");
    return Expr(whole);
}
Told realOfText(Evaluator& e, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    if (!text)
        return std::nullopt;
    double real = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), real);
    if (read.ec != std::errc() || read.ptr != text->data() + text->size())
        Builtins::raise(e, "could not convert string to float: '" + *text + "'");
    return real;
}
Told truthOfText(Evaluator&, const Arguments& a) {
    const std::string* text = textAt(a, 0);
    return text ? Told(!text->empty()) : std::nullopt;
}

constexpr auto textRows = std::to_array<Builtins::Row>({
    {"aten.__contains__", containsText},
    {"aten.__getitem__", letterAt},
    {"aten.add", addTexts},
    {"aten.chr", letterOfCode},
    {"aten.endswith", endsWith},
    {"aten.find", findText},
    {"aten.format", formatText},
    {"aten.isdigit", isDigits},
    {"aten.join", joinTexts},
    {"aten.len", textLength},
    {"aten.lower", changedLetters<lowerLetter>},
    {"aten.lstrip", stripText<true, false>},
    {"aten.mul", timesText},
    {"aten.ord", codeOfLetter},
    {"aten.percentFormat", percentText},
    {"aten.replace", replaceText},
    {"aten.rstrip", stripText<false, true>},
    {"aten.slice", partOfText},
    {"aten.split", splitText},
    {"aten.startswith", beginsWith},
    {"aten.str", toText},
    {"aten.strip", stripText<true, true>},
    {"aten.upper", changedLetters<upperLetter>},
    {"python.bool", truthOfText},
    {"python.chr", letterOfCode},
    {"python.float", realOfText},
    {"python.int", wholeOfText},
    {"python.len", textLength},
    {"python.ord", codeOfLetter},
    {"python.str", toText},
});

} // namespace

std::span<const Builtins::Row> Builtins::ofTexts() {
    return textRows;
}

} // namespace lathe::frontend::torch::script
