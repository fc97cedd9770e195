#include "classic.hpp"
#include "judgments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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

}  // namespace

std::optional<Judgments> Judgments::from_text(string_view text, const Layout& layout) {
    Cutter cutter(layout);
    const Usual usual = cutter.usual() == Usual::qrels ? Usual::qrels : Usual::no;
    if (usual == Usual::no) return std::nullopt;
    Judgments out;
    Taker taker(out);
    const char* p = text.data();
    const char* end = p + text.size();
    const char* piece = p;
    string_view query;
    for (std::int64_t line = 1; p < end; ++line) {
        const char* begin = p;
        Fields f;
        const bool quick = line > layout.skip && next_usual(p, end, usual, f);
        if (!quick) {
            const auto* stop = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
            const char* first = p;
            p = stop == nullptr ? end : stop + 1;
            if (stop == nullptr) stop = end;
            if (line <= layout.skip || !cutter.begins(first, stop)) continue;
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
    if (query.data() == nullptr || !taker.close(query, {piece, static_cast<std::size_t>(end - piece)}))
        return std::nullopt;
    return out;
}

}  // namespace rankproof
