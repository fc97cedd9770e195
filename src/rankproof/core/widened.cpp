#include "judgments.hpp"

namespace rankproof {

Judgments Judgments::widened(const std::vector<const Rows*>& runs, std::int32_t mark) const {
    Judgments out;
    // Where each run has the rows of each query.
    std::vector<std::vector<std::int64_t>> start(runs.size()), index(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) runs[r]->group(start[r], index[r]);
    std::vector<std::uint32_t> slots;
    for (std::size_t q = 0; q < size(); ++q) {
        const string_view name = queries.names()[q];
        out.queries.add(name);
        const auto first = out.doc.size();
        std::vector<std::int64_t> place(runs.size());
        std::size_t most = static_cast<std::size_t>(this->start[q + 1] - this->start[q]);
        for (std::size_t r = 0; r < runs.size(); ++r) {
            place[r] = runs[r]->queries.find(name);
            if (place[r] >= 0) {
                const auto at = static_cast<std::size_t>(place[r]);
                most += static_cast<std::size_t>(start[r][at + 1] - start[r][at]);
            }
        }
        std::size_t room = 4;
        while (room < 2 * most) room *= 2;
        slots.assign(room, 0);
        const auto add = [&](string_view doc, std::uint64_t hash_of_doc, std::int32_t grade_of_doc) {
            std::size_t slot = hash_of_doc & (room - 1);
            for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) {
                const std::size_t known = first + slots[slot] - 1;
                if (out.hash[known] == hash_of_doc && out.doc[known] == doc) return;
            }
            out.doc.push(doc);
            out.hash.push_back(hash_of_doc);
            out.grade.push_back(grade_of_doc);
            slots[slot] = static_cast<std::uint32_t>(out.doc.size() - first);
        };
        for (auto d = static_cast<std::size_t>(this->start[q]); d < static_cast<std::size_t>(this->start[q + 1]); ++d)
            add(doc[d], hash[d], grade[d]);
        for (std::size_t r = 0; r < runs.size(); ++r) {
            if (place[r] < 0) continue;
            const auto at = static_cast<std::size_t>(place[r]);
            for (std::int64_t k = start[r][at]; k < start[r][at + 1]; ++k) {
                const string_view id = runs[r]->doc[static_cast<std::size_t>(index[r][static_cast<std::size_t>(k)])];
                add(id, hash_bytes(id), mark);
            }
        }
        out.start.push_back(static_cast<std::int64_t>(out.grade.size()));
    }
    return out;
}

}  // namespace rankproof
