// Many strings in two arrays, and the numbering of distinct ones.
#pragma once

#include <cstdint>
#include <vector>

#include "text.hpp"

namespace rankproof {

// Strings end to end, as in Arrow's large_utf8: string i is data[start[i]:start[i + 1]].
struct Strings {
    std::vector<char> data;
    std::vector<std::int64_t> start{0};

    std::size_t size() const { return start.size() - 1; }
    void push(string_view s) {
        data.insert(data.end(), s.begin(), s.end());
        start.push_back(static_cast<std::int64_t>(data.size()));
    }
    string_view operator[](std::size_t i) const {
        return {data.data() + start[i], static_cast<std::size_t>(start[i + 1] - start[i])};
    }
};

// Gives each distinct string a number, in order of first appearance.
class Numbering {
public:
    static constexpr std::int64_t none = -1;

    std::size_t size() const { return names_.size(); }
    const Strings& names() const { return names_; }

    std::int64_t find(string_view s) const {
        if (slots_.empty()) return none;
        const std::uint64_t h = hash_bytes(s);
        for (std::size_t i = h & mask_;; i = (i + 1) & mask_) {
            if (slots_[i] == 0) return none;
            const std::size_t code = slots_[i] - 1;
            if (hashes_[code] == h && names_[code] == s) return static_cast<std::int64_t>(code);
        }
    }

    std::int64_t add(string_view s) {
        if ((names_.size() + 1) * 2 > slots_.size()) grow();
        const std::uint64_t h = hash_bytes(s);
        std::size_t i = h & mask_;
        for (; slots_[i] != 0; i = (i + 1) & mask_) {
            const std::size_t code = slots_[i] - 1;
            if (hashes_[code] == h && names_[code] == s) return static_cast<std::int64_t>(code);
        }
        names_.push(s);
        hashes_.push_back(h);
        slots_[i] = static_cast<std::uint32_t>(names_.size());
        return static_cast<std::int64_t>(names_.size() - 1);
    }

private:
    void grow() {
        const std::size_t size = slots_.empty() ? 64 : slots_.size() * 2;
        slots_.assign(size, 0);
        mask_ = size - 1;
        for (std::size_t code = 0; code < hashes_.size(); ++code) {
            std::size_t i = hashes_[code] & mask_;
            while (slots_[i] != 0) i = (i + 1) & mask_;
            slots_[i] = static_cast<std::uint32_t>(code + 1);
        }
    }

    Strings names_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> slots_;
    std::size_t mask_ = 0;
};

}  // namespace rankproof
