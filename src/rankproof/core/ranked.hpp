// The document ids of a run's rankings, best first, straight from its text: no rows, and memory for the ids only.
#pragma once

#include <optional>

#include "order.hpp"
#include "strings.hpp"
#include "text_source.hpp"

namespace rankproof {

// Ids of query i: `ids[i]`, best first, each followed by a newline, which no id in a text can hold.
struct RankedIds {
    Numbering queries;  // in order of first appearance
    Strings ids;
};

// `depth`: how many documents of each query, 0 for all. `wanted`: the queries to read, nullptr for all.
// Nothing when the lines of a wanted query stand in several places: then all rows have to be brought together first.
std::optional<RankedIds> ranked_ids(const TextSource& text, const Layout& layout, const Order& order, std::size_t depth,
                                    const Numbering* wanted);

}  // namespace rankproof
