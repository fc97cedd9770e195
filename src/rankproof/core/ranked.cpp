#include "ranked.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "classic.hpp"
#include "number.hpp"

namespace rankproof {

namespace {

// About how much of a file is in memory at a time.
constexpr std::size_t chunk_bytes = std::size_t{2} << 20;

// The documents of one query, as they came, and the order that they are put into.
class Ranker {
public:
    Ranker(const Order& order, std::size_t depth) : order_(order), depth_(depth) {}

    void clear() {
        doc_.clear();
        key_.clear();
        unescaped_.clear();
    }

    void add(string_view doc, double score, std::int64_t rank) {
        key_.push_back(order_.key(score, rank, doc_.size()));
        doc_.push_back(doc);
    }

    // A copy of an id that does not stand in the text as it is.
    string_view keep(string_view id) { return unescaped_.emplace_back(id); }

    // Adds the first ids, best first, as one string.
    void close(Strings& ids) {
        const std::size_t kept = depth_ == 0 ? doc_.size() : std::min(depth_, doc_.size());
        sort(kept);
        for (std::size_t i = 0; i < kept; ++i) {
            const string_view id = doc_[turn_[i]];
            ids.data.insert(ids.data.end(), id.begin(), id.end());
            ids.data.push_back('\n');
        }
        ids.start.push_back(static_cast<std::int64_t>(ids.data.size()));
    }

private:
    void sort(std::size_t kept) {
        const auto before = [&](std::uint32_t a, std::uint32_t b) {
            if (key_[a] != key_[b]) return key_[a] > key_[b];
            return order_.wins_tie(doc_[a], a, doc_[b], b);
        };
        const std::size_t size = doc_.size();
        turn_.resize(size);
        std::iota(turn_.begin(), turn_.end(), std::uint32_t{0});
        bool falling = true;
        for (std::size_t i = 1; i < size; ++i) falling &= key_[i - 1] >= key_[i];
        const auto at = [&](std::size_t i) { return turn_.begin() + static_cast<std::ptrdiff_t>(i); };
        if (falling) {
            // Most files list documents by falling score: only stretches of equal ones are left to put in order.
            for (std::size_t a = 0, b; a < kept; a = b) {
                for (b = a + 1; b < size && key_[b] == key_[a];) ++b;
                if (b - a > 1) std::sort(at(a), at(b), before);
            }
        } else if (kept < size / 4) {
            std::partial_sort(turn_.begin(), at(kept), turn_.end(), before);
        } else {
            std::sort(turn_.begin(), turn_.end(), before);
        }
    }

    const Order& order_;
    std::size_t depth_;
    std::vector<string_view> doc_;
    std::vector<double> key_;
    std::vector<std::uint32_t> turn_;
    std::deque<std::string> unescaped_;  // a deque never moves what it holds
};

// Takes the chunks of a text in turn.
class Collector {
public:
    Collector(const Layout& layout, const Order& order, std::size_t depth, const Numbering* wanted)
        : layout_(layout), cutter_(layout), usual_(cutter_.usual() == Usual::run ? Usual::run : Usual::no),
          ranker_(order, depth), wanted_(wanted) {}

    // One chunk, which begins with another query than the one before it. False when a query came before.
    bool take(string_view bytes, RankedIds& out) {
        const char* p = bytes.data();
        const char* const end = p + bytes.size();
        bool open = false, reading = false;
        Fields f;  // every way of cutting sets what is read below
        while (p < end) {
            const bool quick = next_usual(p, end, usual_, f);
            if (!quick) {
                const char* first = p;
                const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
                p = stop == nullptr ? end : stop + 1;
                if (stop == nullptr) stop = end;
                if (!cutter_.begins(first, stop)) continue;
                f = cutter_.cut(first, stop);
                if (!cutter_.fits(f) || f.query.empty() || f.doc.empty()) continue;
            }
            if (!open || !same(f.query, current_)) {
                if (reading) ranker_.close(out.ids);
                ranker_.clear();
                current_.assign(f.query);
                open = true;
                reading = wanted_ == nullptr || wanted_->find(current_) != Numbering::none;
                if (reading) {
                    const std::size_t known = out.queries.size();
                    out.queries.add(current_);
                    if (out.queries.size() == known) return false;
                }
            }
            if (!reading) continue;
            const bool inside = f.doc.data() >= bytes.data() && f.doc.data() < end;
            const string_view doc = inside ? f.doc : ranker_.keep(f.doc);
            const double score = layout_.number < 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : quick            ? read_number_quick(f.number).value
                                                    : read_number(f.number).value;
            const std::int64_t rank = layout_.rank < 0 ? no_rank : quick ? read_rank_quick(f.rank) : read_rank(f.rank);
            ranker_.add(doc, score, rank);
        }
        if (reading) ranker_.close(out.ids);
        ranker_.clear();
        return true;
    }

private:
    const Layout& layout_;
    Cutter cutter_;
    Usual usual_;
    Ranker ranker_;
    const Numbering* wanted_;
    std::string current_;
};

}  // namespace

std::optional<RankedIds> ranked_ids(const TextSource& text, const Layout& layout, const Order& order,
                                    std::size_t depth, const Numbering* wanted) {
    RankedIds out;
    Collector collector(layout, order, depth, wanted);
    Room room;
    for (const Span& chunk : chunks_of(text, layout, chunk_bytes))
        if (!collector.take(text.part(chunk.begin, chunk.end, room), out)) return std::nullopt;
    return out;
}

}  // namespace rankproof
