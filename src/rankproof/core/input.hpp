// Bytes that Python hands over: a buffer, or a path that is mapped into memory here.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include "text.hpp"

namespace rankproof {

class Input {
public:
    explicit Input(nanobind::handle source);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    string_view text() const { return text_; }  // without a UTF-8 byte order mark
    bool mapped() const { return map_ != nullptr; }

private:
    void map(const char* path);

    Py_buffer view_{};
    bool held_ = false;
    void* map_ = nullptr;
    std::size_t size_ = 0;
    string_view text_;
};

}  // namespace rankproof
