// Postings: which documents have a term and how often, packed; made from documents in order, and read back.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "platform.hpp"
#include "strings.hpp"
#include "text_source.hpp"

namespace rankproof {

// Columns or postings that no index can have.
struct DamagedIndex : std::runtime_error {
    DamagedIndex() : std::runtime_error("the index is damaged") {}
};

// ---- numbers of one to ten bytes, seven bits in each, the lowest first; the last byte is below 0x80 ----

inline char* put_number(char* to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
    *to++ = static_cast<char>(value);
    return to;
}

inline std::size_t bytes_of_number(std::uint64_t value) {
    return static_cast<std::size_t>(std::bit_width(value | 1) + 6) / 7;
}

// Throws where the bytes end before the number does, or where it has more than 63 bits.
inline std::uint64_t take_number(const char*& from, const char* end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
        if (from == end) break;
        const auto byte = static_cast<unsigned char>(*from++);
        value |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) return value;
    }
    throw DamagedIndex();
}

inline constexpr std::size_t longest_number = 10;

// A term in a document, or a document of a term: a number, and how often. Once, which is what most are, takes no byte.
inline char* put_counted(char* to, std::uint64_t number, std::uint64_t often) {
    to = put_number(to, number << 1 | (often != 1));
    return often == 1 ? to : put_number(to, often);
}

inline std::size_t bytes_of_counted(std::uint64_t number, std::uint64_t often) {
    return bytes_of_number(number << 1) + (often == 1 ? 0 : bytes_of_number(often));
}

// The postings of one term, one after the other. Every byte is checked: it may come from a file.
class Postings {
public:
    Postings(string_view bytes, std::uint64_t documents)
        : at_(bytes.data()), end_(bytes.data() + bytes.size()), documents_(documents) {}

    // The next document that has the term; false behind the last one.
    bool next() {
        if (at_ == end_) return false;
        const std::uint64_t number = take_number(at_, end_);
        next_ += number >> 1;
        if (next_ >= documents_) throw DamagedIndex();
        doc_ = static_cast<std::size_t>(next_++);
        often_ = (number & 1) == 0 ? 1 : take_number(at_, end_);
        return true;
    }
    std::size_t doc() const { return doc_; }
    std::uint64_t often() const { return often_; }

private:
    const char *at_, *end_;
    std::uint64_t documents_, next_ = 0, often_ = 0;
    std::size_t doc_ = 0;
};

// The terms of many documents, with the postings of each in memory or in a file.
class TermIndex {
public:
    // Columns as `TermIndex` has them; throws DamagedIndex where one points beyond another.
    TermIndex(Strings terms, std::vector<std::uint64_t> start, std::vector<std::uint32_t> having,
              std::vector<std::uint32_t> length, std::vector<char> data);
    // Postings from a place in a file on. It stays open and is read term by term; it is not mapped, for the reason in
    // platform.hpp.
    TermIndex(Strings terms, std::vector<std::uint64_t> start, std::vector<std::uint32_t> having,
              std::vector<std::uint32_t> length, platform::File file, std::uint64_t from);

    const Strings& terms() const { return terms_; }                      // ascending
    const std::vector<std::uint64_t>& start() const { return start_; }   // of each term's postings, in bytes; and the end
    const std::vector<std::uint32_t>& having() const { return having_; } // documents that have the term
    const std::vector<std::uint32_t>& length() const { return length_; } // of each document, in terms
    const std::vector<char>& data() const { return data_; }
    bool in_memory() const { return !file_; }
    std::uint64_t size() const { return start_.back(); }
    std::uint64_t documents() const { return length_.size(); }

    static constexpr std::int64_t none = -1;
    std::int64_t find(string_view term) const;

    // The bytes of a term's postings; `room` holds them where they come from a file. Throws FileChanged where it is
    // shorter than it was.
    string_view bytes_of(std::size_t term, Room& room) const;

private:
    void check() const;

    Strings terms_;
    std::vector<std::uint64_t> start_;
    std::vector<std::uint32_t> having_, length_;
    std::vector<char> data_;
    std::optional<platform::File> file_;
    std::uint64_t from_ = 0;
};

// Gathers documents one by one, each packed at once; then turns documents with terms into terms with documents. Nothing
// takes more than a few bytes for a term of a document at any time.
class IndexBuilder {
public:
    static constexpr std::int32_t no_term = -1;

    IndexBuilder() = default;
    IndexBuilder(IndexBuilder&&) = default;

    // The terms of the next document, in any order and as often as they occur, by number; `no_term` counts for nothing.
    void add(const std::int32_t* terms, std::size_t count);
    std::size_t documents() const { return length_.size(); }

    // The index; `names` has the term of each number. Nothing is left here.
    TermIndex finish(Strings names);

private:
    // What is known of a term so far.
    struct Known {
        std::uint64_t bytes = 0;     // of its postings; where the next one goes, when they are written
        std::uint32_t having = 0;
        std::uint32_t next = 0;      // the document after the last one that has it
        std::uint32_t place = 0;     // among the terms of the document at work
        std::uint32_t document = 0;  // the document at work plus one, when it has the term
    };
    struct Occurrence {
        std::uint32_t term, often;
    };
    struct Block {
        std::unique_ptr<char[]> data;
        std::size_t size = 0, room = 0;
    };

    void pack();

    std::vector<Known> known_;
    std::vector<Occurrence> here_;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> length_;
};

}  // namespace rankproof
