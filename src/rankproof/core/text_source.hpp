// A text that is read part by part: bytes in memory, or a file. Lines of it, and chunks of whole queries.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "layout.hpp"
#include "platform.hpp"

namespace rankproof {

// A file was not the same from the first look at it to the last.
struct FileChanged : std::runtime_error {
    FileChanged() : std::runtime_error("the file changed while it was read") {}
};

// Memory that parts of a file are read into, one after the other. It grows and is not cleared.
class Room {
public:
    char* of(std::size_t size) {
        if (size > size_) {
            data_.reset();
            data_ = std::make_unique_for_overwrite<char[]>(size);
            size_ = size;
        }
        return data_.get();
    }

private:
    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
};

class TextSource {
public:
    TextSource(string_view text) : text_(text), size_(text.size()) {}
    // `size` is the size of the file when it was first looked at. The first `skip` bytes of it are not text. `window`
    // is how much of it is read at first to see where a line ends; no result depends on it.
    TextSource(const platform::File& file, std::size_t size, std::size_t skip, std::size_t window = std::size_t{1} << 15)
        : file_(&file), size_(size - skip), skip_(skip), window_(window) {}

    std::size_t size() const { return size_; }
    bool in_memory() const { return file_ == nullptr; }
    std::size_t window() const { return window_; }

    // The bytes from `begin` to `end`, read into memory of the caller where they are in a file.
    string_view part(std::size_t begin, std::size_t end, char* into) const {
        if (in_memory()) return text_.substr(begin, end - begin);
        if (file_->read(skip_ + begin, into, end - begin) != end - begin) throw FileChanged();
        return {into, end - begin};
    }
    string_view part(std::size_t begin, std::size_t end, Room& room) const {
        return part(begin, end, in_memory() ? nullptr : room.of(end - begin));
    }
    string_view whole(Room& room) const { return part(0, size_, room); }

private:
    string_view text_;
    const platform::File* file_ = nullptr;
    std::size_t size_, skip_ = 0, window_ = 0;
};

// The lines of a text from a place on, with as much of a file in memory as the longest line needs.
class Lines {
public:
    Lines(const TextSource& text, std::size_t from, Room& room) : text_(text), room_(room), at_(from) {
        see(text.window());
    }

    // Where the next line begins.
    std::size_t at() const { return at_; }

    // The next line without its newline, valid until the next call; false at the end of the text.
    bool next(string_view& line) {
        if (at_ >= text_.size()) return false;
        while (true) {
            const std::size_t stop = seen_.find('\n');
            const bool last = at_ + seen_.size() == text_.size();
            if (stop != string_view::npos || last) {
                line = seen_.substr(0, stop);
                const std::size_t passed = stop == string_view::npos ? seen_.size() : stop + 1;
                seen_.remove_prefix(passed);
                at_ += passed;
                return true;
            }
            see(std::max(text_.window(), 2 * seen_.size()));
        }
    }

private:
    void see(std::size_t size) {
        const std::size_t left = text_.size() - at_;
        seen_ = text_.part(at_, at_ + (text_.in_memory() ? left : std::min(size, left)), room_);
    }

    const TextSource& text_;
    Room& room_;
    std::size_t at_;
    string_view seen_;
};

// Whole lines from a place on: all of a text in memory; of a file some windows, more where a line is longer.
inline string_view whole_lines(const TextSource& text, std::size_t from, Room& room) {
    const std::size_t left = text.size() - from;
    for (std::size_t size = 32 * text.window();; size *= 2) {
        if (text.in_memory() || size >= left) return text.part(from, text.size(), room);
        const string_view block = text.part(from, from + size, room);
        const std::size_t last = block.rfind('\n');
        if (last != string_view::npos) return block.substr(0, last + 1);
    }
}

struct Span {
    std::size_t begin, end;
};

// Cuts a text, behind the header lines of its layout, into chunks of about so many bytes that begin where a query
// begins, so that nearly every query is in one chunk.
inline std::vector<Span> chunks_of(const TextSource& text, const Layout& layout, std::size_t chunk_bytes) {
    Cutter cutter(layout);
    Room room;
    string_view line;
    Lines headers(text, 0, room);
    for (int i = 0; i < layout.skip && headers.next(line);) ++i;
    std::vector<Span> chunks;
    for (std::size_t begin = headers.at(); begin < text.size();) {
        const std::size_t far = text.size() - begin > chunk_bytes ? begin + chunk_bytes : text.size();
        Lines lines(text, far, room);
        lines.next(line);  // what is left of a line that began before
        std::size_t end = lines.at();
        std::string last;
        for (bool known = false; lines.next(line); end = lines.at()) {
            const char* first = line.data();
            const char* stop = first + line.size();
            if (!cutter.begins(first, stop)) continue;
            const string_view query = cutter.cut(first, stop).query;
            if (known && query != last) break;
            if (!known) last = std::string(query);
            known = true;
        }
        chunks.push_back({begin, end});
        begin = end;
    }
    return chunks;
}

}  // namespace rankproof
