// What a join gives: the columns of a JudgedTable, and counts of the faults seen on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ranking.hpp"

namespace rankproof {

// Counts only. A join with any of these but the last is not used: the checks then explain each fault by its line.
struct RunFaults {
    std::size_t wrong_columns = 0, not_a_number = 0, nan_score = 0, infinite_score = 0, bad_rank = 0,
                duplicate_document = 0, undecodable_bytes = 0, rank_disagrees = 0;

    // A score that is not there is a fault only where scores put documents in order.
    void count(NumberState state, By by) {
        if (state == NumberState::nan) ++nan_score;
        else if (state == NumberState::infinite) ++infinite_score;
        else if (state == NumberState::not_a_number || (state == NumberState::absent && by == By::score)) ++not_a_number;
    }
    void add(const RunFaults& o) {
        wrong_columns += o.wrong_columns;
        not_a_number += o.not_a_number;
        nan_score += o.nan_score;
        infinite_score += o.infinite_score;
        bad_rank += o.bad_rank;
        duplicate_document += o.duplicate_document;
        undecodable_bytes += o.undecodable_bytes;
        rank_disagrees += o.rank_disagrees;
    }
};

class Joined {
public:
    explicit Joined(std::size_t queries) : in_run(queries, 0), retrieved(queries, 0) {}

    // Lays rows out by query: those of query q are from[begin[q]:begin[q] + count[q]].
    void gather(const Placed& from, const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& count) {
        start.reserve(begin.size() + 1);
        start.push_back(0);
        for (std::size_t q = 0; q < begin.size(); ++q) {
            placed.append(from, static_cast<std::size_t>(begin[q]), static_cast<std::size_t>(count[q]));
            start.push_back(static_cast<std::int64_t>(placed.size()));
        }
    }

    std::vector<std::uint8_t> in_run;
    std::vector<std::int64_t> retrieved;
    std::vector<std::int64_t> start;
    Placed placed;
    std::vector<std::string> unjudged_queries;
    std::size_t rows = 0;
    RunFaults faults;
    std::string tag;
};

}  // namespace rankproof
