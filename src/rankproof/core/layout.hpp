// Where the columns of a line are, and how to cut a line into them.
#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "text.hpp"

namespace rankproof {

struct Layout {
    char separator = ' ';  // ' ' stands for any mix of blanks
    int query = 0, doc = 2, number = 4, rank = 3, label = 5;  // -1: no such column
    int least = 6, most = 0;                                  // columns a line must have; most 0: no limit
    int skip = 0;                                             // header lines
    bool quoted = false;                                      // fields may stand in double quotes
    bool comments = false;                                    // lines that begin with '#' are not rows
};

// The fields of one line that somebody wants. A missing column is an empty view.
struct Fields {
    string_view query, doc, number, rank, label;
    int columns = 0;  // 0 also for a line that opens a quote and does not close it: nobody knows what is in it
};

// Layouts whose lines are nearly always of one form.
enum class Usual { no, run, qrels };

// Cuts lines into fields. Holds the text of quoted fields that had doubled quotes until the next line.
class Cutter {
public:
    explicit Cutter(const Layout& layout) : layout_(layout) {
        last_ = std::max({layout.query, layout.doc, layout.number, layout.rank, layout.label}) + 1;
        classic_ = layout.separator == ' ' && layout.query == 0 && layout.doc == 2 && layout.rank == 3 &&
                   layout.number == 4 && layout.label == 5 && layout.least == 6 && layout.most == 0;
    }

    // Whether the layout is that of a TREC run or of TREC qrels.
    Usual usual() const {
        const Layout& l = layout_;
        if (classic_ && l.least == 6 && l.most == 0) return Usual::run;
        const bool qrels = l.separator == ' ' && l.query == 0 && l.label == 1 && l.doc == 2 && l.number == 3 &&
                           l.rank < 0 && l.least == 4 && (l.most == 0 || l.most >= 4);
        return qrels ? Usual::qrels : Usual::no;
    }

    // Whether the line [p, end) holds a row; blank lines and comments do not. Skips leading blanks.
    bool begins(const char*& p, const char* end) const {
        if (layout_.separator == ' ') {
            while (p < end && is_blank(static_cast<unsigned char>(*p))) ++p;
            if (p == end) return false;
        } else {
            const char* q = p;
            while (q < end && is_blank(static_cast<unsigned char>(*q)) && *q != layout_.separator) ++q;
            if (q == end) return false;
        }
        return !(layout_.comments && *p == '#');
    }

    // Whether a line has the number of columns asked for.
    bool fits(const Fields& f) const {
        return f.columns >= layout_.least && (layout_.most == 0 || f.columns <= layout_.most) &&
               f.columns >= last_;
    }

    // Cuts [p, end); `end` is the place of the newline, or the end of the text.
    Fields cut(const char* p, const char* end) {
        if (classic_) return cut_classic(p, end);
        if (layout_.separator == ' ') return cut_blanks(p, end);
        return cut_separated(p, end);
    }

private:
    static string_view view(const char* a, const char* b) { return {a, static_cast<std::size_t>(b - a)}; }

    void set(Fields& f, int column, string_view field) const {
        if (column == layout_.query) f.query = field;
        if (column == layout_.doc) f.doc = field;
        if (column == layout_.number) f.number = field;
        if (column == layout_.rank) f.rank = field;
        if (column == layout_.label) f.label = field;
    }

    // The six columns of a TREC run, without a loop over columns. What follows the tag is counted once, as one.
    static Fields cut_classic(const char* p, const char* end) {
        Fields f;
        string_view* const wanted[] = {&f.query, nullptr, &f.doc, &f.rank, &f.number, &f.label};
        for (string_view* field : wanted) {
            const char* stop = token_end(p, end);
            if (stop == p) return f;
            if (field != nullptr) *field = view(p, stop);
            ++f.columns;
            p = stop;
            if (p < end) ++p;
            while (p < end && is_blank(static_cast<unsigned char>(*p))) ++p;
        }
        if (p < end) ++f.columns;
        return f;
    }

    Fields cut_blanks(const char* p, const char* end) const {
        Fields f;
        while (p < end) {
            const char* stop = token_end(p, end);
            if (stop > p) set(f, f.columns++, view(p, stop));
            p = stop;
            while (p < end && is_blank(static_cast<unsigned char>(*p))) ++p;
        }
        return f;
    }

    Fields cut_separated(const char* p, const char* end) {
        Fields f;
        unescaped_.clear();
        if (end > p && end[-1] == '\r') --end;
        while (true) {
            string_view field;
            if (layout_.quoted && p < end && *p == '"') {
                if (!unquote(p, end, field)) return {};
            } else {
                const auto* stop = static_cast<const char*>(
                    std::memchr(p, layout_.separator, static_cast<std::size_t>(end - p)));
                if (stop == nullptr) stop = end;
                field = view(p, stop);
                p = stop;
            }
            set(f, f.columns++, trimmed(field));
            if (p >= end) return f;
            ++p;  // the separator
        }
    }

    // The field in quotes at p; moves p to the separator after it. Text after the closing quote is kept. False when
    // the quote is not closed: such a field goes on in the next line, and no id has a line break in it.
    bool unquote(const char*& p, const char* end, string_view& field) {
        std::string text;
        bool closed = false;
        ++p;
        while (p < end && !closed) {
            closed = *p == '"' && (p + 1 == end || p[1] != '"');
            if (*p == '"') ++p;
            if (!closed) text.push_back(*p++);
        }
        while (p < end && *p != layout_.separator) text.push_back(*p++);
        unescaped_.push_back(std::move(text));
        field = unescaped_.back();
        return closed;
    }

    static string_view trimmed(string_view s) {
        while (!s.empty() && is_space(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
        while (!s.empty() && is_space(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
        return s;
    }

    Layout layout_;
    int last_ = 0;
    bool classic_ = false;
    std::deque<std::string> unescaped_;  // a deque never moves what it holds: fields point into it
};

}  // namespace rankproof
