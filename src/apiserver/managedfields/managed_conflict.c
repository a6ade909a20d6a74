/*
 * What an apply would take away from other managers, in the words of an API server.
 *
 * One conflict is a sentence; several are a list by manager, sorted as the server sorts them. The
 * details carry a cause for each field, from which kubectl makes its advice.
 */
#include <stdlib.h>

#include "apiserver/managedfields/managed_fields_internal.h"
#include "base/memory.h"
#include "base/quote.h"

/* More causes are not listed: a message is cut long before. */
#define CAUSES_MAX 1000

/* "kubectl" with subresource "status" using apps/v1. Appliers are named without a version. */
static void write_manager(struct buf *out, const struct managed_entry *entry)
{
    str_quote_go(out, entry->manager);
    if (entry->subresource.len) {
        buf_add(out, STR(" with subresource "));
        str_quote_go(out, entry->subresource);
    }
    if (!entry->is_apply)
        buf_print(out, " using %.*s", STR_ARG(entry->api_version));
}

struct report {
    struct json_builder causes;
    struct buf lines;   /* "- .data.a\n" of all managers */
    struct buf manager; /* of the one at work */
    struct buf only;    /* path of the first conflict */
    size_t count;
};

/* Called by field_set_visit() for each field of the entry that is being reported. */
static void add_conflict(void *data, struct str path)
{
    struct report *report = data;
    if (report->count++ == 0)
        buf_add(&report->only, path);
    buf_add(&report->lines, STR("\n- "));
    buf_add(&report->lines, path);
    if (report->count > CAUSES_MAX)
        return;
    SCOPED(buf) message = {.limit = 0};
    buf_add(&message, STR("conflict with "));
    buf_add(&message, buf_str(&report->manager));
    json_builder_object(&report->causes);
    json_builder_add_str(&report->causes, "reason", STR("FieldManagerConflict"));
    json_builder_add_str(&report->causes, "message", buf_str(&message));
    json_builder_add_str(&report->causes, "field", path);
    json_builder_end(&report->causes);
}

/* By the identity of entries, which begins with the manager. */
static int by_id(const void *a, const void *b)
{
    return str_cmp((*(const struct managed_entry *const *)a)->id,
                   (*(const struct managed_entry *const *)b)->id);
}

static void report_entry(struct report *report, const struct managed_entry *entry)
{
    buf_clear(&report->manager);
    write_manager(&report->manager, entry);
    buf_add(&report->lines, report->count ? STR("\nconflicts with ") : STR("conflicts with "));
    buf_add(&report->lines, buf_str(&report->manager));
    buf_add_char(&report->lines, ':');
    field_set_visit(&entry->conflict, add_conflict, report);
}

/* The error with its details. Details that cannot be made are left out: the message says enough. */
static struct error *make_error(struct report *report)
{
    OWNED(json_doc) details = NULL;
    struct error *err =
        report->count == 1
            ? error_new(ERROR_CONFLICT, "Apply failed with 1 conflict: conflict with %.*s: %.*s",
                        STR_ARG(buf_str(&report->manager)), STR_ARG(buf_str(&report->only)))
            : error_new(ERROR_CONFLICT, "Apply failed with %zu conflicts: %.*s", report->count,
                        STR_ARG(buf_str(&report->lines)));
    json_builder_end(&report->causes);
    json_builder_end(&report->causes);
    struct error *failed = json_builder_finish(&report->causes, &details);
    if (failed) {
        error_free(failed); /* the message says enough */
        return err;
    }
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, json_doc_root(details));
    err->details = buf_take(&text);
    return err;
}

struct error *managed_conflict_error(const struct managed_entries *entries)
{
    struct report report = {.lines = {.limit = 2 * ERROR_MESSAGE_MAX}};
    const struct managed_entry **all =
        arena_alloc_array(entries->arena, entries->count, sizeof(struct managed_entry *));
    size_t count = 0;
    for (size_t i = 0; i < entries->count; i++)
        if (!entries->items[i].gone && !field_set_is_empty(&entries->items[i].conflict))
            all[count++] = &entries->items[i];
    if (count)
        qsort(all, count, sizeof(struct managed_entry *), by_id);
    json_builder_object(&report.causes);
    json_builder_add_array(&report.causes, "causes");
    for (size_t i = 0; i < count; i++)
        report_entry(&report, all[i]);
    struct error *err = make_error(&report);
    json_builder_done(&report.causes);
    buf_done(&report.lines);
    buf_done(&report.manager);
    buf_done(&report.only);
    return err;
}
