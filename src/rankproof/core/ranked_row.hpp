// One row of a matrix of scores: its first documents in order, with their ties. The order is that of order.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "arrays.hpp"

namespace rankproof {

// There are three ways to the same order, the fastest first: each notices where it cannot tell two scores apart, and
// leaves the row to the next. Holds only scratch space: one for each thread.
template <class Score>
class RankedRow {
public:
    RankedRow(std::size_t columns, const Order& order, std::size_t depth)
        : later_first_(order.ties == Ties::id_descending), single_(order.single_precision), lower_(order.lower_is_better),
          depth_(depth), low_((std::int64_t{1} << std::bit_width(columns)) - 1), turn_(later_first_ ? 0 : low_),
          key_(columns), from_(columns), packed_(columns), top_(few_documents), number_(columns), group_(columns) {
        std::iota(from_.begin(), from_.end(), 0u);
    }

    // Reads a row and puts its first `depth` documents in order.
    void rank(const Score* scores, const std::uint8_t* cells, RunFaults& faults) {
        scores_ = scores;
        read(cells, faults);
        shown_ = std::min(size_, depth_);
        beyond_ = 0;
        if (shown_ == 0 || (size_ <= few_columns && rank_by_comparing())) return;
        pack();
        select();
        if (!groups_are_ties()) rank_exactly();
    }

    std::size_t size() const { return size_; }                                // documents retrieved
    std::size_t shown() const { return shown_; }                              // of them in order, the first ones
    std::size_t beyond() const { return beyond_; }                            // others tied with the last of these
    std::uint32_t column(std::size_t i) const { return from_[number_[i]]; }   // of the document at place i
    std::int64_t group(std::size_t i) const { return group_[i]; }             // equal for tied neighbors only

private:
    // Up to so many documents are put in order by comparing each with each, which processors do several at a time.
    static constexpr std::size_t few_columns = 64, lanes = 8;
    // Up to so many first documents are kept sorted while the row is read; more are selected and sorted afterwards.
    static constexpr std::size_t few_documents = 16;

    // A whole number for each score: the greater comes first, and equal ones are ties. The two zeros are equal.
    std::int64_t key_of(Score score) const {
        auto value = static_cast<double>(score);
        if (single_) value = static_cast<double>(static_cast<float>(value));
        const auto bits = std::bit_cast<std::int64_t>(lower_ ? 0.0 - value : value + 0.0);
        return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max());
    }

    // A matrix with a score that is no number is refused; until then its bits are a key like others.
    void read(const std::uint8_t* cells, RunFaults& faults) {
        std::size_t n = key_.size(), wrong = 0;
        if (cells == nullptr) {
            for (std::size_t c = 0; c < n; ++c) key_[c] = key_of(scores_[c]);
            for (std::size_t c = 0; c < n; ++c) wrong += !std::isfinite(scores_[c]);
        } else {
            n = 0;
            for (std::size_t c = 0; c < key_.size(); ++c) {
                const bool retrieved = (cells[c] & cell_retrieved) != 0;
                key_[n] = key_of(scores_[c]);
                from_[n] = static_cast<std::uint32_t>(c);
                wrong += retrieved && !std::isfinite(scores_[c]);
                n += retrieved;
            }
        }
        size_ = n;
        if (wrong == 0) return;
        for (std::size_t i = 0; i < n; ++i) {
            const Score score = scores_[from_[i]];
            if (!std::isfinite(score)) ++(std::isnan(score) ? faults.nan_score : faults.infinite_score);
        }
    }

    // First way: how many documents are greater says where one stands. Only the upper halves of keys are compared,
    // which for 32-bit floats are made to be all there is.
    bool rank_by_comparing() {
        std::int32_t half[few_columns + lanes], above[few_columns];
        std::uint8_t taken[few_columns] = {};
        for (std::size_t i = 0; i < size_; ++i) half[i] = upper_half(i);
        std::fill(half + size_, half + size_ + lanes, std::numeric_limits<std::int32_t>::min());
        for (std::size_t i = 0; i < size_; ++i) {
            std::int32_t greater[lanes] = {};
            for (std::size_t j = 0; j < size_; j += lanes)
                for (std::size_t lane = 0; lane < lanes; ++lane) greater[lane] += half[j + lane] > half[i];
            above[i] = std::accumulate(greater, greater + lanes, 0);
        }
        for (std::size_t n = 0; n < size_; ++n) {
            const std::size_t i = later_first_ ? size_ - 1 - n : n;
            const auto a = static_cast<std::size_t>(above[i]);
            const std::size_t place = a + taken[a]++;
            number_[place] = static_cast<std::uint32_t>(i);
            group_[place] = above[i];
        }
        std::size_t end = 1;
        for (; end < size_ && (end < shown_ || group_[end] == group_[end - 1]); ++end)
            if (group_[end] == group_[end - 1] && key_[number_[end]] != key_[number_[end - 1]]) return false;
        beyond_ = end - shown_;
        return true;
    }

