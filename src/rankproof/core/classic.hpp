// A TREC run's usual line, cut in a few instructions: six columns, one blank between them, 64 bytes at most.
// Anything else is left to Cutter, which knows every form; both give the same fields.
#pragma once

#include "layout.hpp"

namespace rankproof {

// Bytes that must be readable behind the beginning of a line for the quick cut.
inline constexpr std::size_t quick_bytes = 64;

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
    std::uint64_t bits = low_bytes(p);
    // Two low bytes side by side, or one at the very beginning: not the usual form, unless at the line's end.
    const std::uint64_t doubled = bits & ((bits << 1) | 1);
    unsigned at[6];
    for (unsigned& place : at) {
        if (bits == 0) return nullptr;
        place = static_cast<unsigned>(__builtin_ctzll(bits));
        bits &= bits - 1;
    }
    if ((doubled & ((std::uint64_t{2} << at[5]) - 1)) != 0 || p[at[5]] != '\n') return nullptr;
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
