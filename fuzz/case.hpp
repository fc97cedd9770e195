// One fuzzed input, decoded: four bytes of choices, then qrels and run with a line "\x1e" between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "layout.hpp"
#include "order.hpp"

namespace fuzz {

using rankproof::By;
using rankproof::Layout;
using rankproof::Order;
using rankproof::string_view;
using rankproof::Ties;

inline constexpr std::size_t choices = 4;
inline constexpr string_view divider = "\x1e\n";

// Every shape of line that the core can be asked to read. Fields: separator, query, doc, number, rank, label,
// least, most, skip, quoted, comments.
inline const std::array<Layout, 10> run_layouts{{
    {' ', 0, 2, 4, 3, 5, 6, 0, 0, false, true},     // a TREC run
    {' ', 0, 2, 4, 3, 5, 6, 0, 0, false, false},    // the same where '#' begins an id
    {' ', 0, 2, 4, 3, 5, 6, 6, 0, false, true},     // exactly six columns: not the classic path
    {'\t', 0, 1, 2, -1, -1, 3, 3, 1, false, false}, // TSV with a header
    {'\t', 0, 1, 3, 2, 4, 5, 0, 0, false, true},    // TSV with ranks and labels
    {',', 0, 1, 2, -1, 3, 4, 0, 0, true, false},    // CSV with labels
    {';', 3, 1, 0, 2, 4, 5, 5, 1, true, true},      // CSV in another order, with ranks
    {' ', 0, 1, -1, -1, -1, 2, 2, 0, false, false}, // two columns, in given order
    {'|', 0, 1, -1, 2, -1, 3, 0, 0, true, false},   // ranks and no scores
    {' ', 1, 0, 2, -1, -1, 3, 0, 2, false, true},   // blanks, document first, two header lines
}};
inline const std::array<Layout, 3> qrels_layouts{{
    {' ', 0, 2, 3, -1, 1, 4, 4, 0, false, true},
    {'\t', 0, 1, 2, -1, -1, 3, 3, 1, false, false},
    {',', 0, 2, 3, -1, 1, 4, 0, 0, true, true},
}};

// Text in memory of exactly its own size, so that a byte read behind it is caught.
class Exact {
public:
    explicit Exact(string_view text) : data_(new char[text.size()]), size_(text.size()) {
        if (size_ > 0) std::memcpy(data_.get(), text.data(), size_);
    }
    string_view text() const { return {data_.get(), size_}; }

private:
    std::unique_ptr<char[]> data_;
    std::size_t size_;
};

struct Case {
    Layout run, qrels;
    Order order;
    std::size_t chunk_bytes;
    unsigned threads;
    std::size_t window;
    Exact qrels_text, run_text;

    static Case of(string_view bytes) {
        std::uint8_t said[choices] = {};
        const std::size_t head = std::min(bytes.size(), choices);
        for (std::size_t i = 0; i < head; ++i) said[i] = static_cast<std::uint8_t>(bytes[i]);
        bytes.remove_prefix(head);
        // Without a divider the text is both: each then has to stand the other's form.
        const std::size_t at = bytes.find(divider);
        const string_view qrels = bytes.substr(0, at);
        const string_view run = at == string_view::npos ? bytes : bytes.substr(at + divider.size());
        Order order;
        order.by = static_cast<By>(said[1] % 8 < 6 ? 0 : said[1] % 8 - 5);
        order.ties = order.by == By::score ? static_cast<Ties>(said[1] / 8 % 3) : Ties::given;
        order.single_precision = (said[1] & 0x40) != 0;
        order.lower_is_better = (said[1] & 0x80) != 0;
        // Threads cost far more than the text does: one input in eight is worth four of them.
        const unsigned threads = said[3] % 8 == 0 ? 4 : 1;
        return {run_layouts[said[0] % run_layouts.size()], qrels_layouts[said[0] / 16 % qrels_layouts.size()],
                order, std::size_t{1} << (said[2] % 12), threads, std::size_t{1} << (said[3] / 8 % 12), Exact(qrels), Exact(run)};
    }
};

}  // namespace fuzz
