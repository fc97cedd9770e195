#include "judgments.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace rankproof {

namespace {

// The grade of a row, if it is a whole number that fits; otherwise the fault is counted and 0 stands in.
std::int32_t whole_grade(const Rows& rows, std::size_t row, JudgmentFaults& faults) {
    if (rows.state[row] != static_cast<std::uint8_t>(NumberState::ok)) {
        ++faults.not_a_number;
        return 0;
    }
    const double value = rows.number[row];
    if (value != std::floor(value) || std::abs(value) > 2e9) {
        ++faults.fractional_grade;
        return 0;
    }
    return static_cast<std::int32_t>(value);
}

// The same label again is a double judgment; another label is another subtopic.
void count_doubles(const Rows& rows, JudgmentFaults& faults) {
    const auto [again, first] = rows.duplicates(true);
    for (std::size_t k = 0; k < again.size(); ++k) {
        const bool same = rows.number[static_cast<std::size_t>(again[k])] == rows.number[static_cast<std::size_t>(first[k])];
        ++(same ? faults.duplicate_judgment : faults.conflicting_judgment);
    }
}

// One distinct document of a query.
struct Entry {
    std::int64_t row;
    std::uint64_t hash;
    std::int32_t grade;
};

}  // namespace

Judgments Judgments::from_rows(const Rows& rows, bool with_subtopics) {
    Judgments out;
    out.faults.wrong_columns = rows.fault_count;
    out.faults.undecodable_bytes = rows.undecodable.size();
    out.has_subtopics = with_subtopics;
    std::vector<std::int64_t> start, index;
    rows.group(start, index);
    out.grade.reserve(rows.size());
    out.hash.reserve(rows.size());
    out.doc.start.reserve(rows.size() + 1);
    out.doc.data.reserve(rows.doc.data.size());
    if (with_subtopics) out.subtopics.start.push_back(0);

    std::vector<Entry> entries;
    std::vector<std::uint32_t> slots, place, of_row;
    bool repeated = false;  // some document has several rows
    for (std::size_t q = 0; q + 1 < start.size(); ++q) {
        const auto n = static_cast<std::size_t>(start[q + 1] - start[q]);
        const std::int64_t* block = index.data() + start[q];
        entries.clear();
        of_row.resize(n);
        std::size_t size = 4;
        while (size < 2 * n) size *= 2;
        slots.assign(size, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = static_cast<std::size_t>(block[i]);
            const std::int32_t grade = whole_grade(rows, row, out.faults);
            const std::uint64_t h = hash_bytes(rows.doc[row]);
            std::size_t slot = h & (size - 1);
            while (slots[slot] != 0) {
                const Entry& e = entries[slots[slot] - 1];
                if (e.hash == h && rows.doc[static_cast<std::size_t>(e.row)] == rows.doc[row]) break;
                slot = (slot + 1) & (size - 1);
            }
            if (slots[slot] == 0) {
                entries.push_back({block[i], h, grade});
                slots[slot] = static_cast<std::uint32_t>(entries.size());
            } else {
                Entry& e = entries[slots[slot] - 1];
                e.grade = std::max(e.grade, grade);
                repeated = true;
            }
            of_row[i] = slots[slot] - 1;
        }
        place.resize(entries.size());
        std::vector<std::uint32_t>& turn = slots;  // reused: the table is no longer needed
        turn.resize(entries.size());
        for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = static_cast<std::uint32_t>(i);
        std::stable_sort(turn.begin(), turn.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return entries[a].grade > entries[b].grade; });
        out.queries.add(rows.queries.names()[q]);
        const std::int64_t first = out.start.back();
        for (std::size_t i = 0; i < turn.size(); ++i) {
            const Entry& e = entries[turn[i]];
            place[turn[i]] = static_cast<std::uint32_t>(i);
            out.doc.push(rows.doc[static_cast<std::size_t>(e.row)]);
            out.hash.push_back(e.hash);
            out.grade.push_back(e.grade);
        }
        out.start.push_back(static_cast<std::int64_t>(out.grade.size()));
        if (!with_subtopics) continue;
        std::unordered_map<std::int32_t, std::int32_t> numbers;  // label -> subtopic of this query
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = static_cast<std::size_t>(block[i]);
            const auto [it, fresh] = numbers.try_emplace(rows.label[row], static_cast<std::int32_t>(numbers.size()));
            out.subtopics.doc.push_back(first + place[of_row[i]]);
            out.subtopics.subtopic.push_back(it->second);
            JudgmentFaults counted_above;
            out.subtopics.grade.push_back(whole_grade(rows, row, counted_above));
        }
        out.subtopics.number.push_back(static_cast<std::int64_t>(numbers.size()));
        out.subtopics.start.push_back(static_cast<std::int64_t>(out.subtopics.doc.size()));
    }
    if (repeated) count_doubles(rows, out.faults);
    return out;
}

}  // namespace rankproof
