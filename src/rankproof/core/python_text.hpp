// Python strings as UTF-8 and back.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>

#include "strings.hpp"

namespace rankproof {

// The UTF-8 of a str. Valid as long as the str, or as `scratch` when the str holds lone surrogates.
inline string_view utf8_of(PyObject* text, std::string& scratch) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data != nullptr) return {data, static_cast<std::size_t>(size)};
    // Lone surrogates: bytes that once could not be decoded. They come back as those bytes, which are not UTF-8.
    PyErr_Clear();
    PyObject* bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
    if (bytes == nullptr) {
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    }
    if (bytes == nullptr) throw nanobind::python_error();
    scratch.assign(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    Py_DECREF(bytes);
    return scratch;
}

// Whether a str holds lone surrogates: no file can hold such an id, so it is treated like bytes that are no text.
inline bool has_surrogate(PyObject* text) {
    const auto kind = PyUnicode_KIND(text);
    if (kind == PyUnicode_1BYTE_KIND) return false;
    const void* data = PyUnicode_DATA(text);
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); ++i)
        if (Py_UNICODE_IS_SURROGATE(PyUnicode_READ(kind, data, i))) return true;
    return false;
}

inline nanobind::object to_str(string_view s) {
    PyObject* text = PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape");
    if (text == nullptr) throw nanobind::python_error();
    return nanobind::steal(text);
}

inline nanobind::list to_list(const Strings& strings) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(strings.size()));
    if (list == nullptr) throw nanobind::python_error();
    nanobind::object owned = nanobind::steal(list);
    for (std::size_t i = 0; i < strings.size(); ++i)
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), to_str(strings[i]).release().ptr());
    return nanobind::borrow<nanobind::list>(owned);
}

// "run: ..." with the type of what came instead of what was wanted.
[[noreturn]] inline void wrong_type(const std::string& where, const char* wanted, PyObject* came) {
    throw nanobind::value_error((where + " must be " + wanted + ", not " + Py_TYPE(came)->tp_name).c_str());
}

}  // namespace rankproof
