// The order of the documents of a query. Ties are ordered here and nowhere else.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "text.hpp"

namespace rankproof {

enum class By { score, rank, given };
enum class Ties { id_descending, id_ascending, given };

struct Order {
    By by = By::score;
    Ties ties = Ties::id_descending;
    bool single_precision = false;
    bool lower_is_better = false;

    static Order named(const std::string& by, const std::string& ties, const std::string& precision, bool lower) {
        Order o;
        if (by == "score") o.by = By::score;
        else if (by == "rank") o.by = By::rank;
        else if (by == "given") o.by = By::given;
        else throw std::invalid_argument("order by must be score, rank or given; got " + by);
        if (ties == "id_descending") o.ties = Ties::id_descending;
        else if (ties == "id_ascending") o.ties = Ties::id_ascending;
        else if (ties == "given") o.ties = Ties::given;
        else throw std::invalid_argument("ties must be id_descending, id_ascending or given; got " + ties);
        o.single_precision = precision == "float32";
        o.lower_is_better = lower;
        if (o.by != By::score) o.ties = Ties::given;
        return o;
    }

    // The number that decides: a greater key comes first. It is never NaN, which has no place in any order: a run
    // with such a score is refused, but until then it is sorted like others, with what is no number at the end.
    double key(double score, std::int64_t rank, std::size_t position) const {
        if (by == By::given) return -static_cast<double>(position);
        if (by == By::rank) return -static_cast<double>(rank);
        if (single_precision) score = static_cast<double>(static_cast<float>(score));
        if (score != score) return -std::numeric_limits<double>::infinity();
        return lower_is_better ? -score : score;
    }

    // Whether, of two documents with equal keys, a comes before b. Ids compare as bytes, as in trec_eval.
    bool wins_tie(string_view a, std::size_t a_position, string_view b, std::size_t b_position) const {
        if (ties == Ties::given) return a_position < b_position;
        const int c = a.compare(b);
        if (c == 0) return a_position < b_position;
        return ties == Ties::id_descending ? c > 0 : c < 0;
    }
};

}  // namespace rankproof
