// What must hold for rows and judgments: they are what a plain reading gives, and what is accepted is sound.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "judgments.hpp"
#include "reference.hpp"
#include "require.hpp"
#include "rows.hpp"

namespace fuzz {

using rankproof::NumberState;

inline std::string query_of(const Rows& rows, std::size_t i) {
    return std::string(rows.queries.names()[static_cast<std::size_t>(rows.query[i])]);
}

inline std::string label_of(const Rows& rows, std::size_t i) {
    return rows.label[i] < 0 ? "" : std::string(rows.labels.names()[static_cast<std::size_t>(rows.label[i])]);
}

inline void check_rows(const Rows& rows, string_view text, const Layout& layout) {
    const PlainText plain = plain_read(std::string(text), layout);
    REQUIRE(rows.size() == plain.rows.size() && rows.fault_count == plain.faults, "rows and faulty lines");
    std::vector<std::int64_t> undecodable;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PlainRow& row = plain.rows[i];
        if (!plain_text(row.query) || !plain_text(row.doc) || !plain_text(row.label)) undecodable.push_back(row.line);
        REQUIRE(query_of(rows, i) == row.query && rows.doc[i] == row.doc, "ids");
        REQUIRE(!row.query.empty() && !row.doc.empty(), "ids that are there");
        REQUIRE(layout.label < 0 ? rows.label[i] == -1 : label_of(rows, i) == row.label, "a label");
        REQUIRE(rows.line[i] == row.line, "a line number");
        const auto state = static_cast<NumberState>(rows.state[i]);
        REQUIRE((state == NumberState::absent) == (layout.number < 0), "a number's presence");
        REQUIRE(state != NumberState::ok || std::isfinite(rows.number[i]), "a finite number");
        REQUIRE(layout.rank >= 0 ? rows.rank[i] != rankproof::no_rank : rows.rank[i] == rankproof::no_rank, "a rank");
    }
    REQUIRE(rows.undecodable == undecodable, "lines that are not text");
}

using Judged = std::tuple<std::string, std::string, std::int32_t>;

// How many rows an earlier row has already said, by the plainest means.
inline std::size_t plain_doubles(const Rows& rows, bool labels) {
    std::set<Judged> seen;
    for (std::size_t i = 0; i < rows.size(); ++i)
        seen.insert({query_of(rows, i), std::string(rows.doc[i]), labels ? rows.label[i] : 0});
    return rows.size() - seen.size();
}

inline void check_duplicates(const Rows& rows, bool labels) {
    const auto [again, first] = rows.duplicates(labels);
    REQUIRE(again.size() == plain_doubles(rows, labels), "the number of doubles");
    for (std::size_t k = 0; k < again.size(); ++k) {
        const auto a = static_cast<std::size_t>(again[k]), f = static_cast<std::size_t>(first[k]);
        REQUIRE(f < a && (k == 0 || again[k - 1] < again[k]), "doubles from the top");
        REQUIRE(rows.doc[a] == rows.doc[f] && rows.query[a] == rows.query[f], "a double");
        REQUIRE(!labels || rows.label[a] == rows.label[f], "a double's label");
    }
}

// The order of rows: each query's together, better before worse, and nothing lost.
inline void check_sorted(const Rows& rows, const Order& order) {
    const std::vector<std::int64_t> index = rows.sorted(order);
    REQUIRE(std::set<std::int64_t>(index.begin(), index.end()).size() == rows.size() && index.size() == rows.size(),
            "a permutation");
    for (std::size_t k = 1; k < index.size(); ++k) {
        const auto a = static_cast<std::size_t>(index[k - 1]), b = static_cast<std::size_t>(index[k]);
        REQUIRE(rows.query[a] <= rows.query[b], "queries as they came");
        const auto ok = static_cast<std::uint8_t>(NumberState::ok);
        if (rows.query[a] != rows.query[b] || rows.state[a] != ok || rows.state[b] != ok) continue;
        const PlainDoc first{std::string(rows.doc[a]), plain_key(order, rows.number[a], rows.rank[a], a), a};
        const PlainDoc second{std::string(rows.doc[b]), plain_key(order, rows.number[b], rows.rank[b], b), b};
        REQUIRE(plain_before(first, second, order), "rows in order");
    }
    const Rows taken = rows.take(index.data(), index.size());
    REQUIRE(taken.size() == rows.size() && taken.doc.data.size() == rows.doc.data.size(), "rows taken");
}

