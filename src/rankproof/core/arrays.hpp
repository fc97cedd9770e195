// Matrices of scores and grades, one query a row: the pool and the ranks of its documents, without a single id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "joined.hpp"
#include "order.hpp"

namespace rankproof {

// What a cell of the matrices is, as bits: a document that was retrieved, one that was judged, both or neither.
enum Cell : std::uint8_t { cell_retrieved = 1, cell_judged = 2 };

// A matrix of `queries` rows and `columns` columns; without cells every document is retrieved and judged.
struct Shape {
    std::size_t queries, columns;
    const std::uint8_t* cells;
};

// A pool, and the ranks of its documents: all that a JudgedTable needs.
struct ArrayJoin {
    explicit ArrayJoin(std::size_t queries) : joined(queries) {}

    std::vector<std::int64_t> start;
    std::vector<std::int32_t> grade;  // by query, best first; documents of one grade by column
    Joined joined;
};

// The retrieved documents of each row in order, those of the pool placed. Of tied documents the column decides as an id
// would: the greater first for id_descending. Only the first `depth` documents are placed, 0 for all; tie groups are
// whole all the same. Scores that are no numbers are counted as faults. `threads`: 0 for as many as the machine has and
// the matrix is worth.
template <class Score>
ArrayJoin join_arrays(const Shape& shape, const Score* scores, const std::int32_t* labels, const Order& order,
                      std::size_t depth, unsigned threads);

extern template ArrayJoin join_arrays(const Shape&, const float*, const std::int32_t*, const Order&, std::size_t,
                                      unsigned);
extern template ArrayJoin join_arrays(const Shape&, const double*, const std::int32_t*, const Order&, std::size_t,
                                      unsigned);

}  // namespace rankproof
