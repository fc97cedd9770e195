// Bytes that Python hands over: a buffer, or a file that is read here.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <optional>
#include <system_error>
#include <utility>

#include "text_source.hpp"

namespace rankproof {

// A file as it was when it was first looked at. Every later look compares, so that all of it is one text.
class TextFile {
public:
    explicit TextFile(nanobind::handle path);  // a str; raises OSError

    nanobind::object path() const { return name_; }
    std::uint64_t size() const { return stamp_.size; }
    const platform::Stamp& stamp() const { return stamp_; }
    // Up to `size` bytes from a place on.
    nanobind::bytes read(std::size_t begin, std::size_t size) const;
    // Raises FileChanged where it is no longer the same file.
    void check() const;
    // The file, opened again; throws the C++ FileChanged where it is no longer the same.
    platform::File opened() const;

private:
    nanobind::object name_;
    std::filesystem::path path_;
    platform::Stamp stamp_;
};

// Raise rankproof.errors.FileChanged, and Unreadable; `name` is the file's.
[[noreturn]] void raise_changed(nanobind::handle name);
[[noreturn]] void raise_unreadable(nanobind::handle name, int code);

// What `use` gives, with what went wrong in a file as Python's errors.
template <class Use>
auto explained(nanobind::handle name, Use use) {
    try {
        return use();
    } catch (const FileChanged&) {
        raise_changed(name);
    } catch (const std::system_error& error) {
        raise_unreadable(name, error.code().value());
    }
}

class Input {
public:
    // A buffer, a TextFile, or the path of a file.
    explicit Input(nanobind::handle source);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    // Calls `use` with the text, without a UTF-8 byte order mark, while other threads of Python go on. Nothing comes
    // of it when the file changed meanwhile.
    template <class Use>
    auto read(Use use) const {
        return explained(name_, [&] {
            nanobind::gil_scoped_release free;
            auto out = use(*text_);
            unchanged();
            return out;
        });
    }

private:
    void unchanged() const;

    Py_buffer view_{};
    bool held_ = false;
    nanobind::object name_;
    platform::Stamp stamp_;
    std::optional<platform::File> file_;
    std::optional<TextSource> text_;
};

}  // namespace rankproof
