// The core once more, slow and plain: what rows, judgments and joins must be.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "number.hpp"
#include "order.hpp"
#include "rows.hpp"

namespace fuzz {

using rankproof::By;
using rankproof::Layout;
using rankproof::Order;
using rankproof::Rows;
using rankproof::string_view;

inline bool plain_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'; }

inline std::string plain_trim(const std::string& s) {
    std::size_t a = 0, b = s.size();
    while (a < b && plain_space(s[a])) ++a;
    while (b > a && plain_space(s[b - 1])) --b;
    return s.substr(a, b - a);
}

// The columns of a line, one character at a time.
inline std::vector<std::string> plain_cut(std::string line, const Layout& layout) {
    std::vector<std::string> fields;
    std::string field;
    if (layout.separator == ' ') {
        for (const char c : line + " ") {
            if (!plain_space(c)) field += c;
            else if (!field.empty()) fields.push_back(std::exchange(field, ""));
        }
        return fields;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    bool opened = false, inside = false, fresh = true;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (inside) {
            if (c != '"') field += c;
            else if (i + 1 < line.size() && line[i + 1] == '"') field += line[++i];
            else inside = false;
        } else if (layout.quoted && fresh && !opened && c == '"') {
            opened = inside = true;
        } else if (c == layout.separator) {
            fields.push_back(plain_trim(std::exchange(field, "")));
            opened = false;
            fresh = true;
            continue;
        } else {
            field += c;
        }
        fresh = false;
    }
    if (inside) return {};  // a quote that is not closed
    fields.push_back(plain_trim(field));
    return fields;
}

// Whether bytes are UTF-8 without a zero byte, by decoding each character and asking whether it is written shortest.
inline bool plain_text(const std::string& s) {
    for (std::size_t i = 0; i < s.size();) {
        const auto first = static_cast<unsigned char>(s[i]);
        const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 0;
        if (first == 0 || length == 0 || i + length > s.size()) return false;
        std::uint32_t point = length == 1 ? first : first & (0x7Fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(s[i + k]);
            if (next < 0x80 || next > 0xBF) return false;
            point = point << 6 | (next & 0x3F);
        }
        const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (point < least[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
        i += length;
    }
    return true;
}

struct PlainRow {
    std::string query, doc, number, rank, label;
    std::int64_t line;
};

struct PlainText {
    std::vector<PlainRow> rows;
    std::size_t faults = 0;
};

inline PlainText plain_read(const std::string& text, const Layout& layout) {
    PlainText out;
    std::int64_t line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t stop = std::min(text.find('\n', begin), text.size());
        std::string said = text.substr(begin, stop - begin);
        begin = stop + 1;
        if (++line <= layout.skip) continue;
        if (layout.separator == ' ') said = plain_trim(said);
        const bool blank = std::all_of(said.begin(), said.end(),
                                       [&](char c) { return plain_space(c) && c != layout.separator; });
        if (said.empty() || blank || (layout.comments && said[0] == '#')) continue;
        const std::vector<std::string> fields = plain_cut(said, layout);
        const int n = static_cast<int>(fields.size());
        const auto field = [&](int column) { return column < 0 || column >= n ? "" : fields[static_cast<std::size_t>(column)]; };
        const int last = std::max({layout.query, layout.doc, layout.number, layout.rank, layout.label});
        if (n < layout.least || (layout.most != 0 && n > layout.most) || n <= last || field(layout.query).empty() ||
            field(layout.doc).empty()) {
            ++out.faults;
            continue;
        }
        out.rows.push_back({field(layout.query), field(layout.doc), field(layout.number), field(layout.rank),
                            field(layout.label), line});
    }
    return out;
}

// A document of a ranking: what orders it, and where it stood.
struct PlainDoc {
    std::string doc;
    double key;
    std::size_t position;
};

inline bool plain_before(const PlainDoc& a, const PlainDoc& b, const Order& order) {
    if (a.key != b.key) return a.key > b.key;
    if (order.ties == rankproof::Ties::given || a.doc == b.doc) return a.position < b.position;
    return order.ties == rankproof::Ties::id_descending ? a.doc > b.doc : a.doc < b.doc;
}

struct PlainPlace {
    std::int64_t rank, first, last;
    bool operator==(const PlainPlace&) const = default;
};

// Each document's place, by counting what comes before it.
inline std::map<std::string, PlainPlace> plain_places(std::vector<PlainDoc> docs, const Order& order) {
    std::stable_sort(docs.begin(), docs.end(),
                     [&](const PlainDoc& a, const PlainDoc& b) { return plain_before(a, b, order); });
    std::map<std::string, PlainPlace> out;
    for (std::size_t i = 0, first = 0; i < docs.size(); ++i) {
        if (docs[i].key != docs[first].key) first = i;
        std::size_t last = i;
        while (last + 1 < docs.size() && docs[last + 1].key == docs[i].key) ++last;
        out[docs[i].doc] = {static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(first) + 1,
                            static_cast<std::int64_t>(last) + 1};
    }
    return out;
}

// What decides about a row's place, said once more.
inline double plain_key(const Order& order, double score, std::int64_t rank, std::size_t position) {
    if (order.by == By::given) return -static_cast<double>(position);
    if (order.by == By::rank) return -static_cast<double>(rank);
    if (order.single_precision) score = static_cast<float>(score);
    return order.lower_is_better ? -score : score;
}

}  // namespace fuzz
