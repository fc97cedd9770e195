// The Python face of the core: only conversions, no decisions. core/_core.pyi documents it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "arrow.hpp"
#include "dicts.hpp"
#include "input.hpp"
#include "python_buffers.hpp"
#include "python_text.hpp"
#include "ranked.hpp"
#include "rowjoin.hpp"
#include "scan.hpp"
#include "tied.hpp"
#include "words.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rankproof;

namespace {

template <class T>
using Column = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;
template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A view on a vector that some Python object owns.
template <class T>
Column<T> view(const std::vector<T>& v, nb::handle owner) {
    return Column<T>(v.data(), {v.size()}, owner);
}

// A vector handed over to Python.
template <class T>
Column<T> give(std::vector<T>&& v) {
    auto* kept = new std::vector<T>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Column<T>(kept->data(), {kept->size()}, owner);
}

Layout layout(const std::string& separator, int query, int doc, int number, int rank, int label, int least, int most,
              int skip, bool quoted, bool comments) {
    if (separator.size() != 1) throw nb::value_error("the separator must be one character");
    return {separator[0], query, doc, number, rank, label, least, most, skip, quoted, comments};
}

Rows rows_from_text(nb::handle data, const std::string& separator, int query, int doc, int number, int rank, int label,
                    int least, int most, int skip, bool quoted, bool comments, std::int64_t first_line) {
    const Layout columns = layout(separator, query, doc, number, rank, label, least, most, skip, quoted, comments);
    return Input(data).read([&](const TextSource& text) { return Rows::from_text(text, columns, first_line); });
}

Rows rows_from_columns(nb::sequence queries, nb::sequence docs, std::optional<Given<double>> number,
                       std::optional<Given<std::int64_t>> rank, nb::object labels,
                       std::optional<Given<std::int64_t>> line) {
    const std::size_t n = nb::len(queries);
    if (nb::len(docs) != n || (number && number->size() != n) || (rank && rank->size() != n) ||
        (line && line->size() != n) || (!labels.is_none() && nb::len(labels) != n))
        throw nb::value_error("columns must have the same length");
    Rows rows;
    std::string a, b, c;
    for (std::size_t i = 0; i < n; ++i) {
        const nb::object q = queries[i], d = docs[i];
        if (!PyUnicode_Check(q.ptr())) wrong_type("a query id", "a str", q.ptr());
        if (!PyUnicode_Check(d.ptr())) wrong_type("a document id", "a str", d.ptr());
        Number value{std::numeric_limits<double>::quiet_NaN(), NumberState::absent};
        if (number) {
            value.value = (*number)(i);
            value.state = std::isnan(value.value)   ? NumberState::nan
                          : std::isinf(value.value) ? NumberState::infinite
                                                    : NumberState::ok;
        }
        nb::object label = labels.is_none() ? nb::none() : nb::object(labels[i]);
        const bool labelled = !label.is_none();
        rows.add(utf8_of(q.ptr(), a), utf8_of(d.ptr(), b), value, rank ? (*rank)(i) : no_rank,
                 labelled ? utf8_of(label.ptr(), c) : string_view{}, labelled,
                 line ? (*line)(i) : static_cast<std::int64_t>(i + 1));
    }
    return rows;
}

std::optional<BoundJudgments> judgments_from_text(nb::handle data, const std::string& separator, int query, int doc,
                                                  int number, int rank, int label, int least, int most, int skip,
                                                  bool quoted, bool comments) {
    const Layout columns = layout(separator, query, doc, number, rank, label, least, most, skip, quoted, comments);
    std::optional<Judgments> found =
        Input(data).read([&](const TextSource& text) { return Judgments::from_text(text, columns); });
    if (!found) return std::nullopt;
    return BoundJudgments(std::move(*found));
}

nb::list faults_of(const Rows& rows) {
    nb::list out;
    for (const LineFault& f : rows.faults) out.append(nb::make_tuple(f.line, f.columns, to_str(f.beginning)));
    return out;
}

nb::list doc_ids(const Rows& rows, std::optional<Given<std::int64_t>> index) {
    nb::list out;
    const std::size_t n = index ? index->size() : rows.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t row = index ? (*index)(i) : static_cast<std::int64_t>(i);
        if (row < 0 || static_cast<std::size_t>(row) >= rows.size()) throw nb::index_error("no such row");
        out.append(to_str(rows.doc[static_cast<std::size_t>(row)]));
    }
    return out;
}

