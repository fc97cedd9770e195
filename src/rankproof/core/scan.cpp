#include "scan.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "assembly.hpp"

namespace rankproof {

namespace {

std::vector<Chunk> read_all(const TextSource& text, const std::vector<Span>& spans, const Judgments& judgments,
                            const Layout& layout, const Order& order, unsigned threads) {
    std::vector<Chunk> chunks(spans.size());
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    const auto work = [&] {
        try {
            Reader reader(judgments, layout, order);
            Room room;
            for (std::size_t i; !failed && (i = next++) < chunks.size();) {
                chunks[i].begin = spans[i].begin;
                reader.read(chunks[i], text.part(spans[i].begin, spans[i].end, room));
            }
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, chunks.size()));
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
    return chunks;
}

}  // namespace

Joined join_text(const Judgments& judgments, const TextSource& text, const Layout& layout, const Order& order,
                 unsigned threads, std::size_t chunk_bytes) {
    const std::vector<Span> spans = chunks_of(text, layout, chunk_bytes);
    std::vector<Chunk> chunks = read_all(text, spans, judgments, layout, order, threads);
    return Assembly(text, chunks, judgments, layout, order).join();
}

}  // namespace rankproof
