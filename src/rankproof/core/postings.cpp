#include "postings.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rankproof {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::size_t most_documents = std::numeric_limits<std::int32_t>::max();

// The first eight bytes of a string as a number: where two of them differ, they are ordered as the strings are.
std::uint64_t beginning(string_view s) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | (i < s.size() ? static_cast<unsigned char>(s[i]) : 0u);
    return value;
}

// The numbers of strings, ascending by their bytes.
std::vector<std::uint32_t> ascending(const Strings& names) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(names.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {beginning(names[i]), static_cast<std::uint32_t>(i)};
    std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : names[a.second] < names[b.second];
    });
    std::vector<std::uint32_t> out(keys.size());
    std::transform(keys.begin(), keys.end(), out.begin(), [](const auto& key) { return key.second; });
    return out;
}

}  // namespace

// ---- the index --------------------------------------------------------------------------------------

TermIndex::TermIndex(Strings terms, std::vector<std::uint64_t> start, std::vector<std::uint32_t> having,
                     std::vector<std::uint32_t> length, std::vector<char> data)
    : terms_(std::move(terms)), start_(std::move(start)), having_(std::move(having)), length_(std::move(length)),
      data_(std::move(data)) {
    check();
    if (data_.size() != size()) throw DamagedIndex();
}

TermIndex::TermIndex(Strings terms, std::vector<std::uint64_t> start, std::vector<std::uint32_t> having,
                     std::vector<std::uint32_t> length, platform::File file, std::uint64_t from)
    : terms_(std::move(terms)), start_(std::move(start)), having_(std::move(having)), length_(std::move(length)),
      file_(std::move(file)), from_(from) {
    check();
    const std::uint64_t there = file_->stamp().size;
    if (there < from_ || there - from_ < size()) throw DamagedIndex();
}

void TermIndex::check() const {
    const std::size_t n = having_.size();
    if (terms_.start.empty() || terms_.size() != n || start_.size() != n + 1 || start_[0] != 0 ||
        terms_.start[0] != 0 || length_.size() > most_documents)
        throw DamagedIndex();
    // All starts first: only then is each string one that can be looked at.
    for (std::size_t t = 0; t < n; ++t)
        if (terms_.start[t + 1] < terms_.start[t] || start_[t + 1] < start_[t]) throw DamagedIndex();
    if (static_cast<std::uint64_t>(terms_.start[n]) != terms_.data.size()) throw DamagedIndex();
    for (std::size_t t = 0; t < n; ++t)
        if (having_[t] == 0 || having_[t] > length_.size() || start_[t + 1] - start_[t] < having_[t] ||
            (t > 0 && !(terms_[t - 1] < terms_[t])))
            throw DamagedIndex();
}

std::int64_t TermIndex::find(string_view term) const {
    std::size_t first = 0, end = having_.size();
    while (first < end) {
        const std::size_t middle = first + (end - first) / 2;
        if (terms_[middle] < term) first = middle + 1;
        else end = middle;
    }
    return first < having_.size() && terms_[first] == term ? static_cast<std::int64_t>(first) : none;
}

string_view TermIndex::bytes_of(std::size_t term, Room& room) const {
    const auto begin = static_cast<std::size_t>(start_[term]), count = static_cast<std::size_t>(start_[term + 1]) - begin;
    if (!file_) return {data_.data() + begin, count};
    char* const into = room.of(count);
    if (file_->read(from_ + begin, into, count) != count) throw FileChanged();
    return {into, count};
}

// ---- making it --------------------------------------------------------------------------------------

void IndexBuilder::add(const std::int32_t* terms, std::size_t count) {
    if (length_.size() == most_documents || count > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("too many documents or words");
    const auto now = static_cast<std::uint32_t>(length_.size()) + 1;
    std::uint32_t length = 0;
    here_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        if (terms[i] < 0) continue;
        const auto term = static_cast<std::uint32_t>(terms[i]);
        if (term >= known_.size()) known_.resize(term + std::size_t{1});
        Known& known = known_[term];
        ++length;
        if (known.document == now) {
            ++here_[known.place].often;
            continue;
        }
        known.document = now;
        known.place = static_cast<std::uint32_t>(here_.size());
        here_.push_back({term, 1});
    }
    pack();
    length_.push_back(length);
}

void IndexBuilder::pack() {
    const auto doc = static_cast<std::uint32_t>(length_.size());
    const std::size_t most = (2 * here_.size() + 1) * longest_number;
    if (blocks_.empty() || blocks_.back().room - blocks_.back().size < most) {
        const std::size_t room = std::max(block_bytes, most);
        blocks_.push_back({std::make_unique_for_overwrite<char[]>(room), 0, room});
    }
    Block& block = blocks_.back();
    char* to = put_number(block.data.get() + block.size, here_.size());
    for (const auto& [term, often] : here_) {
        to = put_counted(to, term, often);
        Known& known = known_[term];
        known.bytes += bytes_of_counted(doc - known.next, often);
        known.next = doc + 1;
        ++known.having;
    }
    block.size = static_cast<std::size_t>(to - block.data.get());
}

TermIndex IndexBuilder::finish(Strings names) {
    known_.resize(names.size());
    std::vector<std::uint32_t> order = ascending(names);
    // A term whose words all count for nothing is none.
    std::erase_if(order, [&](std::uint32_t t) { return known_[t].having == 0; });
    Strings terms;
    std::vector<std::uint64_t> start{0}, begin(names.size());
    std::vector<std::uint32_t> having;
    terms.data.reserve(names.data.size());
    terms.start.reserve(order.size() + 1);
    start.reserve(order.size() + 1);
    having.reserve(order.size());
    for (const std::uint32_t t : order) {
        terms.push(names[t]);
        having.push_back(known_[t].having);
        begin[t] = start.back();
        start.push_back(start.back() + known_[t].bytes);
    }
    names = Strings();
    for (std::size_t t = 0; t < known_.size(); ++t) known_[t].bytes = begin[t], known_[t].next = 0;
    std::vector<char> data(static_cast<std::size_t>(start.back()));
    std::size_t doc = 0;
    for (Block& block : blocks_) {
        const char *at = block.data.get(), *end = at + block.size;
        while (at < end) {
            for (std::uint64_t left = take_number(at, end); left > 0; --left) {
                const std::uint64_t number = take_number(at, end);
                const std::uint64_t often = (number & 1) == 0 ? 1 : take_number(at, end);
                Known& known = known_[static_cast<std::size_t>(number >> 1)];
                char* const to = data.data() + known.bytes;
                known.bytes += static_cast<std::uint64_t>(put_counted(to, doc - known.next, often) - to);
                known.next = static_cast<std::uint32_t>(doc) + 1;
            }
            ++doc;
        }
        block.data.reset();  // its documents are in the postings now
    }
    std::exchange(blocks_, std::vector<Block>()).clear();
    std::exchange(known_, std::vector<Known>()).clear();
    return {std::move(terms), std::move(start), std::move(having), std::exchange(length_, {}), std::move(data)};
}

}  // namespace rankproof
