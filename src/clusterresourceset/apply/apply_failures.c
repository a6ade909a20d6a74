#include "clusterresourceset/apply/apply_failures.h"

#include "base/buf.h"

void apply_failures_done(struct apply_failures *failures)
{
    error_free(TAKE(failures->first));
}

/* The report has the first few failures, repetitions included. */
static void add_to_report(struct apply_failures *failures, const struct apply_item *item,
                          struct str text)
{
    struct apply_report *report = failures->report;
    report->failed++;
    if (report->failure_count == COUNT(report->failures))
        return;
    report->failures[report->failure_count++] = (struct apply_failure){
        arena_str(failures->arena, item->key), item->document, arena_str(failures->arena, text)};
}

static bool is_listed(const struct apply_failures *failures, struct str text)
{
    for (size_t i = 0; i < failures->count; i++)
        if (str_eq(failures->texts[i], text))
            return true;
    return false;
}

/* There is always room for the first: its length is limited by APPLY_CAUSE_MAX. */
static bool has_room(const struct apply_failures *failures, struct str text)
{
    return failures->count == 0 || (failures->count < APPLY_LISTED_MAX &&
                                    failures->bytes + text.len <= APPLY_LISTED_BYTES_MAX);
}

void apply_failures_add(struct apply_failures *failures, const struct apply_item *item,
                        struct error *err)
{
    const struct str text = str_from_c(err->message);
    const bool is_new = !is_listed(failures, text);
    add_to_report(failures, item, text);
    if (err->retry_after > failures->retry_after)
        failures->retry_after = err->retry_after;
    if (is_new && has_room(failures, text)) {
        failures->texts[failures->count++] = arena_str(failures->arena, text);
        failures->bytes += text.len;
    } else if (is_new) {
        failures->more++;
    }
    if (!failures->first)
        failures->first = TAKE(err);
    error_free(err);
}

static void write_list(const struct apply_failures *failures, struct buf *out)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < failures->count; i++)
        buf_print(out, "%s%.*s", i ? ", " : "", STR_ARG(failures->texts[i]));
    if (failures->more)
        buf_print(out, ", … and %zu more", failures->more);
    buf_add_char(out, ']');
}

/* The longest Retry-After of all failures counts. */
struct error *apply_failures_finish(struct apply_failures *failures, const struct error *decisive)
{
    SCOPED(buf) text = {.limit = 0};
    const bool is_one = failures->count + failures->more <= 1;
    if (is_one && !failures->hint.len)
        return TAKE(failures->first);
    decisive = decisive && !is_one ? decisive : failures->first;
    if (is_one)
        buf_add(&text, failures->texts[0]);
    else
        write_list(failures, &text);
    if (failures->hint.len)
        buf_print(&text, "; %.*s", STR_ARG(failures->hint));
    struct error *err = error_new(decisive->code, "%.*s", STR_ARG(buf_str(&text)));
    err->http_status = decisive->http_status;
    err->retry_after = failures->retry_after;
    return err;
}
