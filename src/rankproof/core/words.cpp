#include "words.hpp"

#include <Python.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <string>

#include "bm25.hpp"
#include "input.hpp"
#include "postings.hpp"
#include "python_text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankproof {

namespace {

template <class T>
using Column = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;
template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Value>
Column<T> view(const std::vector<Value>& v, nb::handle owner) {
    static_assert(sizeof(T) == sizeof(Value));
    return Column<T>(v.data(), {v.size()}, owner);
}

template <class T>
Column<T> give(std::vector<T>&& v) {
    auto* kept = new std::vector<T>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Column<T>(kept->data(), {kept->size()}, owner);
}

// ---- words of a text --------------------------------------------------------------------------------

// The letters, digits and the underscore of ASCII, as small letters where so asked; 0 for every other character.
std::array<char, 128> ascii_table(bool lowercase) {
    std::array<char, 128> table{};
    for (int c = 0; c < 128; ++c) {
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
            table[static_cast<std::size_t>(c)] = static_cast<char>(capital && lowercase ? c + ('a' - 'A') : c);
    }
    return table;
}

void put_utf8(std::string& to, Py_UCS4 c) {
    const auto tail = [&](int shift) { to.push_back(static_cast<char>(0x80 | (c >> shift & 0x3F))); };
    if (c < 0x80) {
        to.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
        to.push_back(static_cast<char>(0xC0 | c >> 6)), tail(0);
    } else if (c < 0x10000) {
        to.push_back(static_cast<char>(0xE0 | c >> 12)), tail(6), tail(0);
    } else {
        to.push_back(static_cast<char>(0xF0 | c >> 18)), tail(12), tail(6), tail(0);
    }
}

// Finds the words of texts: whatever `\w` matches, at least `least` in a row and as many as there are. In Python's
// `re`, `\w` is what str.isalnum() knows, and the underscore; both ask the tables that are asked here.
class Finder {
public:
    Finder(std::size_t least, bool lowercase) : least_(least), lowercase_(lowercase), table_(ascii_table(lowercase)) {}

    // Calls `use` with the UTF-8 of each word.
    template <class Use>
    void each(PyObject* text, Use use) {
        if (!PyUnicode_Check(text)) wrong_type("a text", "a str", text);
        if (PyUnicode_IS_ASCII(text)) return scan<Py_UCS1, true>(text, use);
        nb::object lowered = nb::borrow(text);
        // Only Python knows how small letters are made: some become several, and one depends on where it stands.
        if (lowercase_) lowered = lowered.attr("lower")();
        switch (PyUnicode_KIND(lowered.ptr())) {
            case PyUnicode_1BYTE_KIND: return scan<Py_UCS1, false>(lowered.ptr(), use);
            case PyUnicode_2BYTE_KIND: return scan<Py_UCS2, false>(lowered.ptr(), use);
            default: return scan<Py_UCS4, false>(lowered.ptr(), use);
        }
    }

private:
    // Writes the character into the word, unless it is of none.
    template <class Unit, bool ascii>
    bool take(Unit c) {
        if (ascii || c < 0x80) {
            const char small = table_[static_cast<std::size_t>(c)];
            if (small == 0) return false;
            word_.push_back(small);
        } else {
            if (!Py_UNICODE_ISALNUM(c)) return false;
            put_utf8(word_, c);
        }
        return true;
    }

    template <class Unit, bool ascii, class Use>
    void scan(PyObject* text, Use use) {
        const auto* p = static_cast<const Unit*>(PyUnicode_DATA(text));
        const Unit* const end = p + PyUnicode_GET_LENGTH(text);
        while (p < end) {
            const Unit* const begin = p;
            word_.clear();
            while (p < end && take<Unit, ascii>(*p)) ++p;
            if (static_cast<std::size_t>(p - begin) >= least_) use(string_view(word_));
            p += p < end;  // what ended the word
        }
    }

