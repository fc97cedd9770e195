#include "input.hpp"

#include <algorithm>
#include <cerrno>
#include <type_traits>

namespace nb = nanobind;

namespace rankproof {

namespace {

constexpr string_view byte_order_mark = "\xEF\xBB\xBF";

// A path as the system spells it: wide characters where it has them, else bytes.
std::filesystem::path path_of(nb::handle name) {
    if constexpr (std::is_same_v<std::filesystem::path::value_type, wchar_t>) {
        Py_ssize_t size = 0;
        wchar_t* text = PyUnicode_AsWideCharString(name.ptr(), &size);
        if (text == nullptr) throw nb::python_error();
        const std::wstring copy(text, static_cast<std::size_t>(size));
        PyMem_Free(text);
        if (copy.find(L'\0') != std::wstring::npos) throw nb::value_error("embedded null character");
        return copy;
    } else {
        PyObject* bytes = nullptr;
        if (PyUnicode_FSConverter(name.ptr(), &bytes) == 0) throw nb::python_error();
        const nb::object keep = nb::steal(bytes);
        return std::string(PyBytes_AsString(bytes));
    }
}

[[noreturn]] void raise(const char* error, nb::handle with) {
    PyErr_SetObject(nb::module_::import_("rankproof.errors").attr(error).ptr(), with.ptr());
    throw nb::python_error();
}

}  // namespace

void raise_changed(nb::handle name) { raise("FileChanged", name); }

void raise_unreadable(nb::handle name, int code) {
    const nb::object why = nb::module_::import_("os").attr("strerror")(code);
    raise("Unreadable", nb::str("{} cannot be read: {}.").attr("format")(name, why));
}

TextFile::TextFile(nb::handle path) : name_(nb::borrow(path)), path_(path_of(path)) {
    try {
        stamp_ = platform::File(path_).stamp();
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path.ptr());
        throw nb::python_error();
    }
}

platform::File TextFile::opened() const {
    try {
        platform::File file(path_);
        if (file.stamp() != stamp_) throw FileChanged();
        return file;
    } catch (const std::system_error& error) {
        if (error.code().value() == ENOENT) throw FileChanged();  // it was there before
        throw;
    }
}

void TextFile::check() const {
    explained(name_, [&] { return opened(), true; });
}

nb::bytes TextFile::read(std::size_t begin, std::size_t size) const {
    const std::size_t left = begin < stamp_.size ? static_cast<std::size_t>(stamp_.size) - begin : 0;
    PyObject* const bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(std::min(size, left)));
    if (bytes == nullptr) throw nb::python_error();
    const nb::object out = nb::steal(bytes);
    explained(name_, [&] {
        char* const into = PyBytes_AS_STRING(bytes);
        nb::gil_scoped_release free;
        const platform::File file = opened();
        if (file.read(begin, into, std::min(size, left)) != std::min(size, left)) throw FileChanged();
        if (file.stamp() != stamp_) throw FileChanged();
        return true;
    });
    return nb::borrow<nb::bytes>(out);
}

Input::Input(nb::handle source) {
    if (!nb::isinstance<TextFile>(source) && !PyUnicode_Check(source.ptr())) {
        if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
        held_ = true;
        string_view text(static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len));
        if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
        text_.emplace(text);
        return;
    }
    std::optional<TextFile> named;  // by its path only: it is first looked at now
    if (PyUnicode_Check(source.ptr())) named.emplace(source);
    const TextFile& known = named ? *named : nb::cast<const TextFile&>(source);
    name_ = known.path();
    stamp_ = known.stamp();
    explained(name_, [&] {
        file_.emplace(known.opened());
        char head[byte_order_mark.size()];
        const std::size_t read = file_->read(0, head, sizeof head);
        const bool marked = string_view(head, read) == byte_order_mark;
        if (marked && stamp_.size < byte_order_mark.size()) throw FileChanged();
        text_.emplace(*file_, static_cast<std::size_t>(stamp_.size), marked ? byte_order_mark.size() : 0);
        return true;
    });
}

void Input::unchanged() const {
    if (file_ && file_->stamp() != stamp_) throw FileChanged();
}

Input::~Input() {
    if (held_) PyBuffer_Release(&view_);
}

}  // namespace rankproof
