// Work that is cut into parts, shared out among threads. What comes out does not depend on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace rankproof {

// Calls `make()` once in each thread, for a worker with scratch space of its own, and the worker with every part from 0
// to `parts` - 1, each once. `threads`: 0 for as many as the machine has. The first exception of any thread is thrown
// when all have ended.
template <class Make>
void share_out(std::size_t parts, unsigned threads, const Make& make) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    const auto work = [&] {
        try {
            auto worker = make();
            for (std::size_t part; !failed && (part = next++) < parts;) worker(part);
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, parts));
    std::vector<std::thread> others;
    others.reserve(threads);
    try {
        for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {
        // The machine gives no more threads: those that there are do all the work.
    }
    work();
    for (std::thread& t : others) t.join();
    if (failed) std::rethrow_exception(failure);
}

}  // namespace rankproof
