#include "classic.hpp"
#include "judgments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <future>
#include <system_error>

namespace rankproof {

namespace {

// Texts from this size on are read in two halves.
constexpr std::size_t worth_a_thread = std::size_t{1} << 20;

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

// One part of the text; `first_line` is the number of its first line.
std::optional<Judgments> take(string_view text, const Layout& layout, std::int64_t first_line) {
    Cutter cutter(layout);
    const Usual usual = cutter.usual() == Usual::qrels ? Usual::qrels : Usual::no;
    if (usual == Usual::no) return std::nullopt;
    Judgments out;
    Taker taker(out);
    const char* p = text.data();
    const char* end = p + text.size();
    const char* piece = p;
    string_view query;
    Fields f;  // every way of cutting sets what is read below
    for (std::int64_t line = first_line; p < end; ++line) {
        const char* begin = p;
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

// Where a later part may begin: at the first line of a query, near the middle; nullptr for a text of one query.
const char* middle(string_view text) {
    const char* end = text.data() + text.size();
    const char* p = text.data() + text.size() / 2;
    string_view query;
    while (true) {
        p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        if (p == nullptr || ++p == end) return nullptr;
        const string_view next(p, static_cast<std::size_t>(token_end(p, end) - p));
        if (query.data() != nullptr && !same(query, next)) return p;
        query = next;
    }
}

}  // namespace

std::optional<Judgments> Judgments::from_text(string_view text, const Layout& layout) {
    const char* half = text.size() < worth_a_thread ? nullptr : middle(text);
    if (half == nullptr) return take(text, layout, 1);
    const auto before = static_cast<std::size_t>(half - text.data());
    std::future<std::optional<Judgments>> later;
    try {
        // Behind any header: the numbers of these lines matter to nobody else.
        later = std::async(std::launch::async, take, text.substr(before), std::cref(layout), layout.skip + 1);
    } catch (const std::system_error&) {
        return take(text, layout, 1);  // no thread to be had
    }
    std::optional<Judgments> all = take(text.substr(0, before), layout, 1);
    const std::optional<Judgments> rest = later.get();
    if (!all || !rest || !all->append(*rest)) return std::nullopt;
    return all;
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
