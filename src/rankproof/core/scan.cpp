#include "scan.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

#include "assembly.hpp"
#include "pages.hpp"

namespace rankproof {

namespace {

// Cuts the text into chunks that begin where a query begins, so that nearly every query is in one chunk.
std::vector<Chunk> chunks_of(string_view text, const Layout& layout, std::size_t chunk_bytes) {
    Cutter cutter(layout);
    const char* end = text.data() + text.size();
    std::vector<Chunk> chunks;
    const char* begin = text.data();
    while (begin < end) {
        const char* p = end - begin > static_cast<std::ptrdiff_t>(chunk_bytes) ? begin + chunk_bytes : end;
        if (p < end) p = line_end(p, end);
        if (p < end) ++p;
        std::string last;
        bool known = false;
        while (p < end) {
            const char* stop = line_end(p, end);
            const char* first = p;
            if (cutter.begins(first, stop)) {
                const string_view query = cutter.cut(first, stop).query;
                if (known && query != last) break;
                if (!known) last = std::string(query);
                known = true;
            }
            p = stop < end ? stop + 1 : stop;
        }
        chunks.push_back({begin, p, {}, {}, {}, {}, {}});
        begin = p;
    }
    return chunks;
}

void read_all(std::vector<Chunk>& chunks, const Judgments& judgments, const Layout& layout, const Order& order,
              unsigned threads, bool mapped) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    const auto work = [&] {
        try {
            Reader reader(judgments, layout, order);
            for (std::size_t i; !failed && (i = next++) < chunks.size();) {
                reader.read(chunks[i]);
                if (mapped) give_back_pages(chunks[i].begin, chunks[i].end);
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
}

}  // namespace

Joined join_text(const Judgments& judgments, string_view text, const Layout& layout, const Order& order,
                 unsigned threads, bool mapped, std::size_t chunk_bytes) {
    const char* p = text.data();
    const char* end = p + text.size();
    for (int i = 0; i < layout.skip && p < end; ++i) {
        p = line_end(p, end);
        if (p < end) ++p;
    }
    std::vector<Chunk> chunks = chunks_of({p, static_cast<std::size_t>(end - p)}, layout, chunk_bytes);
    read_all(chunks, judgments, layout, order, threads, mapped);
    return Assembly(chunks, judgments, layout, order).join();
}

}  // namespace rankproof
