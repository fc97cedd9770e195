// Tables of other libraries through the Arrow PyCapsule interface, without a copy in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "rows.hpp"

namespace rankproof {

struct ColumnNames {
    std::string query, doc;
    std::optional<std::string> number, rank, label;
};

// `source` has __arrow_c_stream__. Ids may be text, views, dictionaries or whole numbers (written in decimal).
Rows rows_from_arrow(nanobind::object source, const ColumnNames& names);

}  // namespace rankproof
