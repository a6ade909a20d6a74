#include "peers/conformance/report.h"

#include "json/path.h"

#define SHOWN_MAX 40 /* differences of one exchange */

void report_done(struct report *report)
{
    map_done(&report->expected);
}

/* The value of those that fail only now and then. */
static char sometimes;

void report_expect(struct report *report, struct str text)
{
    while (text.len) {
        struct str line, id;
        str_cut(&text, '\n', &line);
        str_cut(&line, '#', &id);
        id = str_trim(id);
        const bool may_pass = str_ends_with(id, STR("?"));
        id = str_slice(id, 0, id.len - may_pass);
        if (id.len)
            map_put(&report->expected, id, may_pass ? &sometimes : NULL);
    }
}

static void add(struct report_sum *sum, const struct report_sum *other)
{
    sum->passed += other->passed;
    sum->failed += other->failed;
    sum->expected += other->expected;
    sum->skipped += other->skipped;
    sum->unexpected += other->unexpected;
}

static void print_sum(FILE *out, const struct report_sum *sum)
{
    fprintf(out, "%zu passed, %zu failed", sum->passed, sum->failed);
    if (sum->expected)
        fprintf(out, ", %zu failed as expected", sum->expected);
    if (sum->skipped)
        fprintf(out, ", %zu skipped", sum->skipped);
    fprintf(out, "\n");
}

static void end_group(struct report *report)
{
    if (!report->group.len)
        return;
    fprintf(report->out, "---- %.*s: ", STR_ARG(report->group));
    print_sum(report->out, &report->group_sum);
    add(&report->sum, &report->group_sum);
    report->group_sum = (struct report_sum){0};
}

static void begin_group(struct report *report, const struct exchange *exchange)
{
    if (str_eq(report->group, exchange->group))
        return;
    end_group(report);
    report->group = exchange->group;
}

static void print_line(struct report *report, const char *word, const struct exchange *exchange)
{
    const struct str method =
        exchange->read ? STR("READ") : json_path_str(exchange->request, "method");
    const struct str path = exchange->read ? json_path_str(exchange->read, "stream")
                                           : json_path_str(exchange->request, "path");
    fprintf(report->out, "%s %.*s %.*s %.*s: %.*s\n", word, STR_ARG(exchange->id), STR_ARG(method),
            STR_ARG(path), STR_ARG(exchange->description));
}

static void print_differences(struct report *report, const struct differences *differences)
{
    for (size_t i = 0; i < differences->count && i < SHOWN_MAX; i++)
        fprintf(report->out, "      %.*s: %.*s\n", STR_ARG(differences->items[i].place),
                STR_ARG(differences->items[i].text));
    if (differences->count > SHOWN_MAX)
        fprintf(report->out, "      and %zu more\n", differences->count - SHOWN_MAX);
}

static void print_exchange(struct report *report, const struct exchange *exchange,
                           const struct answer *answer)
{
    SCOPED(buf) text = {0};
    buf_add(&text, STR("      > "));
    json_write(&text, exchange->read ? exchange->read : exchange->request);
    buf_add(&text, STR("\n      < "));
    if (answer->response)
        json_write(&text, json_doc_root(answer->response));
    fprintf(report->out, "%.*s\n", STR_ARG(buf_str(&text)));
}

static bool may_pass(const struct report *report, const struct exchange *exchange)
{
    return map_find(&report->expected, exchange->id) == &sometimes;
}

void report_exchange(struct report *report, const struct exchange *exchange,
                     const struct answer *answer, const struct differences *differences)
{
    const bool expected = map_has(&report->expected, exchange->id);
    const bool failed = differences->count > 0;
    const bool is_wrong = failed ? !expected : expected && !may_pass(report, exchange);
    begin_group(report, exchange);
    struct report_sum *sum = &report->group_sum;
    sum->passed += !failed;
    sum->failed += failed && !expected;
    sum->expected += failed && expected;
    sum->unexpected += is_wrong;
    if (failed)
        print_line(report, expected ? "KNOWN" : "FAIL", exchange);
    else if (is_wrong)
        print_line(report, "PASS (but it is listed as failing: take it off the list)", exchange);
    else if (!report->quiet)
        print_line(report, "PASS", exchange);
    if (failed && (!expected || report->verbose))
        print_differences(report, differences);
    if (report->verbose)
        print_exchange(report, exchange, answer);
    fflush(report->out);
}

void report_skipped(struct report *report, const struct exchange *exchange)
{
    begin_group(report, exchange);
    report->group_sum.skipped++;
}

bool report_finish(struct report *report)
{
    end_group(report);
    report->group = STR("");
    const struct report_sum *sum = &report->sum;
    print_sum(report->out, sum);
    return !sum->unexpected && sum->passed + sum->expected > 0;
}
