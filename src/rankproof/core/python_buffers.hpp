// Rows from whole columns: what was read piece by piece, or somewhere else, and is to be rows again.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <vector>

#include "python_text.hpp"
#include "rows.hpp"

namespace rankproof {

template <class T>
using GivenColumn = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

inline std::vector<std::string> texts_of(nanobind::list given) {
    std::vector<std::string> out;
    std::string scratch;
    for (nanobind::handle text : given) {
        if (!PyUnicode_Check(text.ptr())) wrong_type("an id", "a str", text.ptr());
        out.emplace_back(utf8_of(text.ptr(), scratch));
    }
    return out;
}

// The columns are those that Rows shows: `query` and `label` are places in their names, -1 for no label.
inline Rows rows_from_buffers(nanobind::list query_ids, GivenColumn<std::int32_t> query,
                              GivenColumn<std::uint8_t> doc_data, GivenColumn<std::int64_t> doc_start,
                              GivenColumn<double> number, GivenColumn<std::uint8_t> state,
                              GivenColumn<std::int64_t> rank, GivenColumn<std::int64_t> line, nanobind::list labels,
                              GivenColumn<std::int32_t> label) {
    const std::size_t n = query.size();
    if (doc_start.size() != n + 1 || number.size() != n || state.size() != n || rank.size() != n || line.size() != n ||
        label.size() != n)
        throw nanobind::value_error("columns must have the same length");
    const std::vector<std::string> names = texts_of(query_ids), tags = texts_of(labels);
    const auto bytes = static_cast<std::int64_t>(doc_data.size());
    Rows rows;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t begin = doc_start(i), end = doc_start(i + 1);
        const bool labelled = label(i) >= 0;
        if (query(i) < 0 || static_cast<std::size_t>(query(i)) >= names.size() || begin < 0 || end < begin ||
            end > bytes || state(i) > 4 || (labelled && static_cast<std::size_t>(label(i)) >= tags.size()))
            throw nanobind::value_error("a column points beyond what there is");
        const string_view doc{reinterpret_cast<const char*>(doc_data.data()) + begin,
                              static_cast<std::size_t>(end - begin)};
        rows.add(names[static_cast<std::size_t>(query(i))], doc, {number(i), static_cast<NumberState>(state(i))},
                 rank(i), labelled ? string_view(tags[static_cast<std::size_t>(label(i))]) : string_view{}, labelled,
                 line(i));
    }
    return rows;
}

}  // namespace rankproof
