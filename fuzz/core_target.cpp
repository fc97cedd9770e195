// The fuzz target: any bytes through the whole core that needs no Python, with every property checked.
//
// libFuzzer, AFL++ and the like call LLVMFuzzerTestOneInput; driver.cpp calls it where only a compiler is at hand.
#include "case.hpp"
#include "join_properties.hpp"
#include "on_disk.hpp"
#include "posting_properties.hpp"
#include "ranked.hpp"
#include "row_properties.hpp"
#include "rowjoin.hpp"
#include "scan.hpp"
#include "token_properties.hpp"

using namespace fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Case c = Case::of({reinterpret_cast<const char*>(data), size});
    const string_view text = c.run_text.text();
    check_tokens(text);
    check_lines(text);
    check_counting(text);
    check_damage(text);

    const Rows pool = Rows::from_text(c.qrels_text.text(), c.qrels);
    check_rows(pool, c.qrels_text.text(), c.qrels);
    check_duplicates(pool, true);
    const Judgments judgments = Judgments::from_rows(pool, true);
    check_judgments(judgments, pool);
    check_straight(Judgments::from_text(c.qrels_text.text(), c.qrels), judgments, pool);

    const Rows rows = Rows::from_text(text, c.run);
    check_rows(rows, text, c.run);
    check_duplicates(rows, false);
    check_sorted(rows, c.order);

    const Joined from_rows = rankproof::join_rows(judgments, rows, c.order);
    check_shape(from_rows, judgments);
    const Joined from_text = rankproof::join_text(judgments, text, c.run, c.order, 1, c.chunk_bytes);
    check_same(from_text, from_rows, "text and rows");
    // Text is looked at as a whole, rows only by their ids: it may find more bytes that are no text, never fewer.
    REQUIRE((from_text.faults.undecodable_bytes > 0) >= (from_rows.faults.undecodable_bytes > 0), "undecodable bytes");
    if (c.threads > 1) {
        const Joined threaded = rankproof::join_text(judgments, text, c.run, c.order, c.threads, c.chunk_bytes);
        check_same(threaded, from_text, "one thread and several");
        REQUIRE(threaded.faults.undecodable_bytes == from_text.faults.undecodable_bytes, "undecodable bytes");
        const Joined whole = rankproof::join_text(judgments, text, c.run, c.order, c.threads);
        check_same(whole, from_text, "one chunk and several");
        // A file is read in parts, however long its lines are; memory is not.
        const OnDisk file(text, c.window);
        const Joined read = rankproof::join_text(judgments, file.text(), c.run, c.order, c.threads, c.chunk_bytes);
        check_same(read, from_text, "a file and memory");
        check_rows(Rows::from_text(file.text(), c.run), text, c.run);
        const OnDisk qrels(c.qrels_text.text(), c.window);
        check_straight(Judgments::from_text(qrels.text(), c.qrels, c.chunk_bytes), judgments, pool);
        const auto ids = rankproof::ranked_ids(text, c.run, c.order, 3, nullptr);
        const auto read_ids = rankproof::ranked_ids(file.text(), c.run, c.order, 3, nullptr);
        REQUIRE(ids.has_value() == read_ids.has_value(), "ids of a file and of memory");
        REQUIRE(!ids || (ids->ids.data == read_ids->ids.data && ids->ids.start == read_ids->ids.start), "ids");
    }
    if (accepted(from_text)) check_places(from_text, judgments, rows, c.order);
    return 0;
}
