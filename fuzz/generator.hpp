// Inputs for the fuzz target: files that are valid, then nearly valid, then not at all.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "case.hpp"

namespace fuzz {

class Generator {
public:
    explicit Generator(std::uint64_t seed) : chance_(seed) {}

    std::string next() {
        std::string out(choices, '\0');
        for (char& c : out) c = static_cast<char>(below(256));
        if (below(40) == 0) return out + noise(below(600));
        const auto said = static_cast<unsigned char>(out[0]);
        std::string qrels = file(qrels_layouts[said / 16 % qrels_layouts.size()], true);
        std::string run = file(run_layouts[said % run_layouts.size()], false);
        // A quarter of all inputs stay as they are: rankings that are accepted must be measured right.
        if (below(4) != 0) mutate(run, 1 + below(5));
        if (below(4) == 0) mutate(qrels, 1 + below(3));
        return out + qrels + std::string(divider) + run;
    }

private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(chance_() % n); }
    // Something out of the ordinary, once in `times` in a file with many faults and rarely in others.
    bool odd(std::size_t times) { return below(times * oddity_) == 0; }
    template <class List>
    std::string one_of(const List& list) {
        return std::string(list[below(std::size(list))]);
    }

    // A file of the layout: few ids, so that documents meet their judgments and, at times, themselves.
    std::string file(const Layout& layout, bool qrels) {
        std::string out;
        if (below(16) == 0) out += "\xEF\xBB\xBF";
        for (int i = 0; i < layout.skip; ++i) out += "query_id doc_id score\n";
        newline_ = below(8) == 0 ? "\r\n" : "\n";
        numbers_ = below(3);
        // Mostly short, with documents that come twice; now and then long, for many chunks and large ties.
        const bool large = below(24) == 0;
        const std::size_t count = below(large ? 600 : 24), queries = 1 + below(4);
        oddity_ = large ? 100 : below(3) == 0 ? 20 : 1;
        std::size_t query = 0, doc = below(large ? 2 : 12);
        for (std::size_t i = 0; i < count; ++i) {
            // Queries mostly come together, and now and then again.
            if (below(large ? 200 : 5) == 0) query = below(queries);
            doc = odd(8) ? below(60) : doc + 1;
            out += line(layout, query, doc, i, qrels);
        }
        if (!out.empty() && below(4) == 0) out.resize(out.size() - newline_.size());
        return out;
    }

    std::string line(const Layout& layout, std::size_t query, std::size_t doc, std::size_t i, bool qrels) {
        if (odd(60)) return one_of(odd_lines) + newline_;
        const int columns = std::max({layout.least, layout.query + 1, layout.doc + 1, layout.number + 1, layout.rank + 1,
                                      layout.label + 1}) + (layout.most == 0 && odd(12) ? 1 : 0);
        std::string out;
        for (int column = 0; column < columns; ++column) {
            if (column > 0) out += gap(layout);
            std::string field = "Q0";
            if (column == layout.query) field = "q" + std::to_string(query);
            else if (column == layout.doc) field = "doc" + std::to_string(doc);
            else if (column == layout.number) field = qrels ? grade() : score(i);
            else if (column == layout.rank) field = odd(30) ? one_of(odd_numbers) : std::to_string(i + 1);
            else if (column == layout.label) field = qrels ? std::to_string(below(3)) : "tag";
            if (odd(80)) field = one_of(odd_ids);
            if (layout.quoted && below(6) == 0) field = quoted(field);
            out += field;
        }
        if (odd(30)) out += one_of(odd_gaps);
        return out + newline_;
    }

    std::string gap(const Layout& layout) {
        if (layout.separator != ' ') return std::string(1, layout.separator) + (below(20) == 0 ? " " : "");
        return odd(12) ? one_of(odd_gaps) : " ";
    }

    std::string grade() { return odd(40) ? one_of(odd_numbers) : std::to_string(static_cast<int>(below(5)) - 1); }

    // Falling scores, scores with many ties, or any order at all.
    std::string score(std::size_t i) {
        if (odd(60)) return one_of(odd_numbers);
        if (numbers_ == 0) return std::to_string(1000 - i) + "." + digits(1 + below(18));
        if (numbers_ == 1) return std::to_string(below(4)) + (below(2) == 0 ? ".5" : "");
        std::string out = digits(1 + below(24));
        if (below(2) == 0) out.insert(below(out.size() + 1), ".");
        if (below(3) == 0) out.insert(0, "-");
        if (below(5) == 0) out += "e" + std::to_string(static_cast<int>(below(700)) - 350);
        return out;
    }

