// One query's ranking joined with its pool: the ranks and tie groups of the documents that are in the qrels.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "judgments.hpp"
#include "order.hpp"

namespace rankproof {

// The documents a run gives for one query, as they came. Ids point into the input.
struct Block {
    std::vector<const char*> id;
    std::vector<std::uint32_t> length;
    std::vector<std::uint64_t> hash;
    std::vector<double> key;
    std::vector<std::int64_t> rank;  // filled only when the input has ranks
    std::deque<std::string> kept;    // ids that are not in the input as they stand (unescaped ones)
    std::size_t size = 0;
    bool ranked = false;  // every row has a usable rank

    string_view doc(std::size_t i) const { return {id[i], length[i]}; }
    void clear() {
        size = 0;
        ranked = false;
        kept.clear();
    }
    void add(string_view doc, double k) {
        if (size == id.size()) grow();
        id[size] = doc.data();
        length[size] = static_cast<std::uint32_t>(doc.size());
        hash[size] = hash_bytes(doc);
        key[size] = k;
        ++size;
    }
    void add(string_view doc, double k, std::int64_t r) {
        add(doc, k);
        rank[size - 1] = r;
    }

private:
    void grow() {
        const std::size_t n = id.empty() ? 1024 : id.size() * 2;
        id.resize(n);
        length.resize(n);
        hash.resize(n);
        key.resize(n);
        rank.resize(n);
    }
};

// Columns of a JudgedTable, for some of its queries.
struct Placed {
    std::vector<std::int32_t> rank, tie_first, tie_last;
    std::vector<std::int64_t> doc;
    std::size_t size() const { return rank.size(); }

    void append(const Placed& from, std::size_t begin, std::size_t count) {
        const auto a = static_cast<std::ptrdiff_t>(begin), b = static_cast<std::ptrdiff_t>(begin + count);
        rank.insert(rank.end(), from.rank.begin() + a, from.rank.begin() + b);
        tie_first.insert(tie_first.end(), from.tie_first.begin() + a, from.tie_first.begin() + b);
        tie_last.insert(tie_last.end(), from.tie_last.begin() + a, from.tie_last.begin() + b);
        doc.insert(doc.end(), from.doc.begin() + a, from.doc.begin() + b);
    }
};

// Joins blocks with pools. Holds only scratch space: one for each thread.
class Placer {
public:
    Placer(const Judgments& judgments, const Order& order) : judgments_(judgments), order_(order) {}

    // Appends the rows of one query to `out`, by rank; q < 0 for a query without judgments, which has none.
    // Returns how many documents of the block are doubles.
    std::size_t place(const Block& block, std::int64_t q, Placed& out);

    // Whether reading the block by its rank column and by its keys gives contradicting orders.
    bool rank_disagrees(const Block& block);

private:
    static constexpr std::size_t many_in_tie = 32;
    struct Found {
        std::uint32_t at;
        std::int64_t doc;
        std::int32_t rank, first, last;
    };
    std::size_t index(const Block& block);
    void place_descending(const Block& block);
    void place_by_counting(const Block& block);
    void place_by_sorting(const Block& block);

    const Judgments& judgments_;
    const Order& order_;
    std::vector<std::uint32_t> slots_, turn_, position_, first_, last_, equal_, above_;
    std::vector<double> wanted_;
    std::vector<Found> found_;
};

}  // namespace rankproof
