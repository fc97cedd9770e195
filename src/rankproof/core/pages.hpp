// Pages of a mapped file that have been read and are not needed for now: given back, they no longer take memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace rankproof {

// Gives back the whole pages in [begin, end) of a private, read-only map. To read them again is allowed, and costs time.
inline void give_back_pages(const char* from, const char* to) {
    static const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(from) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(to) / page * page;
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace rankproof
