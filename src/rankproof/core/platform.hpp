// Everything that differs between compilers, processors and operating systems. No other file of the core asks which
// of them it is on.
//
// -DRANKPROOF_PORTABLE leaves out all that a compiler or a processor has of its own, so that the plain C++ below is
// tested on machines that would never use it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#if !defined(RANKPROOF_PORTABLE)
#if defined(__SSE2__) || defined(_M_X64)
#define RANKPROOF_SSE2 1
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define RANKPROOF_NEON 1
#include <arm_neon.h>
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#endif

namespace rankproof::platform {

// ---- words ------------------------------------------------------------------------------------------

// Whether the first byte in memory is the lowest of a word.
inline constexpr bool little_endian = std::endian::native == std::endian::little;

struct Wide {
    std::uint64_t high, low;
};

// All 128 bits of a product.
inline Wide multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(RANKPROOF_PORTABLE)
    __extension__ using uint128 = unsigned __int128;
    const uint128 product = static_cast<uint128>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#elif defined(_MSC_VER) && defined(_M_X64) && !defined(RANKPROOF_PORTABLE)
    Wide product{};
    product.low = _umul128(a, b, &product.high);
    return product;
#elif defined(_MSC_VER) && defined(_M_ARM64) && !defined(RANKPROOF_PORTABLE)
    return {__umulh(a, b), a * b};
#else
    // By halves, as on paper.
    const std::uint64_t half = 0xFFFFFFFFu, a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
    const std::uint64_t low = a0 * b0, across = a1 * b0 + (low >> 32), down = a0 * b1 + (across & half);
    return {a1 * b1 + (across >> 32) + (down >> 32), (down << 32) | (low & half)};
#endif
}

struct Quotient {
    std::uint64_t value, rest;
};

// top / d with its remainder. The quotient must fit into 64 bits: top.high < d.
inline Quotient divide(Wide top, std::uint64_t d) {
#if defined(__SIZEOF_INT128__) && !defined(RANKPROOF_PORTABLE)
    __extension__ using uint128 = unsigned __int128;
    const uint128 n = static_cast<uint128>(top.high) << 64 | top.low;
    return {static_cast<std::uint64_t>(n / d), static_cast<std::uint64_t>(n % d)};
#else
    // Bit by bit: only a number of more digits than a double holds comes here. `over` is the 65th bit of the rest.
    std::uint64_t rest = top.high, value = top.low;
    for (int bit = 0; bit < 64; ++bit) {
        const bool over = rest >> 63 != 0;
        rest = rest << 1 | value >> 63;
        value <<= 1;
        if (over || rest >= d) rest -= d, value |= 1;
    }
    return {value, rest};
#endif
}

// ---- many bytes at once -----------------------------------------------------------------------------

// Low bytes are blanks and control characters: those below '!'. Each function gives one bit for each byte from p on,
// the lowest for the first.

#if defined(RANKPROOF_SSE2)

inline unsigned low_bytes_of_16(const char* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i printable = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x21)), bytes);
    return static_cast<unsigned>(_mm_movemask_epi8(printable)) ^ 0xFFFFu;
}

inline std::uint64_t low_bytes_of_64(const char* p) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 4; ++i) bits |= static_cast<std::uint64_t>(low_bytes_of_16(p + 16 * i)) << (16 * i);
    return bits;
}

#elif defined(RANKPROOF_NEON)

// Each byte of a comparison keeps the bit of its place; adding neighbors three times leaves eight of them in a byte.
inline uint8x16_t low_places(const char* p) {
    alignas(16) static constexpr std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
    return vandq_u8(vcltq_u8(bytes, vdupq_n_u8(0x21)), vld1q_u8(places));
}

inline unsigned low_bytes_of_16(const char* p) {
    uint8x16_t sums = low_places(p);
    for (int i = 0; i < 3; ++i) sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
}

inline std::uint64_t low_bytes_of_64(const char* p) {
    const uint8x16_t first = vpaddq_u8(low_places(p), low_places(p + 16));
    const uint8x16_t second = vpaddq_u8(low_places(p + 32), low_places(p + 48));
    const uint8x16_t both = vpaddq_u8(first, second);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
}

#else

// Eight bytes in a word. A byte's high bit is set when it is from 0x80 on, or when adding 0x5F to the rest of it
// carries into that bit: from 0x21 on. No carry leaves a byte.
inline unsigned low_bytes_of_8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    const std::uint64_t printable = ((word & 0x7F7F7F7F7F7F7F7FULL) + 0x5F5F5F5F5F5F5F5FULL) | word;
    const std::uint64_t low = (~printable & 0x8080808080808080ULL) >> 7;
    // The product brings the eight bits side by side into the highest byte, the first byte's lowest.
    constexpr std::uint64_t gather = little_endian ? 0x0102040810204080ULL : 0x8040201008040201ULL;
    return static_cast<unsigned>((low * gather) >> 56);
}

inline unsigned low_bytes_of_16(const char* p) { return low_bytes_of_8(p) | low_bytes_of_8(p + 8) << 8; }

inline std::uint64_t low_bytes_of_64(const char* p) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(low_bytes_of_8(p + 8 * i)) << (8 * i);
    return bits;
}

#endif

// ---- numbers ----------------------------------------------------------------------------------------

// The double nearest to a decimal number (digits, point, exponent; no sign), in no language's spelling but C's.
// Infinity, or zero, where it lies beyond all doubles.
double nearest_double(std::string_view decimal);

// ---- files ------------------------------------------------------------------------------------------

// What tells a file from another one, and from itself before somebody wrote to it.
struct Stamp {
    std::uint64_t device = 0, number = 0, size = 0;
    std::int64_t modified = 0;  // as fine as the file system keeps it
    bool operator==(const Stamp&) const = default;
};

// A file that is open for reading. Not mapped: a mapped file that somebody truncates ends the process at the next
// byte, and there is no way for a library to catch that beside the handlers of the program that it is part of.
class File {
public:
    explicit File(const std::filesystem::path& path);  // throws std::system_error with an errno
    ~File();
    File(File&& other) noexcept : handle_(std::exchange(other.handle_, closed)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    Stamp stamp() const;
    // Reads `size` bytes from a place on; fewer where the file ends before. Several threads may read at once.
    std::size_t read(std::uint64_t from, char* into, std::size_t size) const;

private:
    static constexpr std::intptr_t closed = -1;  // what systems give where they open nothing

    std::intptr_t handle_;
};

}  // namespace rankproof::platform
