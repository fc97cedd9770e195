#include "dicts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "python_values.hpp"

namespace nb = nanobind;

namespace rankproof {

namespace {

struct Entry {
    PyObject* key;
    std::int32_t grade;
};

void sort_by_grade(std::vector<Entry>& entries) {
    const auto better = [](const Entry& a, const Entry& b) { return a.grade > b.grade; };
    if (entries.size() > 64) {
        std::stable_sort(entries.begin(), entries.end(), better);
        return;
    }
    // Small pools are the usual case: insertion needs no memory of its own.
    for (std::size_t i = 1; i < entries.size(); ++i) {
        const Entry e = entries[i];
        std::size_t j = i;
        for (; j > 0 && better(e, entries[j - 1]); --j) entries[j] = entries[j - 1];
        entries[j] = e;
    }
}

// A dict's ranking joined without hashing or copying an id: the pool's keys are looked up in the dict itself.
class InPlace {
public:
    InPlace(const BoundJudgments& bound, const Order& order) : bound_(bound), order_(order) {}

    // False when the query needs the general way (very many tied documents).
    bool place(PyObject* query, PyObject* docs, std::size_t q, Placed& out, RunFaults& faults) {
        read(query, docs, faults);
        found_.clear();
        const auto& starts = bound_.judgments.start;
        for (std::int64_t d = starts[q]; d < starts[q + 1]; ++d) {
            PyObject* key = bound_.keys[static_cast<std::size_t>(d)];
            PyObject* value = PyDict_GetItemWithError(docs, key);
            if (value == nullptr) {
                if (PyErr_Occurred() != nullptr) throw nb::python_error();
                continue;
            }
            found_.push_back({order_.key(score_of(value, query, key), 0, 0), key, d, 0, 0, 0});
        }
        if (!locate()) return false;
        std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.rank < b.rank; });
        for (const Found& f : found_) {
            out.rank.push_back(static_cast<std::int32_t>(f.rank));
            out.tie_first.push_back(static_cast<std::int32_t>(f.first));
            out.tie_last.push_back(static_cast<std::int32_t>(f.last));
            out.doc.push_back(f.doc);
        }
        return true;
    }

private:
    struct Found {
        double key;
        PyObject* id;
        std::int64_t doc;
        std::size_t rank, first, last;
    };
    static constexpr std::size_t many_tied = 32;

    void read(PyObject* query, PyObject* docs, RunFaults& faults) {
        const auto n = static_cast<std::size_t>(PyDict_Size(docs));
        keys_.resize(n);
        ids_.resize(n);
        falling_ = true;
        double last = std::numeric_limits<double>::infinity();
        Py_ssize_t at = 0;
        PyObject *doc = nullptr, *value = nullptr;
        for (std::size_t i = 0; i < n && PyDict_Next(docs, &at, &doc, &value); ++i) {
            need_text(query, doc);
            if (has_surrogate(doc)) ++faults.undecodable_bytes;
            const double score = score_of(value, query, doc);
            if (!std::isfinite(score)) faults.count(state_of(score), order_.by);
            const double key = order_.key(score, 0, 0);
            falling_ &= last >= key;
            last = key;
            keys_[i] = key;
            ids_[i] = doc;
        }
    }

    // Ranks and tie groups of the documents found.
    bool locate() {
        // Few documents to place in an unsorted list: counting what comes before each is cheaper than sorting all.
        const bool counting = !falling_ && found_.size() <= 4 * static_cast<std::size_t>(std::bit_width(keys_.size()));
        const double* sorted = keys_.data();
        if (!falling_ && !counting) {
            sorted_ = keys_;
            std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
            sorted = sorted_.data();
        }
        std::size_t tied = 0;
        for (Found& f : found_) {
            if (counting) {
                std::size_t greater = 0, equal = 0;
                for (const double key : keys_) {
                    greater += key > f.key;
                    equal += key == f.key;
                }
                f.first = greater + 1;
                f.last = greater + equal;
            } else {
                const auto [a, b] = std::equal_range(sorted, sorted + keys_.size(), f.key, std::greater<>());
                f.first = static_cast<std::size_t>(a - sorted) + 1;
                f.last = static_cast<std::size_t>(b - sorted);
            }
            f.rank = f.first;
            if (f.last == f.first) continue;
            if (++tied > many_tied) return false;
            // In a falling list the group is where the search found it; otherwise it may be anywhere.
            const std::size_t begin = falling_ ? f.first - 1 : 0, end = falling_ ? f.last : keys_.size();
            std::string one, other;
            const string_view id = utf8_of(f.id, one);
            for (std::size_t j = begin; j < end; ++j)
                if (keys_[j] == f.key) f.rank += order_.wins_tie(utf8_of(ids_[j], other), 0, id, 0);
        }
        return true;
    }

    const BoundJudgments& bound_;
    const Order& order_;
    bool falling_ = true;
    std::vector<double> keys_, sorted_;
    std::vector<PyObject*> ids_;
    std::vector<Found> found_;
};

}  // namespace

BoundJudgments::~BoundJudgments() {
    for (PyObject* key : keys) Py_DECREF(key);
}

