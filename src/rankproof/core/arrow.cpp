#include "arrow.hpp"

#include <memory>

#include "arrow_abi.hpp"
#include "arrow_column.hpp"

namespace nb = nanobind;

namespace rankproof {

namespace {

template <class T>
struct Released {
    T value{};
    ~Released() {
        if (value.release != nullptr) value.release(&value);
    }
};

int find_column(const ArrowSchema& schema, const std::string& name) {
    std::string known;
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
        if (name == schema.children[i]->name) return static_cast<int>(i);
        known += (i != 0 ? ", " : "") + std::string(schema.children[i]->name);
    }
    throw std::invalid_argument("there is no column '" + name + "'; the table has: " + known);
}

int find_column(const ArrowSchema& schema, const std::optional<std::string>& name) {
    return name ? find_column(schema, *name) : -1;
}

[[noreturn]] void in_column(const std::string& name, std::int64_t row, const std::string& what) {
    throw std::invalid_argument("row " + std::to_string(row) + ": column '" + name + "' " + what);
}

}  // namespace

Rows rows_from_arrow(nb::object source, const ColumnNames& names) {
    const nb::object capsule = source.attr("__arrow_c_stream__")();
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    const auto check = [&](int code) {
        if (code == 0) return;
        const char* why = stream->get_last_error(stream);
        throw std::runtime_error(std::string("the table could not be read: ") + (why != nullptr ? why : "no reason given"));
    };
    Released<ArrowSchema> schema;
    check(stream->get_schema(stream, &schema.value));
    if (std::string(schema.value.format) != "+s") throw std::invalid_argument("the Arrow stream is not a table");
    const int query = find_column(schema.value, names.query), doc = find_column(schema.value, names.doc),
              number = find_column(schema.value, names.number), rank = find_column(schema.value, names.rank),
              label = find_column(schema.value, names.label);
    Rows rows;
    std::string a, b, c;
    while (true) {
        Released<ArrowArray> batch;
        check(stream->get_next(stream, &batch.value));
        if (batch.value.release == nullptr) return rows;
        const auto column = [&](int i) -> std::unique_ptr<ArrowColumn> {
            if (i < 0) return nullptr;
            return std::make_unique<ArrowColumn>(*schema.value.children[i], *batch.value.children[i], batch.value.offset);
        };
        const auto queries = column(query), docs = column(doc), numbers = column(number), ranks = column(rank),
                   labels = column(label);
        for (std::int64_t i = 0; i < batch.value.length; ++i) {
            const auto row = static_cast<std::int64_t>(rows.size() + 1);
            if (queries->is_null(i)) in_column(names.query, row, "is null; every row needs a query id");
            if (docs->is_null(i)) in_column(names.doc, row, "is null; every row needs a document id");
            Number n{std::numeric_limits<double>::quiet_NaN(), NumberState::absent};
            if (numbers) n = numbers->number(i);
            std::int64_t r = no_rank;
            if (ranks) {
                const Number given = ranks->number(i);
                const bool good = given.state == NumberState::ok && given.value >= 0 && given.value < 9e15 &&
                                  given.value == std::floor(given.value);
                r = good ? static_cast<std::int64_t>(given.value) : bad_rank;
            }
            const string_view q = queries->text(i, a), d = docs->text(i, b);
            if (q.empty()) in_column(names.query, row, "is empty; every row needs a query id");
            if (d.empty()) in_column(names.doc, row, "is empty; every row needs a document id");
            const bool labelled = labels && !labels->is_null(i);
            rows.add(q, d, n, r, labelled ? labels->text(i, c) : string_view{},
                     labelled, row);
        }
    }
}

}  // namespace rankproof
