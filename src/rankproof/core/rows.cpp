#include "rows.hpp"

#include <algorithm>
#include <numeric>

#include "classic.hpp"

namespace rankproof {

void Rows::add(string_view q, string_view d, Number n, std::int64_t r, string_view tag, bool labelled,
               std::int64_t line_number) {
    // Files list a query's rows together: the last row's query is nearly always this one's.
    const bool again = !query.empty() && same(queries.names()[static_cast<std::size_t>(query.back())], q);
    query.push_back(again ? query.back() : static_cast<std::int32_t>(queries.add(q)));
    doc.push(d);
    number.push_back(n.value);
    state.push_back(static_cast<std::uint8_t>(n.state));
    rank.push_back(r);
    line.push_back(line_number);
    if (!labelled) {
        label.push_back(-1);
    } else {
        const bool as_before = !label.empty() && label.back() >= 0 &&
                               same(labels.names()[static_cast<std::size_t>(label.back())], tag);
        label.push_back(as_before ? label.back() : static_cast<std::int32_t>(labels.add(tag)));
    }
    if (!is_utf8(q) || !is_utf8(d) || (labelled && !is_utf8(tag))) undecodable.push_back(line_number);
}

void Rows::fault(std::int64_t line_number, int columns, string_view text) {
    ++fault_count;
    if (faults.size() < faults_kept) faults.push_back({line_number, columns, std::string(text.substr(0, 120))});
}

// Room for about as many rows as the beginning of the text promises: growing step by step copies everything.
void Rows::reserve_for(string_view beginning, std::size_t size) {
    const string_view head = beginning.substr(0, std::size_t{1} << 14);
    const auto lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n'));
    if (lines == 0 || size == head.size()) return;
    // A row has a dozen bytes at the least: a file that begins with empty lines must not ask for all the memory.
    const std::size_t n = std::min(size / head.size() * (lines + 1) + lines, size / 12);
    query.reserve(n);
    doc.start.reserve(n + 1);
    doc.data.reserve(size / 3);
    number.reserve(n);
    state.reserve(n);
    rank.reserve(n);
    line.reserve(n);
    label.reserve(n);
}

Rows Rows::from_text(const TextSource& text, const Layout& layout, std::int64_t first_line) {
    Rows rows;
    Cutter cutter(layout);
    const Usual usual = cutter.usual();
    const std::int64_t first_row = first_line + layout.skip;
    std::int64_t line_number = first_line;
    Room room;
    for (std::size_t at = 0; at < text.size();) {
        const string_view block = whole_lines(text, at, room);
        if (at == 0) rows.reserve_for(block, text.size());
        at += block.size();
        rows.add_lines(block, layout, cutter, usual, line_number, first_row);
    }
    return rows;
}

// Adds the lines of a block; `line_number` is that of the first, and afterwards that of the next block's first.
void Rows::add_lines(string_view block, const Layout& layout, Cutter& cutter, Usual usual, std::int64_t& line_number,
                     std::int64_t first_row) {
    const char* p = block.data();
    const char* const end = p + block.size();
    Fields f;  // every way of cutting sets what is read below
    for (; p < end; ++line_number) {
        if (line_number >= first_row && next_usual(p, end, usual, f)) {
            add(f.query, f.doc, read_number_quick(f.number), usual == Usual::run ? read_rank_quick(f.rank) : no_rank,
                f.label, true, line_number);
            continue;
        }
        const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        const char* next = stop == nullptr ? end : stop + 1;
        if (stop == nullptr) stop = end;
        const char* begin = p;
        p = next;
        if (line_number < first_row || !cutter.begins(begin, stop)) continue;
        f = cutter.cut(begin, stop);
        if (!cutter.fits(f) || f.query.empty() || f.doc.empty()) {
            fault(line_number, f.columns, {begin, static_cast<std::size_t>(stop - begin)});
            continue;
        }
        const Number n = layout.number < 0 ? Number{std::numeric_limits<double>::quiet_NaN(), NumberState::absent}
                                           : read_number(f.number);
        add(f.query, f.doc, n, layout.rank < 0 ? no_rank : read_rank(f.rank), f.label, layout.label >= 0, line_number);
        // A usual line, above, has no control character in it.
        const bool zeros = has_zero(f.query) || has_zero(f.doc) || has_zero(f.label);
        if (zeros && (undecodable.empty() || undecodable.back() != line_number)) undecodable.push_back(line_number);
    }
}

void Rows::group(std::vector<std::int64_t>& start, std::vector<std::int64_t>& by_query) const {
    start.assign(queries.size() + 1, 0);
    for (const std::int32_t q : query) ++start[static_cast<std::size_t>(q) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    by_query.resize(size());
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < size(); ++i)
        by_query[static_cast<std::size_t>(next[static_cast<std::size_t>(query[i])]++)] = static_cast<std::int64_t>(i);
}

std::vector<std::int64_t> Rows::sorted(const Order& order) const {
    std::vector<std::int64_t> start, index;
    group(start, index);
    std::vector<double> key(size());
    for (std::size_t i = 0; i < size(); ++i) key[i] = order.key(number[i], rank[i], i);
    const auto before = [&](std::int64_t a, std::int64_t b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        return key[i] != key[j] ? key[i] > key[j] : order.wins_tie(doc[i], i, doc[j], j);
    };
    for (std::size_t q = 0; q + 1 < start.size(); ++q)
        std::sort(index.begin() + start[q], index.begin() + start[q + 1], before);
    return index;
}

std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> Rows::duplicates(bool with_labels) const {
    std::vector<std::int64_t> start, index, again, first;
    group(start, index);
    std::vector<std::uint32_t> slots;
    std::vector<std::uint64_t> hashes;
    for (std::size_t q = 0; q + 1 < start.size(); ++q) {
        const auto n = static_cast<std::size_t>(start[q + 1] - start[q]);
        const std::int64_t* block = index.data() + start[q];
        std::size_t size = 4;
        while (size < 2 * n) size *= 2;
        slots.assign(size, 0);
        hashes.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = static_cast<std::size_t>(block[i]);
            hashes[i] = hash_bytes(doc[row]);
            if (with_labels) hashes[i] = mix(hashes[i], 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(label[row]));
            std::size_t slot = hashes[i] & (size - 1);
            for (; slots[slot] != 0; slot = (slot + 1) & (size - 1)) {
                const std::size_t j = slots[slot] - 1;
                const auto other = static_cast<std::size_t>(block[j]);
                if (hashes[j] == hashes[i] && doc[other] == doc[row] && (!with_labels || label[other] == label[row])) {
                    again.push_back(block[i]);
                    first.push_back(block[j]);
                    break;
                }
            }
            if (slots[slot] == 0) slots[slot] = static_cast<std::uint32_t>(i + 1);
        }
    }
    // By place in the input, not by query: a person reads the file from the top.
    std::vector<std::size_t> turn(again.size());
    std::iota(turn.begin(), turn.end(), std::size_t{0});
    std::sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) { return again[a] < again[b]; });
    std::vector<std::int64_t> a(again.size()), f(again.size());
    for (std::size_t i = 0; i < turn.size(); ++i) a[i] = again[turn[i]], f[i] = first[turn[i]];
    return {std::move(a), std::move(f)};
}

Rows Rows::take(const std::int64_t* index, std::size_t count) const {
    Rows out;
    for (std::size_t k = 0; k < count; ++k) {
        const auto i = static_cast<std::size_t>(index[k]);
        const bool labelled = label[i] >= 0;
        out.add(queries.names()[static_cast<std::size_t>(query[i])], doc[i],
                {number[i], static_cast<NumberState>(state[i])}, rank[i],
                labelled ? labels.names()[static_cast<std::size_t>(label[i])] : string_view{}, labelled, line[i]);
    }
    return out;
}

}  // namespace rankproof
