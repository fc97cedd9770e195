#include "tied.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace rankproof {

std::vector<std::int32_t> random_orders(BitGenerator& bits, std::size_t many, std::size_t size, std::size_t kept) {
    std::vector<std::int32_t> out;
    out.reserve(many * kept);
    std::vector<std::int32_t> place(size);
    for (std::size_t order = 0; order < many; ++order) {
        std::iota(place.begin(), place.end(), 0);
        std::size_t i = size > 0 ? size - 1 : 0;
        while (i > 0) {
            // All places that need as many bits are drawn in one loop. A draw that is too large changes places with
            // itself and is made again: cheaper than a branch that cannot be foretold.
            const auto mask = static_cast<std::uint32_t>(std::bit_ceil(i + 1) - 1);
            const std::size_t last = mask >> 1;
            while (i > last) {
                const std::size_t drawn = bits.next_uint32(bits.state) & mask;
                const bool fits = drawn <= i;
                std::swap(place[i], place[fits ? drawn : i]);
                i -= fits;
            }
        }
        out.insert(out.end(), place.begin(), place.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    return out;
}

namespace {

// Rows of one query by rank. Holds scratch space only.
class RankSorter {
public:
    // Ranks that are few bits apart are put in order by setting a bit for each; others are sorted.
    void sort(const std::int32_t* rank, std::size_t first, std::size_t end, std::int64_t* out) {
        const std::size_t size = end - first;
        bool rising = true;
        std::int32_t least = rank[first], greatest = rank[first];
        for (std::size_t i = first + 1; i < end; ++i) {
            rising &= rank[i - 1] <= rank[i];
            least = std::min(least, rank[i]);
            greatest = std::max(greatest, rank[i]);
        }
        if (rising) {
            std::iota(out, out + size, static_cast<std::int64_t>(first));
            return;
        }
        const std::size_t span = static_cast<std::size_t>(static_cast<std::int64_t>(greatest) - least) + 1;
        if (span > 64 * size || !by_bits(rank, first, end, least, span, out)) by_sorting(rank, first, end, out);
    }

private:
    // False where two rows have one rank.
    bool by_bits(const std::int32_t* rank, std::size_t first, std::size_t end, std::int32_t least, std::size_t span,
                 std::int64_t* out) {
        bits_.assign((span + 63) / 64, 0);
        if (row_.size() < span) row_.resize(span);
        for (std::size_t i = first; i < end; ++i) {
            const auto at = static_cast<std::size_t>(rank[i] - least);
            bits_[at / 64] |= std::uint64_t{1} << (at % 64);
            row_[at] = static_cast<std::int64_t>(i);
        }
        std::size_t different = 0;
        for (const std::uint64_t word : bits_) different += static_cast<std::size_t>(std::popcount(word));
        if (different < end - first) return false;
        for (std::size_t w = 0; w < bits_.size(); ++w)
            for (std::uint64_t word = bits_[w]; word != 0; word &= word - 1)
                *out++ = row_[64 * w + static_cast<std::size_t>(std::countr_zero(word))];
        return true;
    }

    static void by_sorting(const std::int32_t* rank, std::size_t first, std::size_t end, std::int64_t* out) {
        std::iota(out, out + (end - first), static_cast<std::int64_t>(first));
        std::sort(out, out + (end - first), [&](std::int64_t a, std::int64_t b) {
            return rank[a] != rank[b] ? rank[a] < rank[b] : a < b;
        });
    }

    std::vector<std::uint64_t> bits_;
    std::vector<std::int64_t> row_;
};

}  // namespace

std::vector<std::int64_t> by_rank(const std::int64_t* start, std::size_t queries, const std::int32_t* rank) {
    std::vector<std::int64_t> out(queries == 0 ? 0 : static_cast<std::size_t>(start[queries]));
    RankSorter sorter;
    for (std::size_t q = 0; q < queries; ++q) {
        const auto first = static_cast<std::size_t>(start[q]), end = static_cast<std::size_t>(start[q + 1]);
        if (end > first) sorter.sort(rank, first, end, out.data() + first);
    }
    return out;
}

}  // namespace rankproof
