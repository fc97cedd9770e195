#include "arrays.hpp"

#include <algorithm>
#include <cmath>

namespace rankproof {

namespace {

// Up to so many different grades are put in order by counting them.
constexpr std::int64_t few_grades = 32;

struct Scored {
    double key;
    std::uint32_t column;
};

struct Graded {
    std::int32_t grade;
    std::uint32_t column;
};

// Best grade first; documents of one grade by column, as they came.
class GradeOrder {
public:
    void sort(std::vector<Graded>& row) {
        if (row.empty()) return;
        std::int64_t least = row[0].grade, greatest = least;
        for (const Graded& g : row) {
            least = std::min<std::int64_t>(least, g.grade);
            greatest = std::max<std::int64_t>(greatest, g.grade);
        }
        if (greatest - least >= few_grades) {
            std::stable_sort(row.begin(), row.end(), [](const Graded& a, const Graded& b) { return a.grade > b.grade; });
            return;
        }
        std::uint32_t place[few_grades + 1] = {};
        for (const Graded& g : row) ++place[greatest - g.grade + 1];
        for (std::int64_t i = 1; i < few_grades; ++i) place[i] += place[i - 1];
        sorted_.resize(row.size());
        for (const Graded& g : row) sorted_[place[greatest - g.grade]++] = g;
        row.swap(sorted_);
    }

private:
    std::vector<Graded> sorted_;
};

}  // namespace

ArrayPool pool_of_arrays(const Shape& shape, const std::int32_t* labels) {
    ArrayPool pool;
    pool.start.reserve(shape.queries + 1);
    pool.start.push_back(0);
    pool.grade.reserve(shape.queries * shape.columns);
    pool.doc.assign(shape.queries * shape.columns, -1);
    std::vector<Graded> row;
    GradeOrder by_grade;
    for (std::size_t q = 0; q < shape.queries; ++q) {
        const std::size_t first = q * shape.columns;
        row.clear();
        for (std::size_t c = 0; c < shape.columns; ++c)
            if (shape.has(first + c, cell_judged)) row.push_back({labels[first + c], static_cast<std::uint32_t>(c)});
        by_grade.sort(row);
        for (const Graded& g : row) {
            pool.doc[first + g.column] = static_cast<std::int64_t>(pool.grade.size());
            pool.grade.push_back(g.grade);
        }
        pool.start.push_back(static_cast<std::int64_t>(pool.grade.size()));
    }
    return pool;
}

template <class Score>
Joined join_arrays(const Shape& shape, const Score* scores, const std::int64_t* doc, const Order& order,
                   std::size_t depth) {
    Joined joined(shape.queries);
    Placed& out = joined.placed;
    if (depth == 0 || depth > shape.columns) depth = shape.columns;
    const std::size_t most = shape.queries * depth;
    out.rank.resize(most);
    out.tie_first.resize(most);
    out.tie_last.resize(most);
    out.doc.resize(most);
    joined.start.reserve(shape.queries + 1);
    joined.start.push_back(0);
    const bool later_first = order.ties == Ties::id_descending;
    const auto before = [later_first](const Scored& a, const Scored& b) {
        if (a.key != b.key) return a.key > b.key;
        return later_first ? a.column > b.column : a.column < b.column;
    };
    std::vector<Scored> row;
    std::size_t rows = 0;
    for (std::size_t q = 0; q < shape.queries; ++q) {
        const std::size_t first = q * shape.columns;
        row.clear();
        for (std::size_t c = 0; c < shape.columns; ++c) {
            if (!shape.has(first + c, cell_retrieved)) continue;
            const auto score = static_cast<double>(scores[first + c]);
            if (!std::isfinite(score)) ++(std::isnan(score) ? joined.faults.nan_score : joined.faults.infinite_score);
            row.push_back({order.key(score, 0, c), static_cast<std::uint32_t>(c)});
        }
        const std::size_t size = row.size(), shown = std::min(size, depth);
        const auto cut = row.begin() + static_cast<std::ptrdiff_t>(shown);
        if (shown < size) std::nth_element(row.begin(), cut, row.end(), before);
        std::sort(row.begin(), cut, before);
        for (std::size_t i = 0, next = 0; i < shown; i = next) {
            for (next = i + 1; next < shown && row[next].key == row[i].key;) ++next;
            std::size_t last = next;
            // Below the cut documents are in no order, and some may be tied with the last above it.
            if (next == shown)
                last += static_cast<std::size_t>(
                    std::count_if(cut, row.end(), [&](const Scored& s) { return s.key == row[i].key; }));
            for (std::size_t j = i; j < next; ++j) {
                const std::int64_t place = doc[first + row[j].column];
                if (place < 0) continue;
                out.rank[rows] = static_cast<std::int32_t>(j + 1);
                out.tie_first[rows] = static_cast<std::int32_t>(i + 1);
                out.tie_last[rows] = static_cast<std::int32_t>(last);
                out.doc[rows++] = place;
            }
        }
        joined.in_run[q] = size == 0 ? 0 : 1;
        joined.retrieved[q] = static_cast<std::int64_t>(size);
        joined.rows += size;
        joined.start.push_back(static_cast<std::int64_t>(rows));
    }
    out.rank.resize(rows);
    out.tie_first.resize(rows);
    out.tie_last.resize(rows);
    out.doc.resize(rows);
    return joined;
}

template Joined join_arrays(const Shape&, const float*, const std::int64_t*, const Order&, std::size_t);
template Joined join_arrays(const Shape&, const double*, const std::int64_t*, const Order&, std::size_t);

}  // namespace rankproof
