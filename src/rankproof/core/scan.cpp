#include "scan.hpp"

#include "classic.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <thread>

namespace rankproof {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{2} << 20;

// A stretch of neighboring lines of one query. Files list a query's lines together, so mostly a whole query.
struct Piece {
    std::int64_t query;  // -1: not judged
    const char* begin;
    std::uint64_t length;
    std::uint32_t documents, placed, doubles;
    bool disagrees;
};

// What one chunk of the text gave.
struct Chunk {
    const char* begin;
    const char* end;
    std::vector<Piece> pieces;
    Placed placed;
    RunFaults faults;
    string_view tag;
};

const char* line_end(const char* p, const char* end) {
    const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    return stop == nullptr ? end : stop;
}

// Reads lines into blocks and places them.
class Reader {
public:
    Reader(const Judgments& judgments, const Layout& layout, const Order& order)
        : judgments_(judgments), layout_(layout), order_(order), cutter_(layout), placer_(judgments, order),
          usual_(cutter_.is_classic()) {}

    void read(Chunk& chunk) {
        const char* p = chunk.begin;
        string_view current;
        const char* piece = p;
        bool open = false;
        block_.clear();
        while (p < chunk.end) {
            const char* line = p;
            Fields f;
            const bool quick = next_usual(p, chunk.end, f);
            if (!quick && !next_any(p, chunk, f)) continue;
            if (!open || !same(f.query, current)) {
                if (open) close(chunk, current, piece, line);
                // A query id that had to be unescaped lives only as long as its line: keep a copy.
                current = quick || inside(f.query, chunk) ? f.query : string_view(name_ = std::string(f.query));
                piece = line;
                open = true;
            }
            if (quick) add_usual(f, chunk);
            else add(f, chunk);
        }
        if (open) close(chunk, current, piece, chunk.end);
    }

    // The rows of one query that is spread over several pieces.
    Piece read_again(const std::vector<Piece>& pieces, Placed& placed) {
        block_.clear();
        for (const Piece& part : pieces) {
            Chunk lines{part.begin, part.begin + part.length, {}, {}, {}, {}};
            for (const char* p = lines.begin; p < lines.end;) {
                Fields f;
                if (next_any(p, lines, f)) add(f, lines);
            }
        }
        return finish(pieces.front().query, placed);
    }

private:
    static bool inside(string_view s, const Chunk& chunk) { return s.data() >= chunk.begin && s.data() < chunk.end; }

    // The next line, if it has the usual form; moves p behind it.
    bool next_usual(const char*& p, const char* end, Fields& f) const {
        if (!usual_ || static_cast<std::size_t>(end - p) < quick_bytes + 24 || *p == '#') return false;
        const char* next = quick_cut(p, f);
        if (next == nullptr) return false;
        p = next;
        return true;
    }

    // The next line, whatever its form; moves p behind it. False when it holds no row.
    bool next_any(const char*& p, Chunk& chunk, Fields& f) {
        const char* stop = line_end(p, chunk.end);
        const char* begin = p;
        p = stop < chunk.end ? stop + 1 : stop;
        if (!cutter_.begins(begin, stop)) return false;
        f = cutter_.cut(begin, stop);
        if (cutter_.fits(f) && !f.query.empty() && !f.doc.empty()) return true;
        ++chunk.faults.wrong_columns;
        return false;
    }

    void add_usual(const Fields& f, Chunk& chunk) {
        const Number n = read_number_quick(f.number);
        if (n.state != NumberState::ok) chunk.faults.count(n.state);
        add_ranked(f.doc, n.value, read_rank_quick(f.rank), chunk);
        chunk.tag = f.label;
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
        double score = 0;
        if (layout_.number >= 0) {
            const Number n = read_number(f.number);
            if (n.state != NumberState::ok) chunk.faults.count(n.state);
            score = n.value;
        }
        string_view doc = f.doc;
        if (layout_.quoted && !inside(doc, chunk)) doc = block_.kept.emplace_back(doc);
        if (layout_.rank >= 0) add_ranked(doc, score, read_rank(f.rank), chunk);
        else block_.add(doc, order_.key(score, 0, block_.size));
        if (layout_.label >= 0) chunk.tag = f.label;
    }