Rows take(const Rows& rows, Given<std::int64_t> index) {
    for (std::size_t i = 0; i < index.size(); ++i)
        if (index(i) < 0 || static_cast<std::size_t>(index(i)) >= rows.size()) throw nb::index_error("no such row");
    return rows.take(index.data(), index.size());
}

nb::dict faults_of(const RunFaults& f) {
    nb::dict out;
    out["wrong_columns"] = f.wrong_columns;
    out["not_a_number"] = f.not_a_number;
    out["nan_score"] = f.nan_score;
    out["infinite_score"] = f.infinite_score;
    out["bad_rank"] = f.bad_rank;
    out["duplicate_document"] = f.duplicate_document;
    out["undecodable_bytes"] = f.undecodable_bytes;
    out["rank_disagrees"] = f.rank_disagrees;
    return out;
}

nb::dict faults_of(const JudgmentFaults& f) {
    nb::dict out;
    out["wrong_columns"] = f.wrong_columns;
    out["not_a_number"] = f.not_a_number;
    out["fractional_grade"] = f.fractional_grade;
    out["conflicting_judgment"] = f.conflicting_judgment;
    out["duplicate_judgment"] = f.duplicate_judgment;
    out["undecodable_bytes"] = f.undecodable_bytes;
    return out;
}

nb::object subtopics_of(nb::handle self) {
    const auto& j = nb::cast<const BoundJudgments&>(self).judgments;
    if (!j.has_subtopics) return nb::none();
    const SubtopicEntries& s = j.subtopics;
    return nb::make_tuple(view(s.start, self), view(s.number, self), view(s.doc, self), view(s.subtopic, self),
                          view(s.grade, self));
}

Joined join_text_of(BoundJudgments& bound, nb::handle data, const std::string& separator, int query, int doc,
                    int number, int rank, int label, int least, int most, int skip, bool quoted, bool comments,
                    const std::string& by, const std::string& ties, const std::string& precision, bool lower,
                    unsigned threads) {
    const Layout columns = layout(separator, query, doc, number, rank, label, least, most, skip, quoted, comments);
    const Order order = Order::named(by, ties, precision, lower);
    const Judgments& judgments = bound.with_ids();
    return Input(data).read([&](const TextSource& text) { return join_text(judgments, text, columns, order, threads); });
}

// {query id: document ids, best first, each followed by a newline}; None where lines of a query stand apart.
nb::object ranked_ids_of(nb::handle data, const std::string& separator, int query, int doc, int number, int rank,
                         int label, int least, int most, int skip, bool quoted, bool comments, const std::string& by,
                         const std::string& ties, const std::string& precision, bool lower, std::size_t depth,
                         std::optional<nb::list> queries) {
    const Layout columns = layout(separator, query, doc, number, rank, label, least, most, skip, quoted, comments);
    const Order order = Order::named(by, ties, precision, lower);
    Numbering wanted;
    std::string scratch;
    if (queries)
        for (nb::handle name : *queries) {
            if (!PyUnicode_Check(name.ptr())) wrong_type("a query id", "a str", name.ptr());
            wanted.add(utf8_of(name.ptr(), scratch));
        }
    const std::optional<RankedIds> found = Input(data).read([&](const TextSource& text) {
        return ranked_ids(text, columns, order, depth, queries ? &wanted : nullptr);
    });
    if (!found) return nb::none();
    nb::dict out;
    for (std::size_t i = 0; i < found->ids.size(); ++i) {
        const string_view ids = found->ids[i];
        out[to_str(found->queries.names()[i])] = nb::bytes(ids.data(), ids.size());
    }
    return out;
}

