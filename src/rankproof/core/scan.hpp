// From a run's text to a join, in one pass and on several threads.
#pragma once

#include "joined.hpp"
#include "text_source.hpp"

namespace rankproof {

// `threads`: 0 for as many as the machine has. `chunk_bytes`: about how much a thread reads at a time.
// The result never depends on either.
Joined join_text(const Judgments& judgments, const TextSource& text, const Layout& layout, const Order& order,
                 unsigned threads, std::size_t chunk_bytes = std::size_t{2} << 20);

}  // namespace rankproof
