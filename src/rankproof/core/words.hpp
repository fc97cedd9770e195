// Words of Python strings: found as Python's `re` finds them, counted block by block. Binds what Python sees of it.
#pragma once

#include <nanobind/nanobind.h>

namespace rankproof {

// Adds TermIndex, WordCounter, Bm25, find_words and descending_places to the module.
void bind_words(nanobind::module_& m);

}  // namespace rankproof