BoundJudgments BoundJudgments::from_dicts(nb::dict data) {
    BoundJudgments out{Judgments()};
    Judgments& j = out.judgments;
    std::vector<Entry> entries;
    std::string scratch;
    Py_ssize_t at = 0;
    PyObject *query = nullptr, *docs = nullptr;
    while (PyDict_Next(data.ptr(), &at, &query, &docs)) {
        need_text(nullptr, query);
        if (!PyDict_Check(docs)) wrong_type(about(query, nullptr, "the judgments"), "a dict of grades", docs);
        entries.clear();
        for_each_document(query, docs, [&](PyObject* doc, PyObject* value) {
            long grade = 0;
            int overflow = 0;
            if (PyLong_CheckExact(value)) {
                grade = PyLong_AsLongAndOverflow(value, &overflow);
            } else {
                const double number = score_of(value, query, doc, "the grade");
                if (!(number == std::floor(number))) ++j.faults.fractional_grade;
                else if (std::abs(number) > 2e9) overflow = 1;
                else grade = static_cast<long>(number);
            }
            if (overflow != 0 || grade > 2000000000L || grade < -2000000000L) {
                ++j.faults.fractional_grade;
                grade = 0;
            }
            if (has_surrogate(doc)) ++j.faults.undecodable_bytes;
            entries.push_back({doc, static_cast<std::int32_t>(grade)});
        });
        // Best grade first; documents of one grade stay as they came.
        sort_by_grade(entries);
        const string_view name = utf8_of(query, scratch);
        if (!is_utf8(name)) ++j.faults.undecodable_bytes;
        j.queries.add(name);
        for (const Entry& e : entries) {
            j.grade.push_back(e.grade);
            Py_INCREF(e.key);
            out.keys.push_back(e.key);
        }
        j.start.push_back(static_cast<std::int64_t>(j.grade.size()));
    }
    return out;
}

Judgments& BoundJudgments::with_ids() {
    std::string scratch;
    for (std::size_t i = judgments.doc.size(); i < keys.size(); ++i) {
        const string_view id = utf8_of(keys[i], scratch);
        judgments.doc.push(id);
        judgments.hash.push_back(hash_bytes(id));
    }
    return judgments;
}

Rows rows_from_dicts(nb::dict data) {
    Rows rows;
    std::string query_scratch, doc_scratch;
    Py_ssize_t at = 0;
    PyObject *query = nullptr, *docs = nullptr;
    while (PyDict_Next(data.ptr(), &at, &query, &docs)) {
        need_text(nullptr, query);
        const string_view name = utf8_of(query, query_scratch);
        for_each_document(query, docs, [&](PyObject* doc, PyObject* value) {
            Number n{std::numeric_limits<double>::quiet_NaN(), NumberState::absent};
            if (value != nullptr) {
                n.value = score_of(value, query, doc);
                n.state = state_of(n.value);
            }
            rows.add(name, utf8_of(doc, doc_scratch), n, no_rank, {}, false, static_cast<std::int64_t>(rows.size() + 1));
        });
    }
    return rows;
}

Joined join_dicts(BoundJudgments& bound, nb::dict run, const Order& order) {
    const Judgments& judgments = bound.judgments;
    Joined joined(judgments.size());
    std::vector<std::int64_t> begin(judgments.size(), 0), count(judgments.size(), 0);
    Placed placed;
    Placer placer(judgments, order);
    InPlace in_place(bound, order);
    Block block;
    std::string scratch;
    Py_ssize_t at = 0;
    PyObject *query = nullptr, *docs = nullptr;
    while (PyDict_Next(run.ptr(), &at, &query, &docs)) {
        need_text(nullptr, query);
        const string_view name = utf8_of(query, scratch);
        const std::int64_t q = judgments.queries.find(name);
        const auto number = static_cast<std::size_t>(q);
        if (q < 0) joined.unjudged_queries.emplace_back(name);
        if (!is_utf8(name)) ++joined.faults.undecodable_bytes;
        const std::size_t before = placed.size();
        const bool keyed = q >= 0 && PyDict_Check(docs) && order.by == By::score && order.ties != Ties::given &&
                           (!bound.keys.empty() || judgments.grade.empty());
        std::size_t documents = 0;
        if (keyed && in_place.place(query, docs, number, placed, joined.faults)) {
            documents = static_cast<std::size_t>(PyDict_Size(docs));
        } else {
            bound.with_ids();
            block.clear();
            for_each_document(query, docs, [&](PyObject* doc, PyObject* value) {
                double score = 0;
                if (value != nullptr) {
                    score = score_of(value, query, doc);
                    if (!keyed && !std::isfinite(score)) joined.faults.count(state_of(score), order.by);
                } else {
                    joined.faults.count(NumberState::absent, order.by);
                }
                std::string text;
                string_view id = utf8_of(doc, text);
                if (!text.empty()) {
                    id = block.kept.emplace_back(text);
                    ++joined.faults.undecodable_bytes;
                }
                block.add(id, order.key(score, static_cast<std::int64_t>(block.size), block.size));
            });
            joined.faults.duplicate_document += placer.place(block, q, placed);
            documents = block.size;
        }
        joined.rows += documents;
        if (q < 0) continue;
        joined.in_run[number] = 1;
        joined.retrieved[number] = static_cast<std::int64_t>(documents);
        begin[number] = static_cast<std::int64_t>(before);
        count[number] = static_cast<std::int64_t>(placed.size() - before);
    }
    joined.gather(placed, begin, count);
    return joined;
}

}  // namespace rankproof