    Piece finish(std::int64_t query, Placed& placed) {
        Piece piece{query, nullptr, 0, static_cast<std::uint32_t>(block_.size), 0, 0, false};
        const std::size_t before = placed.size();
        piece.doubles = static_cast<std::uint32_t>(placer_.place(block_, query, placed));
        piece.placed = static_cast<std::uint32_t>(placed.size() - before);
        piece.disagrees = placer_.rank_disagrees(block_);
        return piece;
    }

    void close(Chunk& chunk, string_view name, const char* begin, const char* end) {
        Piece piece = finish(judgments_.queries.find(name), chunk.placed);
        piece.begin = begin;
        piece.length = static_cast<std::uint64_t>(end - begin);
        if (!is_utf8({begin, piece.length})) ++chunk.faults.undecodable_bytes;
        chunk.pieces.push_back(piece);
        block_.clear();
    }

    const Judgments& judgments_;
    const Layout& layout_;
    const Order& order_;
    Cutter cutter_;
    Placer placer_;
    bool usual_;
    Block block_;
    std::string name_;
};

// Cuts the text into chunks that begin where a query begins, so that nearly every query is in one chunk.
std::vector<Chunk> chunks_of(string_view text, const Layout& layout) {
    Cutter cutter(layout);
    const char* end = text.data() + text.size();
    std::vector<Chunk> chunks;
    const char* begin = text.data();
    while (begin < end) {
        const char* p = end - begin > static_cast<std::ptrdiff_t>(chunk_bytes) ? begin + chunk_bytes : end;
        if (p < end) p = line_end(p, end);
        if (p < end) ++p;
        std::string last;
        bool known = false;
        while (p < end) {
            const char* stop = line_end(p, end);
            const char* first = p;
            if (cutter.begins(first, stop)) {
                const string_view query = cutter.cut(first, stop).query;
                if (known && query != last) break;
                if (!known) last = std::string(query);
                known = true;
            }
            p = stop < end ? stop + 1 : stop;
        }
        chunks.push_back({begin, p, {}, {}, {}, {}});
        begin = p;
    }
    return chunks;
}

void give_back_pages(const Chunk& chunk) {
    static const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(chunk.begin) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(chunk.end) / page * page;
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void read_all(std::vector<Chunk>& chunks, const Judgments& judgments, const Layout& layout, const Order& order,
              unsigned threads, bool mapped) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    const auto work = [&] {
        try {
            Reader reader(judgments, layout, order);
            for (std::size_t i; !failed && (i = next++) < chunks.size();) {
                reader.read(chunks[i]);
                if (mapped) give_back_pages(chunks[i]);
            }
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, chunks.size()));
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    if (failed) std::rethrow_exception(failure);
}

// Brings the chunks' pieces together by query, in the order of the qrels.
class Assembly {
public:
    Assembly(std::vector<Chunk>& chunks, const Judgments& judgments, const Layout& layout, const Order& order)
        : chunks_(chunks), judgments_(judgments), reader_(judgments, layout, order), cutter_(layout),
          joined_(judgments.size()) {}

    Joined join() {
        number_pieces();
        merge_repeated();
        lay_out();
        return std::move(joined_);
    }

private:
    struct Source {
        const Placed* placed = nullptr;
        std::size_t begin = 0, count = 0;
    };

