// Numbers as text: exact doubles, and what is wrong with the rest.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "digits.hpp"
#include "text.hpp"

namespace rankproof {

// What came of reading a number. The values are part of the Python interface (Rows.OK ...).
enum class NumberState : std::uint8_t { ok = 0, not_a_number = 1, infinite = 2, absent = 3, nan = 4 };

struct Number {
    double value;
    NumberState state;
};

namespace detail {

inline bool same_word(string_view s, const char* word) {
    std::size_t i = 0;
    for (; word[i] != 0; ++i)
        if (i >= s.size() || (s[i] | 0x20) != word[i]) return false;
    return i == s.size();
}

inline constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// m / 10^k, rounded once: m from 1 on, k from 1 to 19. One division with remainder; the remainder only matters
// as "there was one".
inline double exact_quotient(std::uint64_t m, unsigned k) {
    constexpr std::uint64_t powers[] = {1ULL, 10ULL, 100ULL, 1000ULL, 10000ULL, 100000ULL, 1000000ULL, 10000000ULL,
                                        100000000ULL, 1000000000ULL, 10000000000ULL, 100000000000ULL,
                                        1000000000000ULL, 10000000000000ULL, 100000000000000ULL,
                                        1000000000000000ULL, 10000000000000000ULL, 100000000000000000ULL,
                                        1000000000000000000ULL, 10000000000000000000ULL};
    const std::uint64_t d = powers[k];
    // m shifted to just below d * 2^64: the quotient then has 63 or 64 bits, ten more than a double holds.
    const int shift = 63 + std::countl_zero(m) - std::countl_zero(d);
    const platform::Wide top = shift == 0   ? platform::Wide{0, m}
                               : shift < 64 ? platform::Wide{m >> (64 - shift), m << shift}
                                            : platform::Wide{m << (shift - 64), 0};
    const auto [quotient, rest] = platform::divide(top, d);
    return std::ldexp(static_cast<double>(quotient | (rest != 0)), -shift);
}

}  // namespace detail

// Reads a decimal number: sign, digits, point, exponent. No hexadecimal, no thousands, no trailing text.
inline Number read_number(string_view s) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const char* p = s.data();
    const char* end = p + s.size();
    bool negative = false;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    const char* digits = p;
    std::uint64_t mantissa = 0;
    std::int64_t count = 0, exponent = 0;  // a hostile line may have more digits than an int can count
    while (p < end && static_cast<unsigned char>(*p - '0') < 10) {
        mantissa = mantissa * 10 + static_cast<unsigned char>(*p++ - '0');
        ++count;
    }
    if (p < end && *p == '.') {
        ++p;
        const char* point = p;
        while (p < end && static_cast<unsigned char>(*p - '0') < 10) {
            mantissa = mantissa * 10 + static_cast<unsigned char>(*p++ - '0');
            ++count;
        }
        exponent = -static_cast<std::int64_t>(p - point);
    }
    if (count == 0) {
        const string_view word(digits, static_cast<std::size_t>(end - digits));
        if (detail::same_word(word, "nan")) return {nan, NumberState::nan};
        if (detail::same_word(word, "inf") || detail::same_word(word, "infinity"))
            return {negative ? -HUGE_VAL : HUGE_VAL, NumberState::infinite};
        return {nan, NumberState::not_a_number};
    }
    if (p < end && (*p | 0x20) == 'e') {
        ++p;
        bool minus = false;
        if (p < end && (*p == '-' || *p == '+')) minus = *p++ == '-';
        if (p == end) return {nan, NumberState::not_a_number};
        int written = 0;
        while (p < end && static_cast<unsigned char>(*p - '0') < 10) {
            if (written < 100000) written = written * 10 + (*p - '0');
            ++p;
        }
        exponent += minus ? -written : written;
    }
    if (p != end) return {nan, NumberState::not_a_number};
    double value;
    // Clinger's fast path: both parts are exact doubles, so one operation rounds once, correctly.
    if (count <= 19 && mantissa <= (1ULL << 53) && exponent >= -22 && exponent <= 22) {
        value = static_cast<double>(mantissa);
        value = exponent < 0 ? value / detail::power_of_ten[-exponent] : value * detail::power_of_ten[exponent];
    } else {
        value = platform::nearest_double({digits, static_cast<std::size_t>(end - digits)});
    }
    if (negative) value = -value;
    if (std::isinf(value)) return {value, NumberState::infinite};
    return {value, NumberState::ok};
}

