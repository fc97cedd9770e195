#include "classic.hpp"
#include "judgments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <future>
#include <span>
#include <system_error>

namespace rankproof {

namespace {

// Takes one query's judgments at a time, straight from the text, as long as there is nothing to explain.
class Taker {
public:
    explicit Taker(Judgments& out) : out_(out) {}

    // False when the line is not beyond doubt: the grade is no small whole number.
    bool add(string_view doc, const Number& n) {
        if (n.state != NumberState::ok || n.value != std::floor(n.value) || std::abs(n.value) > 1e6) return false;
        ids_.push_back(doc);
        hashes_.push_back(hash_bytes(doc));
        grades_.push_back(static_cast<std::int32_t>(n.value));
        return true;
    }

    // False when the query came before, or judges a document twice.
    bool close(string_view query, string_view lines) {
        const std::size_t known = out_.queries.size();
        if (static_cast<std::size_t>(out_.queries.add(query)) != known || !is_text(lines) || has_doubles()) return false;
        // Best grade first, documents of one grade as they came: counted into place, for there are few grades.
        const auto [least, most] = std::minmax_element(grades_.begin(), grades_.end());
        const std::int32_t low = *least;
        turn_.resize(grades_.size());
        if (*most - low < 256) {
            places_.assign(static_cast<std::size_t>(*most - low) + 2, 0);
            for (const std::int32_t g : grades_) ++places_[static_cast<std::size_t>(*most - g) + 1];
            for (std::size_t i = 1; i < places_.size(); ++i) places_[i] += places_[i - 1];
            for (std::size_t i = 0; i < grades_.size(); ++i)
                turn_[places_[static_cast<std::size_t>(*most - grades_[i])]++] = static_cast<std::uint32_t>(i);
        } else {
            for (std::size_t i = 0; i < turn_.size(); ++i) turn_[i] = static_cast<std::uint32_t>(i);
            std::stable_sort(turn_.begin(), turn_.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return grades_[a] > grades_[b]; });
        }
        for (const std::uint32_t i : turn_) {
            out_.doc.push(ids_[i]);
            out_.hash.push_back(hashes_[i]);
            out_.grade.push_back(grades_[i]);
        }
        out_.start.push_back(static_cast<std::int64_t>(out_.grade.size()));
        ids_.clear();
        hashes_.clear();
        grades_.clear();
        return true;
    }

private:
    bool has_doubles() {
        const std::size_t size = std::max<std::size_t>(16, std::bit_ceil(ids_.size() * 3)), mask = size - 1;
        slots_.assign(size, 0);
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            std::size_t slot = hashes_[i] & mask;
            for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
                const std::size_t j = slots_[slot] - 1;
                if (hashes_[j] == hashes_[i] && same(ids_[j], ids_[i])) return true;
            }
            slots_[slot] = static_cast<std::uint32_t>(i + 1);
        }
        return false;
    }

    Judgments& out_;
    std::vector<string_view> ids_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::int32_t> grades_;
    std::vector<std::uint32_t> slots_, turn_, places_;
};

// Some chunks of the text, one after the other.
std::optional<Judgments> take(const TextSource& text, const Layout& layout, std::span<const Span> chunks) {
    Cutter cutter(layout);
    Judgments out;
    Taker taker(out);
    Room room;
    for (const Span& chunk : chunks) {
        const string_view bytes = text.part(chunk.begin, chunk.end, room);
        const char* p = bytes.data();
        const char* const end = p + bytes.size();
        const char* piece = p;
        string_view query;
        Fields f;  // every way of cutting sets what is read below
        while (p < end) {
            const char* begin = p;
            const bool quick = next_usual(p, end, Usual::qrels, f);
            if (!quick) {
                const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
                const char* first = p;
                p = stop == nullptr ? end : stop + 1;
                if (stop == nullptr) stop = end;
                if (!cutter.begins(first, stop)) continue;
                f = cutter.cut(first, stop);
                if (!cutter.fits(f)) return std::nullopt;
            }
            if (query.data() == nullptr || !same(query, f.query)) {
                if (query.data() != nullptr && !taker.close(query, {piece, static_cast<std::size_t>(begin - piece)}))
                    return std::nullopt;
                query = f.query;
                piece = begin;
            }
            if (!taker.add(f.doc, quick ? read_small_number(f.number) : read_number(f.number))) return std::nullopt;
        }
        if (query.data() != nullptr && !taker.close(query, {piece, static_cast<std::size_t>(end - piece)}))
            return std::nullopt;
    }
    return out;
}

}  // namespace

std::optional<Judgments> Judgments::from_text(const TextSource& text, const Layout& layout,
                                              std::size_t chunk_bytes) {
    if (Cutter(layout).usual() != Usual::qrels) return std::nullopt;
    const std::vector<Span> chunks = chunks_of(text, layout, chunk_bytes);
    const std::span<const Span> all_chunks = chunks;
    const std::size_t half = chunks.size() / 2;
    std::future<std::optional<Judgments>> later;
    std::optional<Judgments> all;
    try {
        if (half > 0)
            later = std::async(std::launch::async, take, std::cref(text), std::cref(layout), all_chunks.subspan(half));
    } catch (const std::system_error&) {
        // The machine gives no more threads.
    }
    if (later.valid()) {
        all = take(text, layout, all_chunks.first(half));
        const std::optional<Judgments> rest = later.get();
        if (!all || !rest || !all->append(*rest)) return std::nullopt;
    } else {
        all = take(text, layout, all_chunks);
    }
    return all && all->size() > 0 ? std::move(all) : std::nullopt;
}

bool Judgments::append(const Judgments& other) {
    for (std::size_t q = 0; q < other.size(); ++q) {
        const std::size_t known = queries.size();
        if (static_cast<std::size_t>(queries.add(other.queries.names()[q])) != known) return false;
    }
    const std::int64_t rows = start.back(), bytes = doc.start.back();
    for (std::size_t q = 1; q < other.start.size(); ++q) start.push_back(rows + other.start[q]);
    for (std::size_t d = 1; d < other.doc.start.size(); ++d) doc.start.push_back(bytes + other.doc.start[d]);
    doc.data.insert(doc.data.end(), other.doc.data.begin(), other.doc.data.end());
    hash.insert(hash.end(), other.hash.begin(), other.hash.end());
    grade.insert(grade.end(), other.grade.begin(), other.grade.end());
    return true;
}

}  // namespace rankproof
