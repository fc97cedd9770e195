#include "arrays.hpp"

#include <algorithm>
#include <limits>

#include "parallel.hpp"
#include "ranked_row.hpp"

namespace rankproof {

namespace {

// A grade range of this size is put in order by counting.
constexpr std::int64_t few_grades = 32;
// Rows are shared out in parts of about so many cells: a thread that is started costs as much as some ten thousand.
constexpr std::size_t part_cells = std::size_t{1} << 16;

// Places of the judged documents of one row in the pool: best grade first, documents of one grade by column.
class PoolRow {
public:
    explicit PoolRow(std::size_t columns) : place_(columns), above_(columns), sorted_(columns) {}

    // Writes the grades as the pool has them.
    void sort(const std::int32_t* labels, const std::uint8_t* cells, std::int32_t* grade) {
        if (cells == nullptr) sort(labels, grade, [](std::size_t) { return true; });
        else sort(labels, grade, [cells](std::size_t c) { return (cells[c] & cell_judged) != 0; });
    }

    // The place of a column, -1 where it is not judged.
    std::int32_t place(std::uint32_t column) const { return place_[column]; }

private:
    // Most documents of a row have its least grade: only the others are sorted.
    template <class Judged>
    void sort(const std::int32_t* labels, std::int32_t* grade, const Judged& judged) {
        constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
        const std::size_t columns = place_.size();
        std::int32_t least = none, greatest = std::numeric_limits<std::int32_t>::min();
        for (std::size_t c = 0; c < columns; ++c) {
            least = std::min(least, judged(c) ? labels[c] : least);
            greatest = std::max(greatest, judged(c) ? labels[c] : greatest);
        }
        std::size_t above = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            above_[above] = static_cast<std::uint32_t>(c);
            above += labels[c] != least && judged(c);
        }
        auto next = static_cast<std::int32_t>(above);
        for (std::size_t c = 0; c < columns; ++c) {
            place_[c] = judged(c) ? next : -1;
            next += labels[c] == least && judged(c);
        }
        sort_above(labels, above, std::int64_t{greatest} - least, greatest);
        for (std::size_t i = 0; i < above; ++i) {
            grade[i] = labels[above_[i]];
            place_[above_[i]] = static_cast<std::int32_t>(i);
        }
        std::fill(grade + above, grade + next, least);
    }

    void sort_above(const std::int32_t* labels, std::size_t above, std::int64_t range, std::int64_t greatest) {
        if (above < 2) return;
        const auto end = above_.begin() + static_cast<std::ptrdiff_t>(above);
        if (range >= few_grades) {
            std::sort(above_.begin(), end, [labels](std::uint32_t a, std::uint32_t b) {
                return labels[a] != labels[b] ? labels[a] > labels[b] : a < b;
            });
            return;
        }
        std::uint32_t first[few_grades + 1] = {};
        for (std::size_t i = 0; i < above; ++i) ++first[greatest - labels[above_[i]] + 1];
        for (std::int64_t i = 1; i < range; ++i) first[i] += first[i - 1];
        for (std::size_t i = 0; i < above; ++i) sorted_[first[greatest - labels[above_[i]]]++] = above_[i];
        std::copy_n(sorted_.begin(), above, above_.begin());
    }

    std::vector<std::int32_t> place_;
    std::vector<std::uint32_t> above_, sorted_;  // columns with a grade above the least
};

// Rows of the table, those of query q from q * depth on until they are closed up: threads need no one's count but theirs.
class Output {
public:
    Output(ArrayJoin& join, std::size_t queries, std::size_t depth) : join_(join), depth_(depth), count_(queries) {
        resize(queries * depth);
    }

    template <class Score>
    void write(std::size_t q, const RankedRow<Score>& ranked, const PoolRow& pool) {
        Placed& out = join_.joined.placed;
        const std::size_t first = q * depth_, shown = ranked.shown();
        std::size_t row = first;
        for (std::size_t i = 0, next = 0; i < shown; i = next) {
            for (next = i + 1; next < shown && ranked.group(next) == ranked.group(i);) ++next;
            // Documents below the cut may be tied with the last above it.
            const std::size_t last = next == shown ? next + ranked.beyond() : next;
            for (std::size_t j = i; j < next; ++j) {
                const std::int32_t place = pool.place(ranked.column(j));
                if (place < 0) continue;
                out.rank[row] = static_cast<std::int32_t>(j + 1);
                out.tie_first[row] = static_cast<std::int32_t>(i + 1);
                out.tie_last[row] = static_cast<std::int32_t>(last);
                out.doc[row++] = join_.start[q] + place;
            }
        }
        count_[q] = row - first;
        join_.joined.in_run[q] = ranked.size() == 0 ? 0 : 1;
        join_.joined.retrieved[q] = static_cast<std::int64_t>(ranked.size());
    }

