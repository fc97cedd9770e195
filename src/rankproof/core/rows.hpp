// Rows as read: nothing is trusted yet. A run or qrels in columns, with the line each row came from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "number.hpp"
#include "order.hpp"
#include "strings.hpp"
#include "text_source.hpp"

namespace rankproof {

struct LineFault {
    std::int64_t line;
    int columns;
    std::string beginning;
};

class Rows {
public:
    static constexpr std::size_t faults_kept = 1000;
    static constexpr std::int64_t no_line = -1;

    // Every line of a text. Lines that cannot become a row are counted and the first of them kept.
    // `first_line` is the number of its first line, for a text that is a piece of a larger one.
    static Rows from_text(const TextSource& text, const Layout& layout, std::int64_t first_line = 1);

    void add(string_view query, string_view doc, Number number, std::int64_t rank, string_view label, bool labelled,
             std::int64_t line);
    std::size_t size() const { return query.size(); }

    // Row indices: queries in order of first appearance, the rows of each in the order asked for.
    std::vector<std::int64_t> sorted(const Order& order) const;
    // Each row whose query and document (and label, if asked) an earlier row has, with that earlier row.
    std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> duplicates(bool labels) const;
    Rows take(const std::int64_t* index, std::size_t count) const;
    // Where each query's rows are in `by_query`, rows of a query in the order they came.
    void group(std::vector<std::int64_t>& start, std::vector<std::int64_t>& by_query) const;

    Numbering queries;
    std::vector<std::int32_t> query;
    Strings doc;
    std::vector<double> number;
    std::vector<std::uint8_t> state;
    std::vector<std::int64_t> rank;
    std::vector<std::int64_t> line;
    Numbering labels;
    std::vector<std::int32_t> label;  // -1: no label

    std::vector<LineFault> faults;
    std::size_t fault_count = 0;
    std::vector<std::int64_t> undecodable;  // lines with ids that are not text in UTF-8

private:
    void reserve_for(string_view beginning, std::size_t size);
    void add_lines(string_view block, const Layout& layout, Cutter& cutter, Usual usual, std::int64_t& line_number,
                   std::int64_t first_row);
    void fault(std::int64_t line_number, int columns, string_view text);
};

}  // namespace rankproof
