// Up to eight digits at once, by arithmetic on a 64-bit word instead of a branch for each digit.
#pragma once

#include "text.hpp"

namespace rankproof {

// The number that the first n bytes of `word` spell, n from 1 to 8; -1 when one of them is no digit. The first byte
// must be the lowest of the word, as load64 gives it on little-endian machines.
inline std::int64_t eight_digits(std::uint64_t word, unsigned n) {
    // Digits become 0..9; shifting them to the high end leaves zeros before them. A byte that was no digit has
    // a bit above its low four, or is above 9.
    const unsigned shift = 8 * (8 - n);
    std::uint64_t digits = (word ^ 0x3030303030303030ULL) << shift;
    if (((digits | (digits + 0x7676767676767676ULL)) & 0x8080808080808080ULL) != 0) return -1;
    digits = (digits * 10) + (digits >> 8);
    return static_cast<std::int64_t>((((digits & 0x000000FF000000FFULL) * 0x000F424000000064ULL) +
                                      (((digits >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL)) >>
                                     32);
}

}  // namespace rankproof
