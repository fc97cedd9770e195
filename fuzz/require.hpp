// A property that does not hold ends the process, as a sanitizer's finding does.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fuzz {

#define REQUIRE(condition, what)                                                                    \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            std::fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, what, #condition);  \
            std::abort();                                                                           \
        }                                                                                           \
    } while (false)

}  // namespace fuzz
