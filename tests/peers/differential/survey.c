#include "peers/differential/survey.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/memory.h"
#include "json/path.h"

struct survey_row {
    size_t count;
    uint64_t sequence;
    char *text; /* of the first that was met */
};

static void row_free(void *value)
{
    struct survey_row *row = value;
    mem_free(row->text);
    mem_free(row);
}

void survey_done(struct survey *survey)
{
    map_done(&survey->rows);
}

/* "pods/status" of a path: what stands behind the version, without namespace and name. */
static void add_resource(struct buf *out, struct str path)
{
    struct str part;
    size_t skipped = str_starts_with(path, STR("/apis/")) ? 4 : 3;
    for (size_t i = 0; path.len; i++) {
        str_cut(&path, '/', &part);
        if (i == skipped && str_eq(part, STR("namespaces")) &&
            str_starts_with(path, STR("{{ns}}/")))
            skipped += 2;
        else if (i == skipped)
            buf_add(out, part);
        else if (i == skipped + 2)
            buf_print(out, "/%.*s", STR_ARG(part));
    }
}

static void add_plain(struct buf *out, struct str text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        is_quoted = is_quoted != (text.ptr[i] == '"');
        if (!is_quoted && !ascii_is_digit(text.ptr[i]))
            buf_add_char(out, text.ptr[i]);
    }
}

static void add_row(struct survey *survey, uint64_t sequence, const struct json_value *step,
                    const struct difference *difference)
{
    SCOPED(buf) key = {0};
    SCOPED(buf) head = {0};
    buf_print(&head, "%.*s ", STR_ARG(json_path_str(step, "method")));
    add_resource(&head, json_path_str(step, "path"));
    buf_print(&head, " %.*s", STR_ARG(difference->place));
    add_plain(&key, buf_str(&head));
    add_plain(&key, difference->text);
    struct survey_row *row = map_find(&survey->rows, buf_str(&key));
    if (!row) {
        SCOPED(buf) text = {0};
        buf_print(&text, "%.*s | %.*s", STR_ARG(buf_str(&head)), STR_ARG(difference->text));
        row = mem_alloc(sizeof(*row));
        *row = (struct survey_row){.sequence = sequence, .text = mem_dup(buf_c(&text), text.len)};
        map_put(&survey->rows, buf_str(&key), row);
    }
    row->count++;
}

void survey_add(struct survey *survey, uint64_t sequence, const struct json_value *step,
                const struct differences *differences)
{
    survey->rows.release = row_free;
    for (size_t i = 0; i < differences->count; i++)
        add_row(survey, sequence, step, &differences->items[i]);
}

static int compare_rows(const void *a, const void *b)
{
    const struct survey_row *const *left = a, *const *right = b;
    return ((*left)->count < (*right)->count) - ((*left)->count > (*right)->count);
}

void survey_print(FILE *out, const struct survey *survey)
{
    const size_t count = map_count(&survey->rows);
    const struct survey_row **rows =
        mem_realloc_array(NULL, count + 1, sizeof(struct survey_row *));
    size_t i = 0;
    MAP_FOREACH (entry, &survey->rows)
        rows[i++] = entry->value;
    qsort(rows, count, sizeof(struct survey_row *), compare_rows);
    for (i = 0; i < count; i++)
        fprintf(out, "%6zu  %s  (--sequence %lu)\n", rows[i]->count, rows[i]->text,
                (unsigned long)rows[i]->sequence);
    mem_free(rows);
}
