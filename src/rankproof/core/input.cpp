#include "input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace nb = nanobind;

namespace rankproof {

Input::Input(nb::handle source) {
    if (PyUnicode_Check(source.ptr())) {
        PyObject* path = nullptr;
        if (PyUnicode_FSConverter(source.ptr(), &path) == 0) throw nb::python_error();
        const nb::object keep = nb::steal(path);
        map(PyBytes_AsString(path));
    } else {
        if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
        held_ = true;
        text_ = {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }
    if (text_.size() >= 3 && std::memcmp(text_.data(), "\xEF\xBB\xBF", 3) == 0) text_.remove_prefix(3);
}

void Input::map(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (file < 0 || fstat(file, &about) != 0) {
        const int why = errno;
        if (file >= 0) close(file);
        errno = why;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
        throw nb::python_error();
    }
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ > 0) {
        void* at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        const int why = errno;
        close(file);
        if (at == MAP_FAILED) {
            errno = why;
            PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
            throw nb::python_error();
        }
        map_ = at;
        madvise(map_, size_, MADV_SEQUENTIAL);
        text_ = {static_cast<const char*>(map_), size_};
    } else {
        close(file);
    }
}

Input::~Input() {
    if (held_) PyBuffer_Release(&view_);
    if (map_ != nullptr) munmap(map_, size_);
}

}  // namespace rankproof