    std::string digits(std::size_t count) {
        std::string out;
        for (std::size_t k = 0; k < count; ++k) out += static_cast<char>('0' + below(10));
        return out;
    }

    static std::string quoted(const std::string& field) {
        std::string out = "\"";
        for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
        return out + "\"";
    }

    std::string noise(std::size_t size) {
        // Half of it from the few bytes that mean something, half from all.
        static constexpr string_view telling = " \t\n\r\v\f\"',;|#.+-eE0123456789qd\0\xEF\xBB\xBF\x80\xFF";
        std::string out(size, '\0');
        for (char& c : out) c = below(2) == 0 ? telling[below(telling.size())] : static_cast<char>(below(256));
        return out;
    }

    void mutate(std::string& text, std::size_t times) {
        for (std::size_t i = 0; i < times; ++i) {
            const std::size_t at = below(text.size() + 1), length = below(text.size() - at + 1);
            switch (below(12)) {
                case 0: if (!text.empty()) text[below(text.size())] = static_cast<char>(below(256)); break;
                case 1: if (!text.empty()) text[below(text.size())] ^= static_cast<char>(1u << below(8)); break;
                case 2: text.insert(at, one_of(odd_numbers)); break;
                case 3: text.insert(at, one_of(odd_ids)); break;
                case 4: text.insert(at, one_of(odd_gaps)); break;
                case 5: text.insert(at, one_of(odd_lines)); break;
                case 6: text.erase(at, std::min<std::size_t>(length, 1 + below(30))); break;
                case 7: text.insert(below(text.size() + 1), text.substr(at, std::min<std::size_t>(length, 200))); break;
                case 8: text.resize(at); break;
                case 9: text.insert(at, noise(1 + below(40))); break;
                case 10: text.insert(at, std::string(1 + below(below(40) == 0 ? 20000 : 200), one_of(odd_gaps)[0])); break;
                default: text.insert(at, std::string(1 + below(below(40) == 0 ? 20000 : 200), static_cast<char>(below(256))));
            }
        }
    }

    static constexpr string_view odd_numbers[] = {
        "nan", "NaN", "-nan", "+NAN", "inf", "-Infinity", "INFINITY", "1e999", "-1e999", "1e-999", "0x10", "1_000",
        "1,5", "+1.5", "-0.0", "-0", ".5", "5.", ".", "-", "+", "e5", "1e", "1e+", "1e5", "1E+05", "--1", "1e5.5",
        "00000000000000000000000000001", "9007199254740993", "18446744073709551616", "123456789012345678901234567890",
        "0.1000000000000000055511151231257827021181583404541015625", "2.2250738585072011e-308", "4.9e-324", "1.8e308",
        "1.7976931348623159e308", "99999999.99999999", "12345678.", "-12345678.12345678", "1.5f", "1d", "nan(1)",
        "\xD9\xA1", "1\0""2", "9223372036854775807", "999999999999999999", "2000000001", "1.5.5", "infinit", "0e99999999999"};
    static constexpr string_view odd_ids[] = {
        "#", "#q0", "\"", "\"\"", "\"a\"\"b\"", "\"a,b\"", "\"open", "\xC3\xA9", "e\xCC\x81", "\xF0\x9F\x94\x8D", "\xD7\x90",
        "\xFF\xFE", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xEF\xBB\xBF", "\x01", "\x1f\x7f",
        "\x2f\x64\xbd\x78\x64\x1d\x76\xa0", "doc1", "doc2", "q0", "q1", "0", "-1", "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop"};
    static constexpr string_view odd_gaps[] = {" ", "  ", "\t", " \t ", "\v", "\f", "\r", "\n", "\r\n", "\n\n", ",", ";", "|", "\0", "\xC2\xA0"};
    static constexpr string_view odd_lines[] = {
        "", " ", "\t\t", "# a comment", "  # not at the beginning", ",,,,", "\"", "q0", "q0 Q0", "q0 Q0 doc1 1 1.0",
        "q0 Q0 doc1 1 1.0 tag", "q0 Q0 doc1 1 1.0 tag more", "q0\tdoc1\t1", "q0,\"doc\"\"1\",1,\"ta\"\"g\"", "q0,doc1,1,x",
        "q1 0 doc1 1", "query_id,doc_id,score", "\xEF\xBB\xBFq0 Q0 doc1 1 1.0 tag", "\r", "\x1a"};

    std::mt19937_64 chance_;
    std::string newline_ = "\n";
    std::size_t numbers_ = 0, oddity_ = 1;
};

}  // namespace fuzz
