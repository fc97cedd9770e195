#include "rowjoin.hpp"

namespace rankproof {

Joined join_rows(const Judgments& judgments, const Rows& rows, const Order& order) {
    Joined joined(judgments.size());
    std::vector<std::int64_t> start, index, begin(judgments.size(), 0), count(judgments.size(), 0);
    rows.group(start, index);
    joined.faults.wrong_columns = rows.fault_count;
    joined.faults.undecodable_bytes = rows.undecodable.size();
    joined.rows = rows.size();
    Placer placer(judgments, order);
    Placed placed;
    Block block;
    for (std::size_t q = 0; q + 1 < start.size(); ++q) {
        block.clear();
        block.ranked = true;
        for (std::int64_t k = start[q]; k < start[q + 1]; ++k) {
            const auto i = static_cast<std::size_t>(index[static_cast<std::size_t>(k)]);
            const auto state = static_cast<NumberState>(rows.state[i]);
            joined.faults.count(state, order.by);
            if (rows.rank[i] < 0) block.ranked = false;
            if (order.by == By::rank && rows.rank[i] < 0) ++joined.faults.bad_rank;
            block.add(rows.doc[i], order.key(rows.number[i], rows.rank[i], block.size), rows.rank[i]);
        }
        const string_view name = rows.queries.names()[q];
        const std::int64_t judged = judgments.queries.find(name);
        const std::size_t before = placed.size();
        joined.faults.duplicate_document += placer.place(block, judged, placed);
        joined.faults.rank_disagrees += placer.rank_disagrees(block);
        if (judged < 0) {
            joined.unjudged_queries.emplace_back(name);
            continue;
        }
        const auto number = static_cast<std::size_t>(judged);
        joined.in_run[number] = 1;
        joined.retrieved[number] = static_cast<std::int64_t>(block.size);
        begin[number] = static_cast<std::int64_t>(before);
        count[number] = static_cast<std::int64_t>(placed.size() - before);
    }
    if (rows.label.size() > 0 && rows.label.back() >= 0)
        joined.tag = std::string(rows.labels.names()[static_cast<std::size_t>(rows.label.back())]);
    joined.gather(placed, begin, count);
    return joined;
}

}  // namespace rankproof