    // Gives every query a number (judged ones theirs, others behind them) and finds those in several pieces.
    void number_pieces() {
        sources_.resize(judgments_.size());
        for (Chunk& chunk : chunks_) {
            joined_.faults.add(chunk.faults);
            if (!chunk.tag.empty()) joined_.tag = std::string(chunk.tag);
            std::size_t at = 0;
            for (const Piece& piece : chunk.pieces) {
                std::int64_t q = piece.query;
                if (q < 0) q = static_cast<std::int64_t>(judgments_.size()) + unjudged_.add(name_of(piece));
                const auto number = static_cast<std::size_t>(q);
                if (number >= seen_.size()) seen_.resize(std::max(number + 1, judgments_.size()), nullptr);
                if (seen_[number] == nullptr) {
                    seen_[number] = &piece;
                    if (piece.query >= 0) sources_[number] = {&chunk.placed, at, piece.placed};
                } else {
                    std::vector<Piece>& parts = repeated_[repeats_of(number)];
                    if (parts.empty()) parts.push_back(*seen_[number]);
                    parts.push_back(piece);
                }
                at += piece.placed;
                joined_.rows += piece.documents;
            }
        }
    }

    std::size_t repeats_of(std::size_t number) {
        if (number >= repeat_.size()) repeat_.resize(std::max(number + 1, seen_.size()), 0);
        if (repeat_[number] == 0) {
            repeated_.emplace_back();
            repeated_numbers_.push_back(number);
            repeat_[number] = static_cast<std::uint32_t>(repeated_.size());
        }
        return repeat_[number] - 1;
    }

    string_view name_of(const Piece& piece) {
        const char* end = piece.begin + piece.length;
        const char* p = piece.begin;
        const char* stop = line_end(p, end);
        cutter_.begins(p, stop);
        return cutter_.cut(p, stop).query;
    }

    void merge_repeated() {
        merged_.resize(repeated_.size());
        for (std::size_t i = 0; i < repeated_.size(); ++i) {
            const std::size_t number = repeated_numbers_[i];
            merged_pieces_.push_back(reader_.read_again(repeated_[i], merged_[i]));
            seen_[number] = &merged_pieces_.back();
            if (number < judgments_.size()) sources_[number] = {&merged_[i], 0, merged_[i].size()};
        }
    }

    void lay_out() {
        for (std::size_t number = 0; number < seen_.size(); ++number) {
            const Piece* piece = seen_[number];
            if (piece == nullptr) continue;
            joined_.faults.duplicate_document += piece->doubles;
            joined_.faults.rank_disagrees += piece->disagrees;
            if (number < judgments_.size()) {
                joined_.in_run[number] = 1;
                joined_.retrieved[number] = piece->documents;
            } else {
                joined_.unjudged_queries.emplace_back(unjudged_.names()[number - judgments_.size()]);
            }
        }
        joined_.start.reserve(judgments_.size() + 1);
        joined_.start.push_back(0);
        for (const Source& s : sources_) {
            if (s.count > 0) joined_.placed.append(*s.placed, s.begin, s.count);
            joined_.start.push_back(static_cast<std::int64_t>(joined_.placed.size()));
        }
    }

    std::vector<Chunk>& chunks_;
    const Judgments& judgments_;
    Reader reader_;
    Cutter cutter_;
    Joined joined_;
    Numbering unjudged_;
    std::vector<const Piece*> seen_;
    std::vector<Source> sources_;
    std::vector<std::uint32_t> repeat_;  // 1 + index into repeated_, 0 for none
    std::vector<std::vector<Piece>> repeated_;
    std::vector<std::size_t> repeated_numbers_;
    std::vector<Placed> merged_;
    std::deque<Piece> merged_pieces_;
};

}  // namespace

Joined join_text(const Judgments& judgments, string_view text, const Layout& layout, const Order& order,
                 unsigned threads, bool mapped) {
    const char* p = text.data();
    const char* end = p + text.size();
    for (int i = 0; i < layout.skip && p < end; ++i) {
        p = line_end(p, end);
        if (p < end) ++p;
    }
    std::vector<Chunk> chunks = chunks_of({p, static_cast<std::size_t>(end - p)}, layout);
    read_all(chunks, judgments, layout, order, threads, mapped);
    return Assembly(chunks, judgments, layout, order).join();
}

}  // namespace rankproof
