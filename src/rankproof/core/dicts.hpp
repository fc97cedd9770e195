// Python dicts of dicts, read in place: no copy of ids, no object per row.
#pragma once

#include <nanobind/nanobind.h>

#include "joined.hpp"

namespace rankproof {

// Judgments together with the dict keys they came from, when they came from a dict: a run in dicts is then
// looked up with Python's own cached hashes.
class BoundJudgments {
public:
    explicit BoundJudgments(Judgments&& j) : judgments(std::move(j)) {}
    BoundJudgments(BoundJudgments&& other) noexcept
        : judgments(std::move(other.judgments)), keys(std::move(other.keys)) {
        other.keys.clear();
    }
    BoundJudgments(const BoundJudgments&) = delete;
    ~BoundJudgments();

    static BoundJudgments from_dicts(nanobind::dict data);

    // The judgments with the ids' own bytes: a run in dicts is joined without them, so they are read when first needed.
    Judgments& with_ids();

    Judgments judgments;
    std::vector<PyObject*> keys;  // one for each pooled document, or empty
};

Rows rows_from_dicts(nanobind::dict data);
Joined join_dicts(BoundJudgments& judgments, nanobind::dict run, const Order& order);

}  // namespace rankproof
