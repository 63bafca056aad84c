// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text and back. The C library rounds rightly both ways, so the shortest decimal is found by trying: with more and
// more digits, until what is read is the value again. (std::to_chars of floats asks for a newer C++ library than the runtime
// may.) Its locale is put aside meanwhile, for a comma is no point here.
#include "runtime/text.h"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <locale.h>

namespace lathe::runtime {

namespace {

class PlainLocale {
public:
    PlainLocale() : before_(plain() ? uselocale(plain()) : locale_t{}) {}
    ~PlainLocale() {
        if (before_)
            uselocale(before_);
    }
    PlainLocale(const PlainLocale&) = delete;
    PlainLocale& operator=(const PlainLocale&) = delete;

private:
    static locale_t plain() {
        static const locale_t made = newlocale(LC_ALL_MASK, "C", locale_t{});
        return made;
    }
    locale_t before_;
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    const size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The text without blanks if it is a decimal number, an infinity or not a number; else empty.
std::string_view numberIn(std::string_view text) {
    const std::string_view number = trimmed(text);
    size_t at = !number.empty() && (number[0] == '+' || number[0] == '-') ? 1 : 0;
    std::string word;
    for (const char each : number.substr(at, 16))
        word += each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    if (word == "inf" || word == "infinity" || word == "nan")
        return number;
    const auto digits = [&] {
        const size_t first = at;
        while (at < number.size() && number[at] >= '0' && number[at] <= '9')
            ++at;
        return at - first;
    };
    const auto takes = [&](char one, char other) {
        const bool found = at < number.size() && (number[at] == one || number[at] == other);
        at += found ? 1 : 0;
        return found;
    };
    size_t count = digits();
    if (takes('.', '.'))
        count += digits();
    bool good = count > 0;
    if (good && takes('e', 'E')) {
        takes('+', '-');
        good = digits() > 0;
    }
    return good && at == number.size() ? number : std::string_view();
}

/// Of at most 17 digits, as an integer with an exponent.
struct Decimal {
    uint64_t digits;
    int exponent;

    double value() const {
        char text[48];
        std::snprintf(text, sizeof text, "%llue%d", static_cast<unsigned long long>(digits), exponent);
        return std::strtod(text, nullptr);
    }
};

/// The nearest one of `count` digits to a positive finite number.
Decimal rounded(double value, int count) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*e", count - 1, value);
    Decimal result{0, 0};
    const std::string_view all = text;
    const size_t mark = all.find('e');
    for (const char each : all.substr(0, mark))
        if (each >= '0' && each <= '9')
            result.digits = result.digits * 10 + static_cast<uint64_t>(each - '0');
    const size_t first = mark + (all.find('+', mark) == mark + 1 ? 2 : 1);
    std::from_chars(all.data() + first, all.data() + all.size(), result.exponent);
    result.exponent -= count - 1;
    return result;
}

/// Whether a decimal is read as `value` in a type of that form: nearer to it than to its neighbours, or between one of them and
/// an even value.
bool isReadAs(double decimal, double value, FloatForm form) {
    if (form.significand >= 52)
        return decimal == value;
    const int exponent = std::max(std::ilogb(value), form.exponent);
    const double step = std::ldexp(1.0, exponent - form.significand);
    const bool isPower = value == std::ldexp(1.0, exponent) && exponent > form.exponent; // closer neighbours below
    const double least = value - step / (isPower ? 4 : 2), most = value + step / 2;
    const double half = value / step / 2;
    const bool isEven = half == std::trunc(half);
    return isEven ? decimal >= least && decimal <= most : decimal > least && decimal < most;
}

Decimal shortest(double value, FloatForm form) {
    constexpr int mostDigits = 17;
    for (int count = 1; count < mostDigits; ++count) {
        Decimal decimal = rounded(value, count);
        if (isReadAs(decimal.value(), value, form))
            return decimal;
        // Where neighbours below are closer, the nearest decimal may be too far below, and the next one not too far above.
        ++decimal.digits;
        if (isReadAs(decimal.value(), value, form))
            return decimal;
    }
    return rounded(value, mostDigits);
}

} // namespace

void appendFloat(double value, FloatForm form, std::string& to) {
    if (std::isnan(value)) {
        to += "nan";
        return;
    }
    to += std::signbit(value) ? "-" : "";
    if (std::isinf(value) || value == 0) {
        to += value == 0 ? "0.0" : "inf";
        return;
    }
    const PlainLocale locale;
    const Decimal decimal = shortest(std::abs(value), form);
    std::string digits = std::to_string(decimal.digits);
    const int exponent = decimal.exponent + static_cast<int>(digits.size()) - 1; // of the first digit
    digits.erase(digits.find_last_not_of('0') + 1);
    const auto count = static_cast<int>(digits.size());
    if (exponent < -4 || exponent >= 16) {
        char text[16];
        std::snprintf(text, sizeof text, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
        to += digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + text;
    } else if (exponent < 0) {
        to += "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    } else if (count <= exponent + 1) {
        to += digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
    } else {
        to += digits.substr(0, static_cast<size_t>(exponent) + 1) + "." +
              digits.substr(static_cast<size_t>(exponent) + 1);
    }
}

bool readFloat64(std::string_view text, double& value) {
    const std::string number(numberIn(text));
    const PlainLocale locale;
    value = number.empty() ? 0 : std::strtod(number.c_str(), nullptr);
    return !number.empty();
}

bool readFloat32(std::string_view text, float& value) {
    const std::string number(numberIn(text));
    const PlainLocale locale;
    value = number.empty() ? 0 : std::strtof(number.c_str(), nullptr);
    return !number.empty();
}

bool readInt(std::string_view text, bool isSigned, int64_t& value) {
    std::string_view number = trimmed(text);
    value = 0;
    if (number.size() > 1 && number[0] == '+' && number[1] != '-') // which from_chars does not take
        number.remove_prefix(1);
    const char* const end = number.data() + number.size();
    uint64_t bits = 0;
    const auto [at, status] =
        isSigned ? std::from_chars(number.data(), end, value) : std::from_chars(number.data(), end, bits);
    if (status != std::errc() || at != end) {
        value = 0;
        return false;
    }
    if (!isSigned)
        value = static_cast<int64_t>(bits);
    return true;
}

} // namespace lathe::runtime