// `bits` is the capsule of a NumPy bit generator, whose lock the caller holds.
Column<std::int32_t> random_orders_of(nb::handle bits, std::size_t many, std::size_t size, std::size_t kept) {
    if (kept > size) throw nb::value_error("more places are to be kept than there are");
    if (size > std::size_t{1} << 31) throw nb::value_error("too many documents");
    auto* generator = static_cast<BitGenerator*>(PyCapsule_GetPointer(bits.ptr(), "BitGenerator"));
    if (generator == nullptr) throw nb::python_error();
    return give(random_orders(*generator, many, size, kept));
}

Column<std::int64_t> by_rank_of(Given<std::int64_t> start, Given<std::int32_t> rank) {
    const std::size_t queries = start.size() == 0 ? 0 : start.size() - 1;
    std::int64_t before = 0;
    for (std::size_t q = 0; q < start.size(); ++q) {
        if (start(q) < before) throw nb::value_error("queries begin before others end");
        before = start(q);
    }
    if (static_cast<std::size_t>(before) != rank.size() || (queries > 0 && start(0) != 0))
        throw nb::value_error("ranks must be as many as rows");
    return give(by_rank(start.data(), queries, rank.data()));
}

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Shape shape_of(const Matrix<T>& matrix, const std::optional<Matrix<std::uint8_t>>& cells) {
    const Shape shape{matrix.shape(0), matrix.shape(1), cells ? cells->data() : nullptr};
    if (cells && (cells->shape(0) != shape.queries || cells->shape(1) != shape.columns))
        throw nb::value_error("matrices must have the same shape");
    // Ranks and columns are kept as 32-bit numbers.
    if (shape.columns > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw nb::value_error("too many columns");
    return shape;
}

template <class T>
nb::tuple join_arrays_of(Matrix<T> scores, Matrix<std::int32_t> labels, std::optional<Matrix<std::uint8_t>> cells,
                         const std::string& by, const std::string& ties, const std::string& precision, bool lower,
                         std::size_t depth, unsigned threads) {
    const Shape shape = shape_of(scores, cells);
    if (labels.shape(0) != shape.queries || labels.shape(1) != shape.columns)
        throw nb::value_error("matrices must have the same shape");
    const Order order = Order::named(by, ties, precision, lower);
    ArrayJoin join = [&] {
        nb::gil_scoped_release others_go_on;
        return join_arrays(shape, scores.data(), labels.data(), order, depth, threads);
    }();
    return nb::make_tuple(give(std::move(join.start)), give(std::move(join.grade)), std::move(join.joined));
}

// A read-only property that views a member vector.
#define VIEW(Class, type, name, expression) \
    def_prop_ro(name, [](nb::handle self) { return view<type>(nb::cast<const Class&>(self).expression, self); })

}  // namespace

