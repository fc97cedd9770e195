// Rows already in memory, joined with judgments.
#pragma once

#include "joined.hpp"

namespace rankproof {

Joined join_rows(const Judgments& judgments, const Rows& rows, const Order& order);

}  // namespace rankproof
