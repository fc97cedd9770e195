// What must hold for joins: text and rows give the same, however it is cut and by however many it is read.
#pragma once

#include <set>

#include "joined.hpp"
#include "row_properties.hpp"

namespace fuzz {

using rankproof::Joined;
using rankproof::Judgments;

inline void check_same(const Joined& a, const Joined& b, const char* what) {
    REQUIRE(a.in_run == b.in_run && a.retrieved == b.retrieved && a.start == b.start, what);
    REQUIRE(a.placed.rank == b.placed.rank && a.placed.doc == b.placed.doc, what);
    REQUIRE(a.placed.tie_first == b.placed.tie_first && a.placed.tie_last == b.placed.tie_last, what);
    REQUIRE(a.unjudged_queries == b.unjudged_queries && a.rows == b.rows && a.tag == b.tag, what);
    const auto &f = a.faults, &g = b.faults;
    REQUIRE(f.wrong_columns == g.wrong_columns && f.not_a_number == g.not_a_number && f.nan_score == g.nan_score, what);
    REQUIRE(f.infinite_score == g.infinite_score && f.bad_rank == g.bad_rank, what);
    REQUIRE(f.duplicate_document == g.duplicate_document && f.rank_disagrees == g.rank_disagrees, what);
}

// Whether nothing keeps the join from being used.
inline bool accepted(const Joined& joined) {
    const auto& f = joined.faults;
    return f.wrong_columns + f.not_a_number + f.nan_score + f.infinite_score + f.bad_rank + f.duplicate_document +
               f.undecodable_bytes == 0;
}

inline void check_shape(const Joined& joined, const Judgments& judgments) {
    REQUIRE(joined.start.size() == judgments.size() + 1 && joined.start.front() == 0, "starts");
    REQUIRE(joined.start.back() == static_cast<std::int64_t>(joined.placed.size()), "the last start");
    for (std::size_t q = 0; q < judgments.size(); ++q) {
        for (auto k = static_cast<std::size_t>(joined.start[q]); k < static_cast<std::size_t>(joined.start[q + 1]); ++k) {
            const auto& p = joined.placed;
            REQUIRE(1 <= p.tie_first[k] && p.tie_first[k] <= p.rank[k] && p.rank[k] <= p.tie_last[k] &&
                        p.tie_last[k] <= joined.retrieved[q],
                    "a rank in its tie");
            REQUIRE(p.doc[k] >= judgments.start[q] && p.doc[k] < judgments.start[q + 1], "a document of the pool");
            REQUIRE(k == static_cast<std::size_t>(joined.start[q]) || p.rank[k - 1] < p.rank[k], "rising ranks");
        }
    }
}

// An accepted join against the ranking worked out from the rows, document by document.
inline void check_places(const Joined& joined, const Judgments& judgments, const Rows& rows, const Order& order) {
    std::map<std::string, std::vector<PlainDoc>> runs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<PlainDoc>& docs = runs[query_of(rows, i)];
        docs.push_back({std::string(rows.doc[i]), plain_key(order, rows.number[i], rows.rank[i], docs.size()), docs.size()});
    }
    std::size_t unjudged = runs.size();
    for (std::size_t q = 0; q < judgments.size(); ++q) {
        const auto found = runs.find(std::string(judgments.queries.names()[q]));
        REQUIRE(joined.in_run[q] == (found != runs.end()), "a query's presence");
        if (found == runs.end()) continue;
        --unjudged;
        REQUIRE(joined.retrieved[q] == static_cast<std::int64_t>(found->second.size()), "documents retrieved");
        const auto places = plain_places(found->second, order);
        REQUIRE(places.size() == found->second.size(), "no double accepted");
        std::int64_t placed = 0;
        for (std::int64_t d = judgments.start[q]; d < judgments.start[q + 1]; ++d)
            placed += static_cast<std::int64_t>(places.count(std::string(judgments.doc[static_cast<std::size_t>(d)])));
        REQUIRE(placed == joined.start[q + 1] - joined.start[q], "judged documents found");
        for (auto k = static_cast<std::size_t>(joined.start[q]); k < static_cast<std::size_t>(joined.start[q + 1]); ++k) {
            const auto& p = joined.placed;
            const PlainPlace place{p.rank[k], p.tie_first[k], p.tie_last[k]};
            REQUIRE(places.at(std::string(judgments.doc[static_cast<std::size_t>(p.doc[k])])) == place, "a place");
        }
    }
    REQUIRE(unjudged == joined.unjudged_queries.size(), "queries without judgments");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        REQUIRE(order.by != By::score || rows.state[i] == 0, "an accepted score");
        REQUIRE(order.by != By::rank || rows.rank[i] >= 0, "an accepted rank");
    }
}

}  // namespace fuzz