NB_MODULE(_core, m) {
    nb::class_<TextFile>(m, "TextFile")
        .def("__init__",
             [](TextFile* self, const nb::str& path) { new (self) TextFile(path); }, "path"_a)
        .def_prop_ro("path", &TextFile::path)
        .def_prop_ro("size", &TextFile::size)
        .def("read", &TextFile::read, "begin"_a, "size"_a)
        .def("check", &TextFile::check);

    nb::class_<Rows>(m, "Rows")
        .def_prop_ro_static("OK", [](nb::handle) { return 0; })
        .def_prop_ro_static("NOT_A_NUMBER", [](nb::handle) { return 1; })
        .def_prop_ro_static("INFINITE", [](nb::handle) { return 2; })
        .def_prop_ro_static("ABSENT", [](nb::handle) { return 3; })
        .def_prop_ro_static("NAN", [](nb::handle) { return 4; })
        .def_static("from_text", &rows_from_text, "data"_a, "separator"_a, "query"_a, "doc"_a, "number"_a = -1,
                    "rank"_a = -1, "label"_a = -1, "least"_a = 0, "most"_a = 0, "skip"_a = 0, "quoted"_a = false,
                    "comments"_a = false, "first_line"_a = 1)
        .def_static("from_buffers", &rows_from_buffers, "query_ids"_a, "query"_a, "doc_data"_a, "doc_start"_a,
                    "number"_a, "state"_a, "rank"_a, "line"_a, "labels"_a, "label"_a)
        .def_static("from_dicts", &rows_from_dicts, "data"_a)
        .def_static("from_columns", &rows_from_columns, "query"_a, "doc"_a, "number"_a = nb::none(),
                    "rank"_a = nb::none(), "label"_a = nb::none(), "line"_a = nb::none())
        .def_static(
            "from_arrow",
            [](nb::object stream, std::string query, std::string doc, std::optional<std::string> number,
               std::optional<std::string> rank, std::optional<std::string> label) {
                return rows_from_arrow(stream, {std::move(query), std::move(doc), std::move(number), std::move(rank),
                                                std::move(label)});
            },
            "stream"_a, "query"_a, "doc"_a, "number"_a = nb::none(), "rank"_a = nb::none(), "label"_a = nb::none())
        .def("__len__", &Rows::size)
        .def_prop_ro("query_ids", [](const Rows& r) { return to_list(r.queries.names()); })
        .VIEW(Rows, std::int32_t, "query", query)
        .VIEW(Rows, double, "number", number)
        .VIEW(Rows, std::uint8_t, "state", state)
        .VIEW(Rows, std::int64_t, "rank", rank)
        .VIEW(Rows, std::int64_t, "line", line)
        .VIEW(Rows, std::int32_t, "label", label)
        .VIEW(Rows, std::int64_t, "doc_start", doc.start)
        .def_prop_ro("doc_data",
                     [](nb::handle self) {
                         const auto& data = nb::cast<const Rows&>(self).doc.data;
                         return Column<std::uint8_t>(data.data(), {data.size()}, self);
                     })
        .def_prop_ro("labels", [](const Rows& r) { return to_list(r.labels.names()); })
        .def_prop_ro("faults", [](const Rows& r) { return faults_of(r); })
        .def_ro("fault_count", &Rows::fault_count)
        .def_ro("undecodable", &Rows::undecodable)
        .def("doc_id",
             [](const Rows& r, std::int64_t i) {
                 if (i < 0 || static_cast<std::size_t>(i) >= r.size()) throw nb::index_error("no such row");
                 return to_str(r.doc[static_cast<std::size_t>(i)]);
             })
        .def("doc_ids", &doc_ids, "rows"_a = nb::none())
        .def("sorted",
             [](const Rows& r, const std::string& by, const std::string& ties, const std::string& precision,
                bool lower) { return give(r.sorted(Order::named(by, ties, precision, lower))); },
             "by"_a, "ties"_a, "precision"_a, "lower_is_better"_a)
        .def("duplicates",
             [](const Rows& r, bool labels) {
                 auto [again, first] = r.duplicates(labels);
                 return nb::make_tuple(give(std::move(again)), give(std::move(first)));
             },
             "labels"_a = false)
        .def("take", &take, "rows"_a);

    m.def("random_orders", &random_orders_of, "bits"_a, "many"_a, "size"_a, "kept"_a);
    m.def("by_rank", &by_rank_of, "start"_a, "rank"_a);
    m.def("join_arrays", &join_arrays_of<float>, "scores"_a, "labels"_a, "cells"_a.none(), "by"_a, "ties"_a,
          "precision"_a, "lower_is_better"_a, "depth"_a = 0, "threads"_a = 0);
    m.def("join_arrays", &join_arrays_of<double>, "scores"_a, "labels"_a, "cells"_a.none(), "by"_a, "ties"_a,
          "precision"_a, "lower_is_better"_a, "depth"_a = 0, "threads"_a = 0);
    m.def("ranked_ids", &ranked_ids_of, "data"_a, "separator"_a, "query"_a, "doc"_a, "number"_a, "rank"_a, "label"_a,
          "least"_a, "most"_a, "skip"_a, "quoted"_a, "comments"_a, "by"_a, "ties"_a, "precision"_a,
          "lower_is_better"_a, "depth"_a = 0, "queries"_a = nb::none());

    nb::class_<Joined>(m, "Joined")
        .def_prop_ro("in_run",
                     [](nb::handle self) {
                         const auto& v = nb::cast<const Joined&>(self).in_run;
                         return Column<bool>(v.data(), {v.size()}, self);
                     })
        .VIEW(Joined, std::int64_t, "retrieved", retrieved)
        .VIEW(Joined, std::int64_t, "start", start)
        .VIEW(Joined, std::int32_t, "rank", placed.rank)
        .VIEW(Joined, std::int32_t, "tie_first", placed.tie_first)
        .VIEW(Joined, std::int32_t, "tie_last", placed.tie_last)
        .VIEW(Joined, std::int64_t, "doc", placed.doc)
        .def_prop_ro("unjudged_queries",
                     [](const Joined& j) {
                         nb::list out;
                         for (const std::string& name : j.unjudged_queries) out.append(to_str(name));
                         return out;
                     })
        .def_ro("rows", &Joined::rows)
        .def_prop_ro("faults", [](const Joined& j) { return faults_of(j.faults); })
        .def_prop_ro("tag", [](const Joined& j) { return to_str(j.tag); });

    nb::class_<BoundJudgments>(m, "Judgments")
        .def_static("from_rows", [](const Rows& rows, bool subtopics) {
                        nb::gil_scoped_release free;
                        return BoundJudgments(Judgments::from_rows(rows, subtopics));
                    },
                    "rows"_a, "subtopics"_a = false)
        .def_static("from_dicts", &BoundJudgments::from_dicts, "data"_a)
        .def_static("from_text", &judgments_from_text, "data"_a, "separator"_a, "query"_a, "doc"_a, "number"_a = -1,
                    "rank"_a = -1, "label"_a = -1, "least"_a = 0, "most"_a = 0, "skip"_a = 0, "quoted"_a = false,
                    "comments"_a = false)
        .def_prop_ro("query_ids", [](const BoundJudgments& b) { return to_list(b.judgments.queries.names()); })
        .VIEW(BoundJudgments, std::int64_t, "start", judgments.start)
        .VIEW(BoundJudgments, std::int32_t, "grade", judgments.grade)
        .def_prop_ro("faults", [](const BoundJudgments& b) { return faults_of(b.judgments.faults); })
        .def_prop_ro("subtopics", &subtopics_of)
        .def("doc_id",
             [](BoundJudgments& b, std::int64_t i) {
                 const Strings& ids = b.with_ids().doc;
                 if (i < 0 || static_cast<std::size_t>(i) >= ids.size()) throw nb::index_error("no such document");
                 return to_str(ids[static_cast<std::size_t>(i)]);
             })
        .def("doc_ids", [](BoundJudgments& b) { return to_list(b.with_ids().doc); })
        .def("widened",
             [](BoundJudgments& b, const std::vector<const Rows*>& runs, std::int32_t mark) {
                 const Judgments& judgments = b.with_ids();
                 for (const std::int32_t grade : judgments.grade)
                     if (grade <= mark) throw nb::value_error("the mark must be below all grades");
                 nb::gil_scoped_release free;
                 return BoundJudgments(judgments.widened(runs, mark));
             },
             "runs"_a, "mark"_a)
        .def("join_rows",
             [](BoundJudgments& b, const Rows& rows, const std::string& by, const std::string& ties,
                const std::string& precision, bool lower) {
                 const Judgments& judgments = b.with_ids();
                 nb::gil_scoped_release free;
                 return join_rows(judgments, rows, Order::named(by, ties, precision, lower));
             },
             "rows"_a, "by"_a, "ties"_a, "precision"_a, "lower_is_better"_a)
        .def("join_dicts",
             [](BoundJudgments& b, nb::dict run, const std::string& by, const std::string& ties,
                const std::string& precision, bool lower) {
                 return join_dicts(b, run, Order::named(by, ties, precision, lower));
             },
             "run"_a, "by"_a, "ties"_a, "precision"_a, "lower_is_better"_a)
        .def("join_text", &join_text_of, "data"_a, "separator"_a, "query"_a, "doc"_a, "number"_a, "rank"_a, "label"_a,
             "least"_a, "most"_a, "skip"_a, "quoted"_a, "comments"_a, "by"_a, "ties"_a, "precision"_a,
             "lower_is_better"_a, "threads"_a = 0);

    bind_words(m);
}
