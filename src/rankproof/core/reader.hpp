// Lines into blocks, blocks into placed rows: the loop that every byte of a run passes through.
#pragma once

#include "classic.hpp"
#include "joined.hpp"
#include "text_source.hpp"

namespace rankproof {

// A stretch of neighboring lines of one query. Files list a query's lines together, so mostly a whole query.
struct Piece {
    std::int64_t query;  // -1: not judged
    std::uint64_t begin, length;  // in the text
    std::uint32_t documents, placed, doubles;
    bool disagrees;
};

// What one chunk of the text gave.
struct Chunk {
    std::size_t begin;  // in the text
    std::vector<Piece> pieces;
    Placed placed;
    RunFaults faults;
    std::string tag;   // of the last row
    Strings unjudged;  // the queries of pieces that nobody judged: looking them up later would read the file again
};

inline const char* line_end(const char* p, const char* end) {
    const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    return stop == nullptr ? end : stop;
}

// Reads lines into blocks and places them.
class Reader {
public:
    Reader(const Judgments& judgments, const Layout& layout, const Order& order)
        : judgments_(judgments), layout_(layout), order_(order), cutter_(layout), placer_(judgments, order),
          usual_(cutter_.usual() == Usual::run ? Usual::run : Usual::no) {}

    // `bytes` are those of the chunk; nothing that comes of it points into them.
    void read(Chunk& chunk, string_view bytes) {
        bytes_ = bytes;
        const char* p = bytes.data();
        const char* const end = p + bytes.size();
        string_view current;
        const char* piece = p;
        bool open = false;
        tag_ = {};
        block_.clear();
        Fields f;  // every way of cutting sets all of it
        while (p < end) {
            const char* line = p;
            const bool quick = next_usual(p, end, usual_, f);
            if (!quick && !next_any(p, chunk, f)) continue;
            if (!open || !same(f.query, current)) {
                if (open) close(chunk, current, piece, line);
                // A query id that had to be unescaped lives only as long as its line: keep a copy.
                current = quick || inside(f.query) ? f.query : string_view(name_ = std::string(f.query));
                piece = line;
                open = true;
            }
            if (quick) add_usual(f, chunk);
            else add(f, chunk);
        }
        if (open) close(chunk, current, piece, end);
        chunk.tag = std::string(tag_);
    }

    // The rows of one query that is spread over several pieces, which are all in memory until it is placed.
    Piece read_again(const TextSource& text, const std::vector<Piece>& pieces, Placed& placed) {
        block_.clear();
        std::size_t length = 0;
        for (const Piece& part : pieces) length += part.length;
        char* into = text.in_memory() ? nullptr : room_.of(length);
        Chunk counted{};
        for (const Piece& part : pieces) {
            bytes_ = text.part(part.begin, part.begin + part.length, into);
            if (into != nullptr) into += part.length;
            for (const char* p = bytes_.data(); p < bytes_.data() + bytes_.size();) {
                Fields f;
                if (next_any(p, counted, f)) add(f, counted);
            }
        }
        return finish(pieces.front().query, placed);
    }

private:
    bool inside(string_view s) const {
        return s.data() >= bytes_.data() && s.data() < bytes_.data() + bytes_.size();
    }

    // The next line, whatever its form; moves p behind it. False when it holds no row.
    bool next_any(const char*& p, Chunk& chunk, Fields& f) {
        const char* const end = bytes_.data() + bytes_.size();
        const char* stop = line_end(p, end);
        const char* begin = p;
        p = stop < end ? stop + 1 : stop;
        if (!cutter_.begins(begin, stop)) return false;
        f = cutter_.cut(begin, stop);
        if (cutter_.fits(f) && !f.query.empty() && !f.doc.empty()) return true;
        ++chunk.faults.wrong_columns;
        return false;
    }

    void add_usual(const Fields& f, Chunk& chunk) {
        const Number n = read_number_quick(f.number);
        if (n.state != NumberState::ok) chunk.faults.count(n.state, order_.by);
        add_ranked(f.doc, n.value, read_rank_quick(f.rank), chunk);
        tag_ = f.label;
    }

    void add_ranked(string_view doc, double score, std::int64_t rank, Chunk& chunk) {
        if (block_.size == 0) block_.ranked = true;
        if (rank < 0) {
            block_.ranked = false;
            if (order_.by == By::rank) ++chunk.faults.bad_rank;
        }
        block_.add(doc, order_.key(score, rank, block_.size), rank);
    }

    void add(const Fields& f, Chunk& chunk) {
        const Number n = layout_.number >= 0 ? read_number(f.number) : Number{0, NumberState::absent};
        if (n.state != NumberState::ok) chunk.faults.count(n.state, order_.by);
        string_view doc = f.doc;
        if (layout_.quoted && !inside(doc)) doc = block_.kept.emplace_back(doc);
        add_ranked(doc, n.value, layout_.rank >= 0 ? read_rank(f.rank) : no_rank, chunk);
        if (layout_.label >= 0) tag_ = inside(f.label) ? f.label : string_view(kept_tag_ = std::string(f.label));
    }

    Piece finish(std::int64_t query, Placed& placed) {
        Piece piece{query, 0, 0, static_cast<std::uint32_t>(block_.size), 0, 0, false};
        const std::size_t before = placed.size();
        piece.doubles = static_cast<std::uint32_t>(placer_.place(block_, query, placed));
        piece.placed = static_cast<std::uint32_t>(placed.size() - before);
        piece.disagrees = placer_.rank_disagrees(block_);
        return piece;
    }

    void close(Chunk& chunk, string_view name, const char* begin, const char* end) {
        Piece piece = finish(judgments_.queries.find(name), chunk.placed);
        piece.begin = chunk.begin + static_cast<std::uint64_t>(begin - bytes_.data());
        piece.length = static_cast<std::uint64_t>(end - begin);
        if (!is_text({begin, piece.length})) ++chunk.faults.undecodable_bytes;
        if (piece.query < 0) chunk.unjudged.push(name);
        chunk.pieces.push_back(piece);
        block_.clear();
    }

    const Judgments& judgments_;
    const Layout& layout_;
    const Order& order_;
    Cutter cutter_;
    Placer placer_;
    Usual usual_;
    Block block_;
    string_view bytes_;  // what is being read
    Room room_;
    std::string name_;
    string_view tag_;
    std::string kept_tag_;
};

}  // namespace rankproof
