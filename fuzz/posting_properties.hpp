// Postings: what was counted comes back, and columns or postings made of any bytes are read within bounds or refused.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bm25.hpp"
#include "postings.hpp"
#include "require.hpp"
#include "token_properties.hpp"

namespace fuzz {

using rankproof::Bm25;
using rankproof::DamagedIndex;
using rankproof::IndexBuilder;
using rankproof::Numbering;
using rankproof::Postings;
using rankproof::Room;
using rankproof::Strings;
using rankproof::TermIndex;

using Counts = std::map<std::string, std::map<std::size_t, std::uint64_t>>;

// Postings of all terms; throws DamagedIndex where they are none.
inline Counts counts_in(const TermIndex& index) {
    Counts out;
    Room room;
    for (std::size_t t = 0; t < index.having().size(); ++t) {
        auto& of = out[std::string(index.terms()[t])];
        Postings postings(index.bytes_of(t, room), index.documents());
        for (std::size_t before = 0; postings.next(); before = postings.doc() + 1) {
            REQUIRE(postings.doc() >= before && postings.doc() < index.documents(), "a document that is there");
            of[postings.doc()] = postings.often();
        }
    }
    return out;
}

inline void check_best(const TermIndex& index, const std::vector<std::string>& terms) {
    const auto n = static_cast<std::size_t>(index.documents());
    const Bm25 bm25({{&index, 1.0}, {&index, 0.5}}, std::vector<double>(n, 1.0), rankproof::Formula::shared, 1, 0);
    std::vector<std::int32_t> place(n);
    for (std::size_t i = 0; i < n; ++i) place[i] = static_cast<std::int32_t>(n - i);
    const std::vector<double> rarity(terms.size(), 1.0);
    const auto best = bm25.best(terms, rarity.data(), place.data(), 5);
    REQUIRE(best.doc.size() == best.score.size() && best.doc.size() <= 5, "the depth");
    for (std::size_t i = 1; i < best.doc.size(); ++i)
        REQUIRE(best.score[i] < best.score[i - 1] || (best.score[i] == best.score[i - 1] && best.doc[i] < best.doc[i - 1]),
                "best first, ties by place");
}

// Each line is a document, its tokens are terms; those of one byte count for nothing.
inline void check_counting(string_view text) {
    Numbering names;
    IndexBuilder builder;
    Counts expected;
    std::vector<std::int32_t> terms;
    std::size_t doc = 0;
    for (std::size_t begin = 0; begin < text.size(); ++doc) {
        const std::size_t stop = std::min(text.find('\n', begin), text.size());
        const string_view line = text.substr(begin, stop - begin);
        begin = stop + 1;
        terms.clear();
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t end = std::min(line.find(' ', at), line.size());
            const string_view word = line.substr(at, end - at);
            at = end + 1;
            const auto number = static_cast<std::int32_t>(names.add(word));
            terms.push_back(word.size() == 1 ? IndexBuilder::no_term : number);
            if (word.size() != 1) ++expected[std::string(word)][doc];
        }
        builder.add(terms.data(), terms.size());
    }
    const TermIndex index = builder.finish(names.names());
    REQUIRE(index.documents() == doc, "all documents");
    REQUIRE(counts_in(index) == expected, "what was counted");
    std::vector<std::string> asked{"", "no such term"};
    for (std::size_t t = 0; t < index.having().size(); ++t) {
        const string_view term = index.terms()[t];
        REQUIRE(index.having()[t] == expected[std::string(term)].size(), "documents that have a term");
        REQUIRE(index.find(term) == static_cast<std::int64_t>(t), "a term is found");
        if (t < 8) asked.emplace_back(term), asked.emplace_back(term);
    }
    check_best(index, asked);
}

// Columns that fit, of which any bytes then change up to three numbers; and postings of any bytes.
inline void check_damage(string_view bytes) {
    const auto take = [&] {
        const unsigned value = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]);
        bytes.remove_prefix(bytes.empty() ? 0 : 1);
        return value;
    };
    const std::size_t terms = take() % 8, documents = take() % 32, changes = take() % 4;
    struct Change {
        unsigned column, place, value;
    };
    std::vector<Change> changed(changes);
    for (Change& change : changed) change = {take() % 3, take(), take()};
    std::vector<char> data(bytes.begin(), terms == 0 ? bytes.begin() : bytes.end());
    Strings names;
    std::vector<std::uint64_t> start{0};
    std::vector<std::uint32_t> having(terms, 1);
    for (std::size_t t = 0; t < terms; ++t) {
        names.push(std::string(1 + t, static_cast<char>('a' + t)));
        start.push_back(data.size() * (t + 1) / terms);
    }
    for (const auto& [column, place, value] : changed) {
        // Small numbers, and some that are far too large.
        const std::uint64_t number = value >= 0xF0 ? ~std::uint64_t{0} >> (value - 0xF0) : value % 32;
        if (column == 0) names.start[place % names.start.size()] = static_cast<std::int64_t>(number);
        if (column == 1) start[place % start.size()] = number;
        if (column == 2 && terms > 0) having[place % terms] = static_cast<std::uint32_t>(number);
    }
    try {
        const TermIndex index(std::move(names), std::move(start), std::move(having),
                              std::vector<std::uint32_t>(documents, 1), std::move(data));
        counts_in(index);
        check_best(index, {"a", "bb", "ccc"});
    } catch (const DamagedIndex&) {
    }
}

}  // namespace fuzz
