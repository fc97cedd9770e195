#include "bm25.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rankproof {

Bm25::Bm25(std::vector<Weighted> fields, std::vector<double> norm, Formula formula, double k1, double delta)
    : fields_(std::move(fields)), norm_(std::move(norm)), formula_(formula), k1_(k1), delta_(delta) {
    for (const Weighted& field : fields_)
        if (field.index->documents() != norm_.size()) throw std::invalid_argument("fields must have the same documents");
}

// Calls `use` with each document that has the term and how often: the sum of the fields' counts times their weights,
// in the order of the fields.
template <class Use>
void Bm25::each_posting(const std::string& term, std::vector<Room>& rooms, Use use) const {
    struct Source {
        Postings postings;
        double weight;
    };
    std::vector<Source> sources;
    rooms.resize(fields_.size());
    for (std::size_t f = 0; f < fields_.size(); ++f) {
        const TermIndex& index = *fields_[f].index;
        const std::int64_t number = index.find(term);
        if (number == TermIndex::none) continue;
        Source source{{index.bytes_of(static_cast<std::size_t>(number), rooms[f]), index.documents()},
                      fields_[f].weight};
        if (source.postings.next()) sources.push_back(source);
    }
    if (sources.size() == 1) {
        Source& only = sources[0];
        do use(only.postings.doc(), static_cast<double>(only.postings.often()) * only.weight);
        while (only.postings.next());
        return;
    }
    while (!sources.empty()) {
        std::size_t doc = sources[0].postings.doc();
        for (const Source& source : sources) doc = std::min(doc, source.postings.doc());
        double often = 0;
        for (Source& source : sources)
            if (source.postings.doc() == doc) often += static_cast<double>(source.postings.often()) * source.weight;
        use(doc, often);
        std::erase_if(sources, [&](Source& source) { return source.postings.doc() == doc && !source.postings.next(); });
    }
}

double Bm25::part(double often, double norm) const {
    switch (formula_) {
        case Formula::lower_bounded_length: {
            const double c = often / norm + delta_;
            return (k1_ + 1) * c / (k1_ + c);
        }
        case Formula::lower_bounded: return (k1_ + 1) * often / (norm + often) + delta_;
        case Formula::scaled: return (k1_ + 1) * often / (norm + often);
        default: return often / (norm + often);
    }
}

std::vector<std::int64_t> Bm25::having(const std::vector<std::string>& terms) const {
    std::vector<std::int64_t> out(terms.size());
    std::vector<Room> rooms;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (fields_.size() == 1) {
            const std::int64_t number = fields_[0].index->find(terms[i]);
            if (number != TermIndex::none) out[i] = fields_[0].index->having()[static_cast<std::size_t>(number)];
        } else {
            each_posting(terms[i], rooms, [&](std::size_t, double) { ++out[i]; });
        }
    }
    return out;
}

Best Bm25::best(const std::vector<std::string>& terms, const double* rarity, const std::int32_t* place,
                std::size_t depth) const {
    std::vector<double> scores(norm_.size());
    std::vector<Room> rooms;
    for (std::size_t i = 0; i < terms.size(); ++i)
        each_posting(terms[i], rooms,
                     [&, rare = rarity[i]](std::size_t doc, double often) { scores[doc] += part(often, norm_[doc]) * rare; });

    struct Candidate {
        double score;
        std::int32_t place, doc;
        bool operator<(const Candidate& other) const {  // better ones first
            return score != other.score ? score > other.score : place < other.place;
        }
    };
    std::vector<Candidate> heap;  // the worst one is in front
    for (std::size_t doc = 0; doc < scores.size(); ++doc) {
        const double score = scores[doc];
        if (!(score > 0) || depth == 0 || (heap.size() == depth && score < heap.front().score)) continue;
        const Candidate candidate{score, place[doc], static_cast<std::int32_t>(doc)};
        if (heap.size() == depth) {
            if (!(candidate < heap.front())) continue;
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        heap.push_back(candidate);
        std::push_heap(heap.begin(), heap.end());
    }
    std::sort_heap(heap.begin(), heap.end());
    Best out;
    for (const Candidate& candidate : heap) out.doc.push_back(candidate.doc), out.score.push_back(candidate.score);
    return out;
}

std::vector<std::int32_t> descending_places(const std::vector<string_view>& names) {
    std::vector<std::int32_t> order(names.size()), place(names.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return names[static_cast<std::size_t>(a)] > names[static_cast<std::size_t>(b)];
    });
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    return place;
}

}  // namespace rankproof
