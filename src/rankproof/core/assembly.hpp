// The pieces of all chunks brought together by query.
#pragma once

#include <deque>

#include "reader.hpp"

namespace rankproof {

// Brings the chunks' pieces together by query, in the order of the qrels.
class Assembly {
public:
    Assembly(const TextSource& text, std::vector<Chunk>& chunks, const Judgments& judgments, const Layout& layout,
             const Order& order)
        : text_(text), chunks_(chunks), judgments_(judgments), reader_(judgments, layout, order), joined_(judgments.size()) {}

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
            if (!chunk.pieces.empty()) joined_.tag = chunk.tag;
            std::size_t at = 0, unjudged = 0;
            for (const Piece& piece : chunk.pieces) {
                std::int64_t q = piece.query;
                if (q < 0) q = static_cast<std::int64_t>(judgments_.size()) + unjudged_.add(chunk.unjudged[unjudged++]);
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

    void merge_repeated() {
        // Many short pieces: reading the whole file once takes less time than asking for each of them.
        std::size_t pieces = 0;
        for (const std::vector<Piece>& parts : repeated_) pieces += parts.size();
        Room room;
        const bool at_once = !text_.in_memory() && pieces > text_.size() / worth_a_read;
        const TextSource text = at_once ? TextSource(text_.whole(room)) : text_;
        merged_.resize(repeated_.size());
        for (std::size_t i = 0; i < repeated_.size(); ++i) {
            const std::size_t number = repeated_numbers_[i];
            merged_pieces_.push_back(reader_.read_again(text, repeated_[i], merged_[i]));
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

    // A call to the system takes about as long as copying so many bytes.
    static constexpr std::size_t worth_a_read = 4096;

    const TextSource& text_;
    std::vector<Chunk>& chunks_;
    const Judgments& judgments_;
    Reader reader_;
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

}  // namespace rankproof
