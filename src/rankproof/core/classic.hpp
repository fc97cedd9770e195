// The usual line of a TREC run or of TREC qrels, cut in a few instructions: one blank between columns, 128 bytes at
// most. Anything else is left to Cutter, which knows every form; both give the same fields.
#pragma once

#include <array>

#include "layout.hpp"

namespace rankproof {

// Bytes that must be readable behind the beginning of a line for the quick cut.
inline constexpr std::size_t quick_bytes = 128;

// The two characters that stand between columns.
inline constexpr auto is_separator = [] {
    std::array<bool, 256> table{};
    table[' '] = table['\t'] = true;
    return table;
}();

// The places of the first N low bytes of a word of flags; false when there are fewer. Without a branch for each.
template <unsigned N>
inline bool first_places(std::uint64_t bits, unsigned (&at)[N]) {
    std::uint64_t left[N];
    left[0] = bits;
    for (unsigned i = 1; i < N; ++i) left[i] = left[i - 1] & (left[i - 1] - 1);
    if (left[N - 1] == 0) return false;
    for (unsigned i = 0; i < N; ++i) at[i] = static_cast<unsigned>(std::countr_zero(left[i]));
    return true;
}

// The same over two words, for the longer lines.
template <unsigned N>
inline bool first_places(std::uint64_t low, std::uint64_t high, unsigned (&at)[N]) {
    unsigned found = 0;
    for (; found < N && low != 0; low &= low - 1) at[found++] = static_cast<unsigned>(std::countr_zero(low));
    for (; found < N && high != 0; high &= high - 1) at[found++] = 64 + static_cast<unsigned>(std::countr_zero(high));
    return found == N;
}

// Finds the ends of the N columns of the line at p; gives the beginning of the next line, or nullptr when the line
// is not of the usual form.
template <unsigned N>
inline const char* column_ends(const char* p, unsigned (&at)[N]) {
    const std::uint64_t low = platform::low_bytes_of_64(p);
    // Low bytes side by side, or at the very beginning: not the usual form, but for what follows the line's end.
    const std::uint64_t doubled = low & ((low << 1) | 1);
    if (first_places(low, at)) {
        if ((doubled & ((std::uint64_t{2} << at[N - 1]) - 1)) != 0) return nullptr;
    } else {
        const std::uint64_t high = platform::low_bytes_of_64(p + 64);
        if (doubled != 0 || !first_places(low, high, at)) return nullptr;
        const std::uint64_t again = high & ((high << 1) | (low >> 63));
        if ((again & ((std::uint64_t{2} << (at[N - 1] - 64)) - 1)) != 0) return nullptr;
    }
    bool usual = p[at[N - 1]] == '\n';
    for (unsigned i = 0; i + 1 < N; ++i) usual &= is_separator[static_cast<unsigned char>(p[at[i]])];
    return usual ? p + at[N - 1] + 1 : nullptr;
}

// Cuts the line of a run (query, Q0, doc, rank, score, tag) or of qrels (query, label, doc, grade).
inline const char* quick_cut(const char* p, Usual usual, Fields& f) {
    const char* next = nullptr;
    if (usual == Usual::run) {
        unsigned at[6];
        if ((next = column_ends(p, at)) == nullptr) return nullptr;
        f.query = {p, at[0]};
        f.doc = {p + at[1] + 1, at[2] - at[1] - 1};
        f.rank = {p + at[2] + 1, at[3] - at[2] - 1};
        f.number = {p + at[3] + 1, at[4] - at[3] - 1};
        f.label = {p + at[4] + 1, at[5] - at[4] - 1};
        f.columns = 6;
    } else if (usual == Usual::qrels) {
        unsigned at[4];
        if ((next = column_ends(p, at)) == nullptr) return nullptr;
        f.query = {p, at[0]};
        f.label = {p + at[0] + 1, at[1] - at[0] - 1};
        f.doc = {p + at[1] + 1, at[2] - at[1] - 1};
        f.number = {p + at[2] + 1, at[3] - at[2] - 1};
        f.columns = 4;
    }
    return next;
}

// The next line, if it is of the usual form and far enough from the end to be read in steps; moves p behind it.
inline bool next_usual(const char*& p, const char* end, Usual usual, Fields& f) {
    if (usual == Usual::no || static_cast<std::size_t>(end - p) < quick_bytes + 40 || *p == '#') return false;
    const char* next = quick_cut(p, usual, f);
    if (next == nullptr) return false;
    p = next;
    return true;
}

}  // namespace rankproof
