// What must hold for every token and every line: the quick ways give what the plain ways give, and no more.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "classic.hpp"
#include "layout.hpp"
#include "number.hpp"
#include "reference.hpp"
#include "require.hpp"

namespace fuzz {

inline bool same_double(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// read_number against C's strtod, which knows nothing of it.
inline void check_number(const std::string& token) {
    using rankproof::NumberState;
    const rankproof::Number n = rankproof::read_number(token);
    char* stop = nullptr;
    const double value = std::strtod(token.c_str(), &stop);
    // strtod takes more: white space before a number, hexadecimal, "nan(...)".
    const bool whole = !token.empty() && stop == token.c_str() + token.size() && !plain_space(token[0]) &&
                       token.find_first_of("xX(") == std::string::npos;
    switch (n.state) {
        case NumberState::ok:
            REQUIRE(whole && std::isfinite(value) && same_double(value, n.value), "an accepted number");
            break;
        case NumberState::infinite:
            REQUIRE(whole && std::isinf(value) && value == n.value, "an infinite number");
            break;
        case NumberState::nan:
            REQUIRE(whole && std::isnan(value) && std::isnan(n.value), "a nan");
            break;
        default:
            REQUIRE(!whole, "a refused number");
    }
    const std::int64_t rank = rankproof::read_rank(token);
    if (rank >= 0) REQUIRE(rank == std::strtoll(token.c_str(), nullptr, 10) && std::isdigit(token[0]), "a rank");
    else REQUIRE(token.empty() || token.size() > 15 || token.find_first_not_of("0123456789") != std::string::npos, "a refused rank");
}

// The quick ways, on tokens that stand among other bytes, as in a line.
inline void check_quick_number(string_view token) {
    const rankproof::Number plain = rankproof::read_number(token), quick = rankproof::read_number_quick(token);
    REQUIRE(plain.state == quick.state, "a quick number's state");
    REQUIRE(std::isnan(plain.value) ? std::isnan(quick.value) : same_double(plain.value, quick.value), "a quick number");
    const rankproof::Number small = rankproof::read_small_number(token);
    REQUIRE(plain.state == small.state, "a small number's state");
    REQUIRE(std::isnan(plain.value) ? std::isnan(small.value) : same_double(plain.value, small.value), "a small number");
    REQUIRE(rankproof::read_rank(token) == rankproof::read_rank_quick(token), "a quick rank");
}

// Every token of the text, up to a limit.
inline void check_tokens(string_view text) {
    std::size_t left = 48;
    for (std::size_t i = 0; i < text.size() && left > 0;) {
        std::size_t stop = i;
        while (stop < text.size() && !plain_space(text[stop]) && text[stop] != ',' && text[stop] != ';') ++stop;
        if (stop > i) {
            --left;
            check_number(std::string(text.substr(i, stop - i)));
            if (text.size() - i >= 40) check_quick_number(text.substr(i, stop - i));
        }
        i = stop + 1;
    }
}

// A line that the quick cut accepts is cut in the same way by the plain one, and by the plainest.
inline void check_lines(string_view text, const rankproof::Layout& layout) {
    rankproof::Cutter cutter(layout);
    for (std::size_t i = 0; i + rankproof::quick_bytes <= text.size();) {
        const std::size_t stop = std::min(text.find('\n', i), text.size());
        rankproof::Fields quick;
        const char* next = rankproof::quick_cut(text.data() + i, cutter.usual(), quick);
        if (next != nullptr) {
            const char* begin = text.data() + i;
            REQUIRE(next == text.data() + stop + 1, "the end of a line");
            REQUIRE(cutter.begins(begin, text.data() + stop), "the beginning of a line");
            const rankproof::Fields plain = cutter.cut(begin, text.data() + stop);
            REQUIRE(cutter.fits(plain) && plain.columns == quick.columns, "columns");
            REQUIRE(plain.query == quick.query && plain.doc == quick.doc && plain.rank == quick.rank &&
                        plain.number == quick.number && plain.label == quick.label,
                    "fields");
        }
        i = stop + 1;
    }
}

inline void check_lines(string_view text) {
    check_lines(text, rankproof::Layout());
    check_lines(text, {' ', 0, 2, 3, -1, 1, 4, 4, 0, false, false});
}

}  // namespace fuzz