    // Closes the gaps after rows of less than `depth` documents.
    void close() {
        Placed& out = join_.joined.placed;
        std::vector<std::int64_t>& start = join_.joined.start;
        start.reserve(count_.size() + 1);
        start.push_back(0);
        std::size_t rows = 0;
        for (std::size_t q = 0; q < count_.size(); ++q) {
            const std::size_t from = q * depth_, many = count_[q];
            if (from != rows) {
                std::copy_n(out.rank.data() + from, many, out.rank.data() + rows);
                std::copy_n(out.tie_first.data() + from, many, out.tie_first.data() + rows);
                std::copy_n(out.tie_last.data() + from, many, out.tie_last.data() + rows);
                std::copy_n(out.doc.data() + from, many, out.doc.data() + rows);
            }
            rows += many;
            start.push_back(static_cast<std::int64_t>(rows));
            join_.joined.rows += static_cast<std::size_t>(join_.joined.retrieved[q]);
        }
        resize(rows);
    }

private:
    void resize(std::size_t rows) {
        Placed& out = join_.joined.placed;
        out.rank.resize(rows);
        out.tie_first.resize(rows);
        out.tie_last.resize(rows);
        out.doc.resize(rows);
    }

    ArrayJoin& join_;
    std::size_t depth_;
    std::vector<std::size_t> count_;
};

// Where each query's pool begins.
std::vector<std::int64_t> starts(const Shape& shape) {
    std::vector<std::int64_t> start{0};
    start.reserve(shape.queries + 1);
    for (std::size_t q = 0; q < shape.queries; ++q) {
        std::size_t judged = shape.columns;
        if (shape.cells != nullptr) {
            const std::uint8_t* row = shape.cells + q * shape.columns;
            judged = 0;
            for (std::size_t c = 0; c < shape.columns; ++c) judged += (row[c] & cell_judged) != 0;
        }
        start.push_back(start.back() + static_cast<std::int64_t>(judged));
    }
    return start;
}

}  // namespace

template <class Score>
ArrayJoin join_arrays(const Shape& shape, const Score* scores, const std::int32_t* labels, const Order& order,
                      std::size_t depth, unsigned threads) {
    const std::size_t columns = shape.columns;
    if (depth == 0 || depth > columns) depth = columns;
    ArrayJoin join(shape.queries);
    join.start = starts(shape);
    join.grade.resize(static_cast<std::size_t>(join.start.back()));
    Output output(join, shape.queries, depth);
    const std::size_t part = std::max<std::size_t>(1, part_cells / std::max<std::size_t>(1, columns));
    const std::size_t parts = (shape.queries + part - 1) / part;
    std::vector<RunFaults> faults(parts);
    share_out(parts, threads, [&] {
        return [&, ranked = RankedRow<Score>(columns, order, depth), pool = PoolRow(columns)](std::size_t i) mutable {
            for (std::size_t q = i * part; q < std::min(shape.queries, (i + 1) * part); ++q) {
                const std::size_t first = q * columns;
                const std::uint8_t* cells = shape.cells == nullptr ? nullptr : shape.cells + first;
                pool.sort(labels + first, cells, join.grade.data() + join.start[q]);
                ranked.rank(scores + first, cells, faults[i]);
                output.write(q, ranked, pool);
            }
        };
    });
    output.close();
    for (const RunFaults& counted : faults) join.joined.faults.add(counted);
    return join;
}

template ArrayJoin join_arrays(const Shape&, const float*, const std::int32_t*, const Order&, std::size_t, unsigned);
template ArrayJoin join_arrays(const Shape&, const double*, const std::int32_t*, const Order&, std::size_t, unsigned);

}  // namespace rankproof
