#include "ranking.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace rankproof {

// Puts the block's ids into the hash table; counts doubles. All documents are looked at, not only judged ones.
std::size_t Placer::index(const Block& block) {
    // A quarter full at most: an insertion then rarely has to look at a second slot.
    const std::size_t size = std::max<std::size_t>(16, std::bit_ceil(block.size * 3));
    slots_.assign(size, 0);
    const std::size_t mask = size - 1;
    std::size_t doubles = 0;
    for (std::size_t i = 0; i < block.size; ++i) {
        const std::uint64_t h = block.hash[i];
        std::size_t slot = h & mask;
        while (slots_[slot] != 0) {
            const std::size_t j = slots_[slot] - 1;
            if (block.hash[j] == h && block.doc(j) == block.doc(i)) {
                ++doubles;
                break;
            }
            slot = (slot + 1) & mask;
        }
        if (slots_[slot] == 0) slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
    return doubles;
}

std::size_t Placer::place(const Block& block, std::int64_t q, Placed& out) {
    const std::size_t doubles = index(block);
    if (q < 0 || doubles > 0) return doubles;
    // The pool is looked up in the ranking, not the other way round: pools are mostly the smaller side.
    const std::size_t mask = slots_.size() - 1;
    found_.clear();
    for (std::int64_t d = judgments_.start[static_cast<std::size_t>(q)];
         d < judgments_.start[static_cast<std::size_t>(q) + 1]; ++d) {
        const std::uint64_t h = judgments_.hash[static_cast<std::size_t>(d)];
        for (std::size_t slot = h & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
            const std::uint32_t i = slots_[slot] - 1;
            if (block.hash[i] == h && block.doc(i) == judgments_.doc[static_cast<std::size_t>(d)]) {
                found_.push_back({i, d, 0, 0, 0});
                break;
            }
        }
    }
    if (found_.empty()) return 0;
    bool falling = true;
    for (std::size_t i = 1; i < block.size; ++i) falling &= block.key[i - 1] >= block.key[i];
    if (falling) place_descending(block);
    else place_by_counting(block);
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.rank < b.rank; });
    for (const Found& f : found_) {
        out.rank.push_back(f.rank);
        out.tie_first.push_back(f.first);
        out.tie_last.push_back(f.last);
        out.doc.push_back(f.doc);
    }
    return 0;
}

// Keys never rise: a tie group is a stretch of neighbors.
void Placer::place_descending(const Block& block) {
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.at < b.at; });
    std::size_t a = 0, b = 0, in_group = 0;
    for (Found& f : found_) {
        const double k = block.key[f.at];
        if (f.at >= b) {
            a = f.at;
            b = f.at + 1;
            in_group = 0;
            while (a > 0 && block.key[a - 1] == k) --a;
            while (b < block.size && block.key[b] == k) ++b;
        }
        // Many judged documents in one large tie: sorting it once beats comparing each with all.
        if (b - a > 1 && ++in_group > many_in_tie) return place_by_sorting(block);
        std::size_t before = 0;
        for (std::size_t j = a; b - a > 1 && j < b; ++j)
            before += j != f.at && order_.wins_tie(block.doc(j), j, block.doc(f.at), f.at);
        f.first = static_cast<std::int32_t>(a + 1);
        f.last = static_cast<std::int32_t>(b);
        f.rank = static_cast<std::int32_t>(a + before + 1);
    }
}

