#include "scan.hpp"

#include "assembly.hpp"
#include "parallel.hpp"

namespace rankproof {

namespace {

std::vector<Chunk> read_all(const TextSource& text, const std::vector<Span>& spans, const Judgments& judgments,
                            const Layout& layout, const Order& order, unsigned threads) {
    std::vector<Chunk> chunks(spans.size());
    share_out(chunks.size(), threads, [&] {
        return [&, reader = Reader(judgments, layout, order), room = Room{}](std::size_t i) mutable {
            chunks[i].begin = spans[i].begin;
            reader.read(chunks[i], text.part(spans[i].begin, spans[i].end, room));
        };
    });
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
