// BM25: what each document scores for the terms of a query, and the best of them.
#pragma once

#include <string>
#include <vector>

#include "postings.hpp"

namespace rankproof {

// The variants of Kamphuis et al., Which BM25 Do You Mean?, ECIR 2020; rarity is the caller's. `shared` is the part of
// a term that lucene and robertson have, `scaled` that of atire.
enum class Formula { shared, scaled, lower_bounded_length, lower_bounded };

struct Weighted {
    const TermIndex* index;
    double weight;
};

struct Best {
    std::vector<std::int64_t> doc;
    std::vector<double> score;
};

// Scores documents field by field, with all arithmetic in the order in which NumPy does it on whole arrays: the same
// doubles come out. `norm` has a number for each document: how its length counts, times k1 but for
// `lower_bounded_length`.
class Bm25 {
public:
    Bm25(std::vector<Weighted> fields, std::vector<double> norm, Formula formula, double k1, double delta);

    std::size_t documents() const { return norm_.size(); }

    // How many documents have each term, in any field.
    std::vector<std::int64_t> having(const std::vector<std::string>& terms) const;

    // The best documents that score more than nothing; of equal ones that with the smaller `place`. A term that stands
    // twice counts twice; `rarity` has a number for each.
    Best best(const std::vector<std::string>& terms, const double* rarity, const std::int32_t* place,
              std::size_t depth) const;

private:
    template <class Use>
    void each_posting(const std::string& term, std::vector<Room>& rooms, Use use) const;
    double part(double often, double norm) const;

    std::vector<Weighted> fields_;
    std::vector<double> norm_;
    Formula formula_;
    double k1_, delta_;
};

// The place of each string when they descend by their bytes.
std::vector<std::int32_t> descending_places(const std::vector<string_view>& names);

}  // namespace rankproof