// Pools are the rows' documents, each once with its best grade, the best first.
inline void check_judgments(const rankproof::Judgments& judgments, const Rows& rows) {
    const auto& faults = judgments.faults;
    REQUIRE(judgments.size() == rows.queries.size() && judgments.grade.size() == judgments.doc.size(), "pools");
    REQUIRE(faults.duplicate_judgment + faults.conflicting_judgment == plain_doubles(rows, true), "doubled judgments");
    std::map<std::pair<std::string, std::string>, std::int32_t> best;
    std::size_t bad = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double value = rows.number[i];
        const bool good = rows.state[i] == 0 && std::trunc(value) == value && std::fabs(value) <= 2e9;
        bad += !good;
        const std::int32_t grade = good ? static_cast<std::int32_t>(value) : 0;
        const auto [it, fresh] = best.try_emplace({query_of(rows, i), std::string(rows.doc[i])}, grade);
        if (!fresh) it->second = std::max(it->second, grade);
    }
    REQUIRE(bad == faults.not_a_number + faults.fractional_grade, "grades that are none");
    REQUIRE(best.size() == judgments.grade.size(), "judged documents");
    for (std::size_t q = 0; q < judgments.size(); ++q) {
        const std::string name(judgments.queries.names()[q]);
        REQUIRE(name == rows.queries.names()[q], "judged queries");
        for (auto d = static_cast<std::size_t>(judgments.start[q]); d < static_cast<std::size_t>(judgments.start[q + 1]); ++d) {
            REQUIRE(best.at({name, std::string(judgments.doc[d])}) == judgments.grade[d], "a grade");
            REQUIRE(d == static_cast<std::size_t>(judgments.start[q]) || judgments.grade[d - 1] >= judgments.grade[d], "best first");
        }
    }
    if (!judgments.has_subtopics) return;
    const auto& parts = judgments.subtopics;
    REQUIRE(parts.doc.size() == rows.size() && parts.start.size() == judgments.size() + 1, "subtopics");
    for (std::size_t q = 0; q < judgments.size(); ++q)
        for (auto k = static_cast<std::size_t>(parts.start[q]); k < static_cast<std::size_t>(parts.start[q + 1]); ++k)
            REQUIRE(parts.doc[k] >= judgments.start[q] && parts.doc[k] < judgments.start[q + 1] &&
                        parts.subtopic[k] >= 0 && parts.subtopic[k] < parts.number[q],
                    "a subtopic's place");
}

// Judgments straight from the text are those of the rows, and there are none where the rows have anything to explain.
inline void check_straight(const std::optional<rankproof::Judgments>& straight, const rankproof::Judgments& judgments,
                           const Rows& rows) {
    if (!straight) return;
    const auto& f = judgments.faults;
    REQUIRE(rows.size() > 0 && f.wrong_columns + f.not_a_number + f.fractional_grade + f.conflicting_judgment +
                                       f.duplicate_judgment + f.undecodable_bytes == 0,
            "nothing to explain");
    REQUIRE(straight->start == judgments.start && straight->grade == judgments.grade && straight->hash == judgments.hash,
            "the same pools");
    REQUIRE(straight->doc.data == judgments.doc.data && straight->doc.start == judgments.doc.start, "the same documents");
    REQUIRE(straight->queries.names().data == judgments.queries.names().data &&
                straight->queries.names().start == judgments.queries.names().start,
            "the same queries");
}

}  // namespace fuzz
