// Orders of tied documents: random ones, drawn as NumPy draws them, and the rows of many copies of a query by rank.
#pragma once

#include <cstdint>
#include <vector>

namespace rankproof {

// NumPy's bitgen_t, the stable interface to its generators of random bits (numpy/random/bitgen.h).
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    std::uint64_t (*next_raw)(void*);
};

// `many` random orders of 0, 1, ..., size - 1, one after the other; of each the first `kept`. The numbers, and the bits
// that they take, are those of `Generator.permuted` on rows of an array: Fisher and Yates from the last place down, each
// place drawn by masking random bits until they are small enough.
std::vector<std::int32_t> random_orders(BitGenerator& bits, std::size_t many, std::size_t size, std::size_t kept);

// Row indices, the rows start[q]:start[q + 1] of each query by ascending rank; rows of equal rank stay as they came.
std::vector<std::int64_t> by_rank(const std::int64_t* start, std::size_t queries, const std::int32_t* rank);

}  // namespace rankproof
