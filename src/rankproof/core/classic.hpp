// The usual line of a TREC run or of TREC qrels, cut in a few instructions: one blank between columns, 128 bytes at
// most.
// Anything else is left to Cutter, which knows every form; both give the same fields.
#pragma once

#include "layout.hpp"

namespace rankproof {

// Bytes that must be readable behind the beginning of a line for the quick cut.
inline constexpr std::size_t quick_bytes = 128;

#if defined(__SSE2__)

// One bit for each of the 64 bytes at p: set where the byte is a blank or a control character.
inline std::uint64_t low_bytes(const char* p) {
    const __m128i floor = _mm_set1_epi8(0x21);
    std::uint64_t bits = 0;
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        const __m128i printable = _mm_cmpeq_epi8(_mm_max_epu8(bytes, floor), bytes);
        bits |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(printable)) ^ 0xFFFFu) << (16 * i);
    }
    return bits;
}

// Finds the ends of the N columns of the line at p; gives the beginning of the next line, or nullptr when the line
// is not of the usual form.
template <unsigned N>
inline const char* column_ends(const char* p, unsigned (&at)[N]) {
    unsigned found = 0;
    std::uint64_t before = 1;  // as if a low byte came before: a line that begins with one is not the usual form
    for (unsigned base = 0; base < quick_bytes; base += 64) {
        std::uint64_t bits = low_bytes(p + base);
        const std::uint64_t doubled = bits & ((bits << 1) | before);
        before = bits >> 63;
        unsigned here = 0;
        for (; found < N && bits != 0; bits &= bits - 1) {
            here = static_cast<unsigned>(__builtin_ctzll(bits));
            at[found++] = base + here;
        }
        // Two low bytes side by side, but for what follows the line's end: not the usual form.
        const std::uint64_t upto = found == N ? (std::uint64_t{2} << here) - 1 : ~std::uint64_t{0};
        if ((doubled & upto) != 0) return nullptr;
        if (found == N) break;
    }
    if (found < N || p[at[N - 1]] != '\n') return nullptr;
    bool blanks = true;
    for (unsigned i = 0; i + 1 < N; ++i) blanks &= (p[at[i]] == ' ') | (p[at[i]] == '\t');
    return blanks ? p + at[N - 1] + 1 : nullptr;
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

#else

inline const char* quick_cut(const char*, Usual, Fields&) { return nullptr; }

#endif

// The next line, if it is of the usual form and far enough from the end to be read in steps; moves p behind it.
inline bool next_usual(const char*& p, const char* end, Usual usual, Fields& f) {
    if (usual == Usual::no || static_cast<std::size_t>(end - p) < quick_bytes + 40 || *p == '#') return false;
    const char* next = quick_cut(p, usual, f);
    if (next == nullptr) return false;
    p = next;
    return true;
}

}  // namespace rankproof
