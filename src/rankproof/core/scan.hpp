// From a run's text to a join, in one pass and on several threads.
#pragma once

#include "joined.hpp"
#include "layout.hpp"

namespace rankproof {

// `mapped`: the text is a private view of a file, whose pages may be given back once they are read.
// `threads`: 0 for as many as the machine has. `chunk_bytes`: about how much a thread reads at a time.
// The result never depends on either.
Joined join_text(const Judgments& judgments, string_view text, const Layout& layout, const Order& order,
                 unsigned threads, bool mapped, std::size_t chunk_bytes = std::size_t{2} << 20);

}  // namespace rankproof