    std::size_t least_;
    bool lowercase_;
    std::array<char, 128> table_;
    std::string word_;
};

// The bytes of a term: UTF-8, in which lone surrogates are written as any other character, so that no two are alike.
string_view bytes_of(PyObject* term, std::string& scratch) {
    if (!PyUnicode_Check(term)) wrong_type("a term", "a str", term);
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(term, &size);
    if (data != nullptr) return {data, static_cast<std::size_t>(size)};
    PyErr_Clear();
    PyObject* const bytes = PyUnicode_AsEncodedString(term, "utf-8", "surrogatepass");
    if (bytes == nullptr) throw nb::python_error();
    scratch.assign(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    Py_DECREF(bytes);
    return scratch;
}

std::vector<std::string> terms_from(nb::list given) {
    std::vector<std::string> out;
    std::string scratch;
    for (nb::handle term : given) out.emplace_back(bytes_of(term.ptr(), scratch));
    return out;
}

nb::list find_words(nb::str text, std::size_t least, bool lowercase) {
    nb::list out;
    Finder(least, lowercase).each(text.ptr(), [&](string_view word) { out.append(to_str(word)); });
    return out;
}

// ---- counting ---------------------------------------------------------------------------------------

// Counts the terms of documents. `terms_of` is called with words that were not met before and gives the term of each,
// None for a word that counts for nothing: once for all new words of a block.
class WordCounter {
public:
    WordCounter(nb::callable terms_of, std::size_t least, bool lowercase)
        : terms_of_(std::move(terms_of)), finder_(least, lowercase) {}

    // The documents `begin` to `end` of many texts.
    void add_texts(nb::sequence texts, std::size_t begin, std::size_t end) {
        nb::list fresh;
        for (std::size_t i = begin; i < end; ++i) {
            const nb::object text = texts[i];
            finder_.each(text.ptr(), [&](string_view word) {
                if (note(word)) fresh.append(to_str(word));
            });
            ends_.push_back(words_here_.size());
        }
        count(fresh);
    }

    // Documents whose words were found elsewhere.
    void add_words(nb::list documents) {
        nb::list fresh;
        std::string scratch;
        for (nb::handle words : documents) {
            for (nb::handle word : words)
                if (note(bytes_of(word.ptr(), scratch))) fresh.append(word);
            ends_.push_back(words_here_.size());
        }
        count(fresh);
    }

    TermIndex finish() {
        words_ = {};
        term_of_ = {};
        Strings names = terms_.names();
        terms_ = {};
        nb::gil_scoped_release free;
        return builder_.finish(std::move(names));
    }

private:
    // The word of the document at work; whether it is a new one.
    bool note(string_view word) {
        const std::size_t before = words_.size();
        words_here_.push_back(static_cast<std::int32_t>(words_.add(word)));
        return words_.size() > before;
    }

    void count(nb::list fresh) {
        if (fresh.size() > 0) {
            const nb::list terms = nb::cast<nb::list>(terms_of_(fresh));
            if (terms.size() != fresh.size()) throw nb::value_error("each word must have a term, or None");
            std::string scratch;
            for (nb::handle term : terms)
                term_of_.push_back(term.is_none() ? IndexBuilder::no_term
                                                  : static_cast<std::int32_t>(terms_.add(bytes_of(term.ptr(), scratch))));
        }
        for (std::int32_t& word : words_here_) word = term_of_[static_cast<std::size_t>(word)];
        std::size_t begin = 0;
        for (const std::size_t end : ends_) {
            builder_.add(words_here_.data() + begin, end - begin);
            begin = end;
        }
        words_here_.clear();
        if (words_here_.capacity() > most_kept) words_here_.shrink_to_fit();
        ends_.clear();
    }

    static constexpr std::size_t most_kept = std::size_t{1} << 22;

    nb::callable terms_of_;
    Finder finder_;
    Numbering words_, terms_;
    std::vector<std::int32_t> term_of_, words_here_;
    std::vector<std::size_t> ends_;
    IndexBuilder builder_;
};

// ---- the index --------------------------------------------------------------------------------------

template <class T, class From>
std::vector<T> copied(const Given<From>& given) {
    static_assert(sizeof(T) == sizeof(From));
    const auto* data = reinterpret_cast<const T*>(given.data());
    return {data, data + given.size()};
}

Strings strings_of(const Given<std::uint8_t>& data, const Given<std::int64_t>& start) {
    Strings out;
    out.data = copied<char>(data);
    out.start = copied<std::int64_t>(start);
    return out;
}

TermIndex index_from_columns(Given<std::uint8_t> term_data, Given<std::int64_t> term_start, Given<std::int64_t> start,
                             Given<std::uint32_t> having, Given<std::uint32_t> length, Given<std::uint8_t> data) {
    return {strings_of(term_data, term_start), copied<std::uint64_t>(start), copied<std::uint32_t>(having),
            copied<std::uint32_t>(length), copied<char>(data)};
}

TermIndex index_in_file(Given<std::uint8_t> term_data, Given<std::int64_t> term_start, Given<std::int64_t> start,
                        Given<std::uint32_t> having, Given<std::uint32_t> length, const TextFile& file,
                        std::uint64_t from) {
    return explained(file.path(), [&]() -> TermIndex {
        return {strings_of(term_data, term_start), copied<std::uint64_t>(start), copied<std::uint32_t>(having),
                copied<std::uint32_t>(length), file.opened(), from};
    });
}

// ---- BM25 -------------------------------------------------------------------------------------------

Formula formula_named(const std::string& variant) {
    if (variant == "lucene" || variant == "robertson") return Formula::shared;
    if (variant == "atire") return Formula::scaled;
    if (variant == "bm25l") return Formula::lower_bounded_length;
    if (variant == "bm25+") return Formula::lower_bounded;
    throw nb::value_error("no such variant");
}

Bm25 bm25_of(const std::vector<const TermIndex*>& indexes, const std::vector<double>& weights, Given<double> norm,
             const std::string& variant, double k1, double delta) {
    if (indexes.size() != weights.size()) throw nb::value_error("each field must have a weight");
    std::vector<Weighted> fields;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        if (indexes[i] == nullptr) throw nb::value_error("a field must have an index");
        fields.push_back({indexes[i], weights[i]});
    }
    return {std::move(fields), copied<double>(norm), formula_named(variant), k1, delta};
}

nb::tuple best_of(const Bm25& bm25, nb::list terms, Given<double> rarity, Given<std::int32_t> place,
                  std::size_t depth) {
    const std::vector<std::string> wanted = terms_from(terms);
    if (rarity.size() != wanted.size()) throw nb::value_error("each term must have a rarity");
    if (place.size() != bm25.documents()) throw nb::value_error("each document must have a place");
    Best best = [&] {
        nb::gil_scoped_release others_go_on;
        return bm25.best(wanted, rarity.data(), place.data(), depth);
    }();
    return nb::make_tuple(give(std::move(best.doc)), give(std::move(best.score)));
}

Column<std::int64_t> having_of(const Bm25& bm25, nb::list terms) {
    const std::vector<std::string> wanted = terms_from(terms);
    std::vector<std::int64_t> having = [&] {
        nb::gil_scoped_release others_go_on;
        return bm25.having(wanted);
    }();
    return give(std::move(having));
}

Column<std::int32_t> places_of(nb::sequence names) {
    const std::size_t n = nb::len(names);
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) throw nb::value_error("too many names");
    std::vector<nb::object> held;  // a sequence may make its items when they are asked for
    std::vector<std::string> odd;
    std::vector<string_view> views(n);
    held.reserve(n);
    odd.reserve(n);
    std::string scratch;
    for (std::size_t i = 0; i < n; ++i) {
        held.push_back(names[i]);
        PyObject* const name = held.back().ptr();
        if (!PyUnicode_Check(name)) wrong_type("an id", "a str", name);
        const string_view text = utf8_of(name, scratch);
        views[i] = text.data() == scratch.data() ? string_view(odd.emplace_back(text)) : text;
    }
    return give(descending_places(views));
}

}  // namespace