// An unsorted list: each document is counted between the keys of the few that are to be placed, which is cheaper
// than sorting them all.
void Placer::place_by_counting(const Block& block) {
    wanted_.clear();
    for (const Found& f : found_) wanted_.push_back(block.key[f.at]);
    std::sort(wanted_.begin(), wanted_.end(), std::greater<>());
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    const std::size_t n = wanted_.size();
    equal_.assign(n + 1, 0);
    above_.assign(n + 1, 0);  // above_[i]: documents below wanted key i - 1 and above wanted key i
    for (std::size_t j = 0; j < block.size; ++j) {
        const double k = block.key[j];
        // How many wanted keys are greater: a binary search whose steps do not branch.
        const double* base = wanted_.data();
        for (std::size_t length = n; length > 1;) {
            const std::size_t half = length / 2;
            base += base[half - 1] > k ? half : 0;
            length -= half;
        }
        const auto i = static_cast<std::size_t>(base - wanted_.data()) + (*base > k);
        const bool same_key = i < n && wanted_[i] == k;
        equal_[i] += same_key;
        above_[i] += !same_key;
    }
    first_.resize(n);
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < n; ++i) {
        before += above_[i];
        first_[i] = before;
        before += equal_[i];
    }
    std::size_t tied = 0;
    for (Found& f : found_) {
        const double k = block.key[f.at];
        const auto i = static_cast<std::size_t>(
            std::lower_bound(wanted_.begin(), wanted_.end(), k, std::greater<>()) - wanted_.begin());
        if (equal_[i] > 1 && ++tied > many_in_tie) return place_by_sorting(block);
        std::uint32_t ahead = 0;
        for (std::size_t j = 0; equal_[i] > 1 && j < block.size; ++j)
            ahead += block.key[j] == k && j != f.at && order_.wins_tie(block.doc(j), j, block.doc(f.at), f.at);
        f.first = static_cast<std::int32_t>(first_[i] + 1);
        f.last = static_cast<std::int32_t>(first_[i] + equal_[i]);
        f.rank = static_cast<std::int32_t>(first_[i] + ahead + 1);
    }
}

void Placer::place_by_sorting(const Block& block) {
    turn_.resize(block.size);
    position_.resize(block.size);
    for (std::size_t i = 0; i < block.size; ++i) turn_[i] = static_cast<std::uint32_t>(i);
    std::sort(turn_.begin(), turn_.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (block.key[a] != block.key[b]) return block.key[a] > block.key[b];
        return order_.wins_tie(block.doc(a), a, block.doc(b), b);
    });
    for (std::size_t i = 0; i < block.size; ++i) position_[turn_[i]] = static_cast<std::uint32_t>(i);
    // One walk over the sorted list gives every document its tie group.
    first_.resize(block.size);
    last_.resize(block.size);
    for (std::size_t a = 0, b; a < block.size; a = b) {
        for (b = a + 1; b < block.size && block.key[turn_[b]] == block.key[turn_[a]];) ++b;
        for (std::size_t i = a; i < b; ++i) first_[i] = static_cast<std::uint32_t>(a), last_[i] = static_cast<std::uint32_t>(b);
    }
    for (Found& f : found_) {
        const std::size_t at = position_[f.at];
        f.first = static_cast<std::int32_t>(first_[at] + 1);
        f.last = static_cast<std::int32_t>(last_[at]);
        f.rank = static_cast<std::int32_t>(at + 1);
    }
}

bool Placer::rank_disagrees(const Block& block) {
    if (!block.ranked || order_.by != By::score) return false;
    bool rising = true, falling = true;
    for (std::size_t i = 1; i < block.size; ++i) {
        rising &= block.rank[i - 1] < block.rank[i];
        falling &= block.key[i - 1] >= block.key[i];
    }
    if (rising) return !falling;
    turn_.resize(block.size);
    for (std::size_t i = 0; i < block.size; ++i) turn_[i] = static_cast<std::uint32_t>(i);
    std::sort(turn_.begin(), turn_.end(), [&](std::uint32_t a, std::uint32_t b) {
        // Equal ranks contradict nothing: of two such documents the better key is taken first.
        return block.rank[a] != block.rank[b] ? block.rank[a] < block.rank[b] : block.key[a] > block.key[b];
    });
    for (std::size_t i = 1; i < block.size; ++i)
        if (block.key[turn_[i - 1]] < block.key[turn_[i]]) return true;
    return false;
}

}  // namespace rankproof
