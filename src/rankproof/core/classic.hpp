// A TREC run's usual line, cut in a few instructions: six columns, one blank between them, 128 bytes at most.
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

// Cuts the line at p; gives the beginning of the next line, or nullptr when the line is not of the usual form.
inline const char* quick_cut(const char* p, Fields& f) {
    unsigned at[6], found = 0;
    std::uint64_t before = 1;  // as if a low byte came before: a line that begins with one is not the usual form
    for (unsigned base = 0; base < quick_bytes; base += 64) {
        std::uint64_t bits = low_bytes(p + base);
        const std::uint64_t doubled = bits & ((bits << 1) | before);
        before = bits >> 63;
        unsigned here = 0;
        for (; found < 6 && bits != 0; bits &= bits - 1) at[found++] = base + (here = static_cast<unsigned>(__builtin_ctzll(bits)));
        // Two low bytes side by side, but for what follows the line's end: not the usual form.
        const std::uint64_t upto = found == 6 ? (std::uint64_t{2} << here) - 1 : ~std::uint64_t{0};
        if ((doubled & upto) != 0) return nullptr;
        if (found == 6) break;
    }
    if (found < 6 || p[at[5]] != '\n') return nullptr;
    const auto blank = [&](unsigned i) { return (p[at[i]] == ' ') | (p[at[i]] == '\t'); };
    if (!(blank(0) & blank(1) & blank(2) & blank(3) & blank(4))) return nullptr;
    const auto field = [&](unsigned i) { return string_view(p + at[i - 1] + 1, at[i] - at[i - 1] - 1); };
    f.query = {p, at[0]};
    f.doc = field(2);
    f.rank = field(3);
    f.number = field(4);
    f.label = field(5);
    f.columns = 6;
    return p + at[5] + 1;
}

#else

inline const char* quick_cut(const char*, Fields&) { return nullptr; }

#endif

}  // namespace rankproof