void bind_words(nb::module_& m) {
    nb::exception<DamagedIndex>(m, "DamagedIndex", PyExc_ValueError);
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const FileChanged& changed) {
            PyErr_SetString(PyExc_OSError, changed.what());
        } catch (const std::system_error& failed) {
            PyErr_SetString(PyExc_OSError, failed.what());
        }
    });

    m.def("find_words", &find_words, "text"_a, "least"_a, "lowercase"_a);
    m.def("descending_places", &places_of, "names"_a);

    nb::class_<TermIndex>(m, "TermIndex")
        .def_static("from_columns", &index_from_columns, "term_data"_a, "term_start"_a, "start"_a, "having"_a,
                    "length"_a, "data"_a)
        .def_static("in_file", &index_in_file, "term_data"_a, "term_start"_a, "start"_a, "having"_a, "length"_a,
                    "file"_a, "begin"_a)
        .def("__len__", [](const TermIndex& index) { return index.having().size(); })
        .def_prop_ro("in_memory", &TermIndex::in_memory)
        .def_prop_ro("size", &TermIndex::size)
        .def_prop_ro("term_data",
                     [](nb::handle self) {
                         return view<std::uint8_t>(nb::cast<const TermIndex&>(self).terms().data, self);
                     })
        .def_prop_ro("term_start",
                     [](nb::handle self) {
                         return view<std::int64_t>(nb::cast<const TermIndex&>(self).terms().start, self);
                     })
        .def_prop_ro("start",
                     [](nb::handle self) { return view<std::int64_t>(nb::cast<const TermIndex&>(self).start(), self); })
        .def_prop_ro("having", [](nb::handle self) {
            return view<std::uint32_t>(nb::cast<const TermIndex&>(self).having(), self);
        })
        .def_prop_ro("length", [](nb::handle self) {
            return view<std::uint32_t>(nb::cast<const TermIndex&>(self).length(), self);
        })
        .def_prop_ro("data",
                     [](nb::handle self) { return view<std::uint8_t>(nb::cast<const TermIndex&>(self).data(), self); });

    nb::class_<WordCounter>(m, "WordCounter")
        .def(nb::init<nb::callable, std::size_t, bool>(), "terms_of"_a, "least"_a, "lowercase"_a)
        .def("add_texts", &WordCounter::add_texts, "texts"_a, "begin"_a, "end"_a)
        .def("add_words", &WordCounter::add_words, "documents"_a)
        .def("finish", &WordCounter::finish);

    nb::class_<Bm25>(m, "Bm25")
        .def("__init__",
             [](Bm25* self, const std::vector<const TermIndex*>& indexes, const std::vector<double>& weights,
                Given<double> norm, const std::string& variant, double k1, double delta) {
                 new (self) Bm25(bm25_of(indexes, weights, norm, variant, k1, delta));
             },
             "indexes"_a, "weights"_a, "norm"_a, "variant"_a, "k1"_a, "delta"_a, nb::keep_alive<1, 2>())
        .def("having", &having_of, "terms"_a)
        .def("best", &best_of, "terms"_a, "rarity"_a, "place"_a, "depth"_a);
}

}  // namespace rankproof
