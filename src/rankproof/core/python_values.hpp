// Python objects as ids and scores, with an error that says whose score or id is of the wrong kind.
#pragma once

#include <cmath>
#include <string>

#include "number.hpp"
#include "python_text.hpp"

namespace rankproof {

// A str as Python shows it, its beginning if it is long: whatever is in it, a message can hold it.
inline std::string shown(PyObject* text) {
    constexpr Py_ssize_t most = 80;
    const bool whole = PyUnicode_GET_LENGTH(text) <= most;
    const nanobind::object part = nanobind::steal(PyUnicode_Substring(text, 0, most));
    const nanobind::object repr = nanobind::steal(part.is_valid() ? PyObject_Repr(part.ptr()) : nullptr);
    if (!repr.is_valid()) throw nanobind::python_error();
    std::string scratch;
    return std::string(utf8_of(repr.ptr(), scratch)) + (whole ? "" : "...");
}

inline std::string about(PyObject* query, PyObject* doc, const char* what) {
    std::string text = what;
    if (doc != nullptr) text += " of document " + shown(doc);
    return text + " for query " + shown(query);
}

inline void need_text(PyObject* query, PyObject* id) {
    const bool text = PyUnicode_Check(id);
    if (text && PyUnicode_GET_LENGTH(id) > 0) return;
    const std::string what = query == nullptr ? "a query id" : about(query, nullptr, "a document id");
    if (text) throw nanobind::value_error((what + " is empty; give every query and document an id").c_str());
    wrong_type(what, "a str", id);
}

inline double score_of(PyObject* value, PyObject* query, PyObject* doc, const char* what = "the score") {
    if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
    if (PyUnicode_Check(value) || PyBytes_Check(value)) wrong_type(about(query, doc, what), "a number", value);
    const double score = PyFloat_AsDouble(value);
    if (score == -1.0 && PyErr_Occurred() != nullptr) {
        const bool huge = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
        const bool known = huge || PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError);
        if (!known) throw nanobind::python_error();
        PyErr_Clear();
        // A whole number beyond every double: the checks explain infinite scores.
        if (huge) return HUGE_VAL;
        wrong_type(about(query, doc, what), "a number", value);
    }
    return score;
}

inline NumberState state_of(double score) {
    if (std::isnan(score)) return NumberState::nan;
    return std::isinf(score) ? NumberState::infinite : NumberState::ok;
}

inline bool is_list(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

// Calls `each(doc key, score object or nullptr)` for the documents of one query: a dict of scores, or a list.
template <class Each>
void for_each_document(PyObject* query, PyObject* docs, Each&& each) {
    if (PyDict_Check(docs)) {
        Py_ssize_t at = 0;
        PyObject *doc = nullptr, *score = nullptr;
        while (PyDict_Next(docs, &at, &doc, &score)) {
            need_text(query, doc);
            each(doc, score);
        }
    } else if (is_list(docs)) {
        const nanobind::object items = nanobind::steal(PySequence_Fast(docs, "a list"));
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) {
            PyObject* doc = PySequence_Fast_GET_ITEM(items.ptr(), i);
            need_text(query, doc);
            each(doc, nullptr);
        }
    } else {
        wrong_type(about(query, nullptr, "the ranking"), "a dict of scores or a list of document ids", docs);
    }
}

}  // namespace rankproof
