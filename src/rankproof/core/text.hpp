// Bytes: where a token ends, what it hashes to, whether it is UTF-8.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

#include "platform.hpp"

namespace rankproof {

using std::string_view;

// The six characters that C's isspace knows. Other control characters are part of an id.
inline bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// White space inside a line.
inline bool is_blank(unsigned char c) { return is_space(c) && c != '\n'; }

// First white space at or after p. The caller guarantees that there is one before `end` (a newline).
inline const char* token_end(const char* p, const char* end) {
    // 16 bytes at a time: most tokens end within one step, without a branch per byte.
    while (end - p >= 16) {
        const unsigned low = platform::low_bytes_of_16(p);
        if (low == 0) {
            p += 16;
            continue;
        }
        p += std::countr_zero(low);
        if (is_space(static_cast<unsigned char>(*p))) return p;
        ++p;  // a control character that is not white space
    }
    while (p < end && !is_space(static_cast<unsigned char>(*p))) ++p;
    return p;
}

inline std::uint64_t load64(const char* p) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
}
inline std::uint64_t load32(const char* p) {
    std::uint32_t v;
    std::memcpy(&v, p, 4);
    return v;
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const auto [high, low] = platform::multiply(a, b);
    return low ^ high;
}

// Drawn anew for each process. With keys that are known, a file of ids could be made that all collide, and reading
// it would take time with the square of its size. No result depends on a hash, so none depends on the keys.
struct HashKeys {
    std::uint64_t k0, k1, k2;
    static HashKeys drawn() {
        std::random_device chance;
        const auto key = [&] { return std::uint64_t{chance()} << 32 | chance(); };
        return {key(), key(), key()};
    }
};
inline const HashKeys hash_keys = HashKeys::drawn();

// A hash of short strings in the manner of wyhash. Equal hashes are always followed by a comparison of the
// bytes, so a collision costs time and never a result.
inline std::uint64_t hash_bytes(const char* p, std::size_t n) {
    const auto [k0, k1, k2] = hash_keys;
    std::uint64_t seed = k2 ^ n, a, b;
    if (n <= 16) {
        if (n >= 8) {
            a = load64(p);
            b = load64(p + n - 8);
        } else if (n >= 4) {
            a = load32(p);
            b = load32(p + n - 4);
        } else if (n > 0) {
            a = (std::uint64_t(static_cast<unsigned char>(p[0])) << 16) |
                (std::uint64_t(static_cast<unsigned char>(p[n >> 1])) << 8) |
                static_cast<unsigned char>(p[n - 1]);
            b = 0;
        } else {
            a = b = 0;
        }
    } else {
        std::size_t left = n;
        while (left > 16) {
            seed = mix(load64(p) ^ k0, load64(p + 8) ^ seed);
            p += 16;
            left -= 16;
        }
        a = load64(p + left - 16);
        b = load64(p + left - 8);
    }
    return mix(k1 ^ seed, mix(a ^ k0, b ^ seed));
}
inline std::uint64_t hash_bytes(string_view s) { return hash_bytes(s.data(), s.size()); }

// Whether two strings are equal. Short ones, as ids are, without a call.
inline bool same(string_view a, string_view b) {
    const std::size_t n = a.size();
    if (n != b.size()) return false;
    if (n > 16) return std::memcmp(a.data(), b.data(), n) == 0;
    if (n >= 8) return load64(a.data()) == load64(b.data()) && load64(a.data() + n - 8) == load64(b.data() + n - 8);
    if (n >= 4) return load32(a.data()) == load32(b.data()) && load32(a.data() + n - 4) == load32(b.data() + n - 4);
    return n == 0 || (a[0] == b[0] && a[n >> 1] == b[n >> 1] && a[n - 1] == b[n - 1]);
}

// Whether all bytes are between 1 and 0x7F. Compilers turn the loop into one over many bytes at a time.
inline bool is_ascii(string_view s) {
    unsigned char high = 0, low = 0xFF;
    for (const char c : s) {
        const auto byte = static_cast<unsigned char>(c);
        high |= byte;
        low = byte < low ? byte : low;
    }
    return high < 0x80 && low > 0;
}

// A zero byte is in no id that somebody wrote: it is what a broken disk or a binary file leaves in a text.
inline bool has_zero(string_view s) { return !s.empty() && std::memchr(s.data(), 0, s.size()) != nullptr; }

// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
inline bool is_utf8(string_view s) {
    if (is_ascii(s)) return true;
    const auto* p = reinterpret_cast<const unsigned char*>(s.data());
    const auto* end = p + s.size();
    while (p < end) {
        const unsigned char c = *p;
        if (c < 0x80) {
            ++p;
            continue;
        }
        const std::ptrdiff_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        if (c < 0xC2 || c > 0xF4 || end - p <= more) return false;
        const unsigned char d = p[1];
        if ((c == 0xE0 && d < 0xA0) || (c == 0xED && d > 0x9F) || (c == 0xF0 && d < 0x90) || (c == 0xF4 && d > 0x8F))
            return false;
        for (std::ptrdiff_t i = 1; i <= more; ++i)
            if ((p[i] & 0xC0) != 0x80) return false;
        p += more + 1;
    }
    return true;
}

// Whether bytes from a file can be ids.
inline bool is_text(string_view s) { return is_ascii(s) || (is_utf8(s) && !has_zero(s)); }

}  // namespace rankproof
