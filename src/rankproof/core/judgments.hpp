// Qrels prepared for joining: for each query its pool, best grade first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rows.hpp"
#include "strings.hpp"

namespace rankproof {

// Why judgments cannot be trusted; the checks explain each with its line.
struct JudgmentFaults {
    std::size_t wrong_columns = 0, not_a_number = 0, fractional_grade = 0, conflicting_judgment = 0,
                duplicate_judgment = 0, undecodable_bytes = 0;
};

// Which document covers which part of its query. `doc` points into the pool, `subtopic` counts within the query.
struct SubtopicEntries {
    std::vector<std::int64_t> start, number, doc;
    std::vector<std::int32_t> subtopic, grade;
};

class Judgments {
public:
    // A document judged under several labels (subtopics) has the best of its grades in the pool.
    static Judgments from_rows(const Rows& rows, bool with_subtopics);

    // TREC qrels straight from their text, when no line leaves a doubt; nothing otherwise: the text is then read as
    // rows, which can be explained. `chunk_bytes`: about how much is read at a time; two chunks and more are worth a
    // second thread.
    static std::optional<Judgments> from_text(const TextSource& text, const Layout& layout,
                                              std::size_t chunk_bytes = std::size_t{1} << 19);

    std::size_t size() const { return start.size() - 1; }

    // Puts the queries of other judgments behind these; false when a query is in both.
    bool append(const Judgments& other);

    // The same judgments, and behind them every other document that the runs have for a judged query, in the order of
    // the runs and their rows. Those have the grade `mark`, which is below all grades here.
    Judgments widened(const std::vector<const Rows*>& runs, std::int32_t mark) const;

    Numbering queries;
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> grade;
    Strings doc;
    std::vector<std::uint64_t> hash;
    bool has_subtopics = false;
    SubtopicEntries subtopics;
    JudgmentFaults faults;
};

}  // namespace rankproof
