#include "peers/differential/draw.h"

#include "base/buf.h"
#include "json/path.h"
#include "testing/test.h"

static void write_sequence(const struct catalogue *catalogue, uint64_t number, struct buf *out)
{
    SCOPED(sequence) sequence = {0};
    draw_sequence(catalogue, number, &sequence);
    for (size_t i = 0; i < sequence.count; i++) {
        const struct json_value *step = json_doc_root(sequence.steps[i]);
        CHECK(json_path_str(step, "method").len > 0);
        CHECK(str_starts_with(json_path_str(step, "path"), STR("/api")));
        json_write(out, step);
    }
}

/* Whatever happens around: a number is a sequence. */
TEST(a_number_draws_the_same_sequence_every_time)
{
    SCOPED(catalogue) catalogue = {.count = 0};
    CHECK_OK(catalogue_read(&catalogue, test_data("kinds/minimal.jsonl")));
    for (size_t i = 0; i < catalogue.count; i++) {
        catalogue.items[i].verbs = (1U << VERBS) - 1;
        catalogue.items[i].is_namespaced = i % 2 == 0;
    }
    for (uint64_t number = 1; number <= 50; number++) {
        SCOPED(buf) first = {0}, again = {0}, other = {0};
        write_sequence(&catalogue, number, &first);
        write_sequence(&catalogue, number, &again);
        write_sequence(&catalogue, number + 1, &other);
        CHECK_EQ(buf_str(&first), buf_str(&again));
        CHECK(!str_eq(buf_str(&first), buf_str(&other)));
    }
}