// The same for a token with at least 40 readable bytes from its beginning, quickly when it is of the usual form:
// a minus or none, one to seven digits, and a point with up to sixteen more, nineteen in all.
inline Number read_number_quick(string_view s) {
    const char* p = s.data();
    std::size_t n = s.size();
    const bool negative = n > 0 && *p == '-';
    if (negative) ++p, --n;
    if constexpr (!platform::little_endian) return read_number(s);
    // The first byte with a '.' among eight: zero bytes of the difference, by the classic trick.
    const std::uint64_t word = load64(p), points = word ^ 0x2E2E2E2E2E2E2E2EULL;
    const std::uint64_t zero = (points - 0x0101010101010101ULL) & ~points & 0x8080808080808080ULL;
    const unsigned whole = zero == 0 ? 8 : static_cast<unsigned>(std::countr_zero(zero)) / 8;
    if (whole == 0 || whole == 8 || n <= whole + 1 || n > 20 || n > whole + 17) return read_number(s);
    const auto parts = static_cast<unsigned>(n - whole - 1);
    const char* fraction = p + whole + 1;
    const std::int64_t high = eight_digits(word, whole);
    std::int64_t low = eight_digits(load64(fraction), parts < 8 ? parts : 8);
    if (parts > 8) {
        const std::int64_t rest = eight_digits(load64(fraction + 8), parts - 8);
        if (rest < 0) return read_number(s);
        low = low < 0 ? low : low * static_cast<std::int64_t>(detail::power_of_ten[parts - 8]) + rest;
    }
    if (high < 0 || low < 0) return read_number(s);
    const double scale = detail::power_of_ten[parts];
    const std::uint64_t mantissa =
        static_cast<std::uint64_t>(high) * static_cast<std::uint64_t>(scale) + static_cast<std::uint64_t>(low);
    const double value = mantissa <= (1ULL << 53) ? static_cast<double>(mantissa) / scale
                                                  : detail::exact_quotient(mantissa, parts);
    return {negative ? -value : value, NumberState::ok};
}

// The same for a token with at least 8 readable bytes from its beginning, quickly for a few digits: a grade.
inline Number read_small_number(string_view s) {
    if (!platform::little_endian || s.empty() || s.size() > 8) return read_number(s);
    const std::int64_t value = eight_digits(load64(s.data()), static_cast<unsigned>(s.size()));
    return value < 0 ? read_number(s) : Number{static_cast<double>(value), NumberState::ok};
}

inline constexpr std::int64_t no_rank = -1, bad_rank = -2;

// Reads a rank: a whole number from 0 on (some tools count from 0); bad_rank for anything else.
inline std::int64_t read_rank(string_view s) {
    if (s.empty() || s.size() > 15) return bad_rank;  // longer ones are not exact as doubles
    std::int64_t rank = 0;
    for (const char c : s) {
        const auto digit = static_cast<unsigned char>(c - '0');
        if (digit > 9) return bad_rank;
        rank = rank * 10 + digit;
    }
    return rank;
}

// The same for a token with at least 8 readable bytes from its beginning.
inline std::int64_t read_rank_quick(string_view s) {
    if (!platform::little_endian || s.empty() || s.size() > 8) return read_rank(s);
    const std::int64_t rank = eight_digits(load64(s.data()), static_cast<unsigned>(s.size()));
    return rank < 0 ? bad_rank : rank;
}

}  // namespace rankproof