    std::int32_t upper_half(std::size_t i) const {
        if constexpr (std::is_same_v<Score, float>) {
            const float value = scores_[from_[i]];
            const auto bits = std::bit_cast<std::int32_t>(lower_ ? 0.0f - value : value + 0.0f);
            return bits ^ ((bits >> 31) & std::numeric_limits<std::int32_t>::max());
        } else {
            return static_cast<std::int32_t>(key_[i] >> 32);
        }
    }

    // Second way: a document is one whole number, its key with the lowest bits replaced by its own number, so that no
    // two are equal, ties are in order, and sorting moves nothing else. Keys that were 32-bit floats are whole in it.
    void pack() {
        for (std::size_t i = 0; i < size_; ++i) packed_[i] = (key_[i] & ~low_) | (static_cast<std::int64_t>(i) ^ turn_);
    }
    std::uint32_t unpacked(std::int64_t packed) const { return static_cast<std::uint32_t>((packed & low_) ^ turn_); }

    // The greatest `shown_` of all, in order.
    void select() {
        const auto first = packed_.begin(), cut = first + static_cast<std::ptrdiff_t>(shown_);
        const bool few = shown_ < size_ && shown_ <= few_documents;
        if (few) {
            std::fill(top_.begin(), top_.end(), std::numeric_limits<std::int64_t>::min());
            for (std::size_t i = 0; i < size_; ++i) {
                std::int64_t next = packed_[i];
                if (next <= top_[shown_ - 1]) continue;
                // Each place keeps the greater and passes the lesser on, without a branch that could be mispredicted.
                for (std::size_t j = 0; j < shown_; ++j) {
                    const std::int64_t kept = top_[j];
                    top_[j] = std::max(kept, next);
                    next = std::min(kept, next);
                }
            }
        } else {
            const auto end = first + static_cast<std::ptrdiff_t>(size_);
            if (shown_ < size_) std::nth_element(first, cut, end, std::greater<>());
            std::sort(first, cut, std::greater<>());
        }
        const std::int64_t* sorted = few ? top_.data() : packed_.data();
        for (std::size_t i = 0; i < shown_; ++i) {
            number_[i] = unpacked(sorted[i]);
            group_[i] = sorted[i] & ~low_;
        }
    }

    // Whether documents of one group have equal scores, as they nearly always do. Counts those beyond the cut.
    bool groups_are_ties() {
        for (std::size_t i = 1; i < shown_; ++i)
            if (group_[i] == group_[i - 1] && key_[number_[i]] != key_[number_[i - 1]]) return false;
        if (shown_ == size_) return true;
        const std::int64_t last = group_[shown_ - 1], key = key_[number_[shown_ - 1]];
        std::size_t same = 0, equal = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            same += (key_[i] & ~low_) == last;
            equal += key_[i] == key;
        }
        if (same != equal) return false;
        for (std::size_t i = shown_; i > 0 && group_[i - 1] == last; --i) --same;
        beyond_ = same;
        return true;
    }

    // Third way: whole keys and numbers, for scores that differ in their last bits only.
    void rank_exactly() {
        const auto before = [this](std::uint32_t a, std::uint32_t b) {
            if (key_[a] != key_[b]) return key_[a] > key_[b];
            return later_first_ ? a > b : a < b;
        };
        const auto end = number_.begin() + static_cast<std::ptrdiff_t>(size_);
        const auto cut = number_.begin() + static_cast<std::ptrdiff_t>(shown_);
        std::iota(number_.begin(), end, 0u);
        if (shown_ < size_) std::nth_element(number_.begin(), cut, end, before);
        std::sort(number_.begin(), cut, before);
        for (std::size_t i = 0; i < shown_; ++i) group_[i] = key_[number_[i]];
        const std::int64_t last = group_[shown_ - 1];
        beyond_ = static_cast<std::size_t>(
            std::count_if(cut, end, [&](std::uint32_t other) { return key_[other] == last; }));
    }

    const bool later_first_, single_, lower_;
    const std::size_t depth_;
    const std::int64_t low_, turn_;  // the bits that hold a number; what turns numbers around
    std::size_t size_ = 0, shown_ = 0, beyond_ = 0;
    const Score* scores_ = nullptr;
    std::vector<std::int64_t> key_;    // by number: of each document that was retrieved, in the order of columns
    std::vector<std::uint32_t> from_;  // by number: its column
    std::vector<std::int64_t> packed_, top_;
    std::vector<std::uint32_t> number_;  // by place
    std::vector<std::int64_t> group_;    // by place
};

}  // namespace rankproof
