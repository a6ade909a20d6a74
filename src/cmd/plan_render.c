#include "cmd/plan_render.h"

#include "base/array.h"
#include "base/memory.h"
#include "clusterresourceset/preview/preview.h"
#include "clusterresourceset/preview/preview_secrets.h"
#include "cmd/table.h"
#include "cmd/terminal.h"
#include "json/builder.h"

#define NAMES_SHOWN   5  /* of clusters, in a line */
#define CHANGES_SHOWN 20 /* of one object, in a table */
#define VALUE_SHOWN   60 /* columns of a value, in a table */
#define SAME_SHOWN    20 /* bytes of a beginning that both values of a change have */

void plan_render_done(struct plan_render *render)
{
    mem_free(render->shown);
}

/* The number by which a secret is known in this output. */
static size_t number_secret(struct plan_render *render, size_t secret)
{
    while (render->shown_count <= secret)
        ARRAY_PUSH(render->shown, render->shown_count, render->capacity, 0);
    if (!render->shown[secret])
        render->shown[secret] = ++render->shown[0]; /* no secret has the number 0: it counts */
    return render->shown[secret];
}

/* "9,812" */
static void add_count(struct buf *out, size_t count)
{
    if (count >= 1000) {
        add_count(out, count / 1000);
        buf_print(out, ",%03zu", count % 1000);
    } else {
        buf_print(out, "%zu", count);
    }
}

/* True for a string that would be taken for something else without quotes. */
static bool needs_quotes(struct str text)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(text, &doc);
    return !text.len || !err;
}

/* A value for people, as one line. */
static void add_value(struct plan_render *render, const struct preview_value *value,
                      struct buf *out)
{
    if (value->type == JSON_ABSENT)
        buf_add(out, STR("(none)"));
    else if (value->secret)
        buf_print(out, "(secret %zu)", number_secret(render, value->secret));
    else if (value->type == JSON_STRING && needs_quotes(value->text))
        buf_add_json_string(out, value->text);
    else
        terminal_add_shown(out, value->text);
    if (value->is_cut)
        buf_add(out, STR("…"));
}

/* How much of both beginnings is left out: what is equal in both, but for its end. */
static size_t same_beginning(struct str a, struct str b)
{
    size_t len = 0;
    if (a.len <= VALUE_SHOWN && b.len <= VALUE_SHOWN)
        return 0;
    while (len < a.len && len < b.len && a.ptr[len] == b.ptr[len])
        len++;
    len = len > SAME_SHOWN ? len - SAME_SHOWN : 0;
    while (len && !str_char_len(str_skip(a, len)))
        len--;
    return len;
}

static void add_shortened(struct buf *out, struct str text, size_t skipped)
{
    if (skipped)
        buf_add(out, STR("…"));
    terminal_add_cut(out, str_skip(text, skipped), VALUE_SHOWN);
}

/* "spec.replicas: 2 -> 3" */
static void add_change(struct plan_render *render, const struct preview_change *change,
                       struct buf *out)
{
    SCOPED(buf) before = {.limit = 0};
    SCOPED(buf) after = {.limit = 0};
    terminal_add_shown(out, change->path);
    if (change->is_order) {
        buf_add(out, STR(": in another order"));
        return;
    }
    add_value(render, &change->before, &before);
    add_value(render, &change->after, &after);
    const size_t skipped = same_beginning(buf_str(&before), buf_str(&after));
    buf_add(out, STR(": "));
    add_shortened(out, buf_str(&before), skipped);
    buf_add(out, STR(" -> "));
    add_shortened(out, buf_str(&after), skipped);
}

/* "apps/v1 DaemonSet kube-system/cni", or the resource if it is about all of it. */
static void add_name(struct buf *out, const struct preview_object *object)
{
    SCOPED(buf) text = {.limit = 0};
    if (!object->kind.len)
        buf_add(&text, object->resource);
    else
        buf_print(&text, "%.*s %.*s %.*s%s%.*s", STR_ARG(object->api_version),
                  STR_ARG(object->kind), STR_ARG(object->namespace),
                  object->namespace.len ? "/" : "", STR_ARG(object->name));
    terminal_add_shown(out, buf_str(&text));
}

static enum table_color color_of(enum preview_sign sign)
{
    static const enum table_color colors[] = {[PREVIEW_CREATED] = TABLE_GREEN,
                                              [PREVIEW_CHANGED] = TABLE_YELLOW,
                                              [PREVIEW_PRUNED] = TABLE_RED,
                                              [PREVIEW_REFUSED] = TABLE_RED,
                                              [PREVIEW_UNKNOWN] = TABLE_DIM};
    return colors[sign];
}

/* The counts of a table, in a column of their own. Only the first line of a group has one. */
struct counts {
    size_t width; /* of the longest number */
    bool is_many; /* some line is about several clusters */
};

static size_t count_width(size_t count)
{
    SCOPED(buf) text = {.limit = 0};
    add_count(&text, count);
    return text.len;
}

static void counts_add(struct counts *counts, size_t count)
{
    const size_t width = count ? count_width(count) : 0;
    counts->width = width > counts->width ? width : counts->width;
    counts->is_many |= count != 1;
}

static void add_counted(const struct counts *counts, size_t count, struct buf *out)
{
    const char *noun = count == 1 ? "cluster" : "clusters";
    buf_print(out, "%*s", (int)(counts->width - count_width(count)), "");
    add_count(out, count);
    buf_print(out, " %-*s  ", counts->is_many ? 8 : 7, noun);
}

static void add_uncounted(const struct counts *counts, struct buf *out)
{
    buf_print(out, "%*s", (int)counts->width + (counts->is_many ? 11 : 10), "");
}

/* A group that is being written into a table. */
struct group_lines {
    struct plan_render *render;
    const struct counts *counts;
    const struct preview_group *group;
    bool has_first; /* the line with the count is written */
    struct buf *out;
};

static void begin_line(struct group_lines *lines, const struct preview_object *object)
{
    const char sign[] = {preview_sign_char(object->sign), '\0'};
    if (lines->has_first)
        add_uncounted(lines->counts, lines->out);
    else
        add_counted(lines->counts, lines->group->count, lines->out);
    lines->has_first = true;
    terminal_add_shown(lines->out, object->set);
    buf_add(lines->out, STR(": "));
    table_add_colored(lines->out, str_from_c(sign), color_of(object->sign),
                      lines->render->has_color);
    buf_add_char(lines->out, ' ');
    add_name(lines->out, object);
}

static void add_object_lines(struct group_lines *lines, const struct preview_object *object)
{
    const struct preview_changes *changes = &object->changes;
    const size_t shown = changes->count < CHANGES_SHOWN ? changes->count : CHANGES_SHOWN,
                 more = changes->count + changes->omitted - shown;
    for (size_t i = 0; i < shown; i++) {
        begin_line(lines, object);
        buf_add(lines->out, STR("   "));
        add_change(lines->render, &changes->items[i], lines->out);
        buf_add_char(lines->out, '\n');
    }
    if (shown && !more)
        return;
    begin_line(lines, object);
    if (more)
        buf_print(lines->out, "   and %zu more changes, see -o diff", more);
    if (object->text.len) {
        buf_add(lines->out, STR("   "));
        terminal_add_shown(lines->out, object->text);
    }
    buf_add_char(lines->out, '\n');
}

void plan_render_object(struct plan_render *render, const struct preview_object *object,
                        struct buf *out)
{
    const struct preview_changes *changes = &object->changes;
    const char sign = preview_sign_char(object->sign);
    const size_t shown = changes->count < CHANGES_SHOWN ? changes->count : CHANGES_SHOWN,
                 more = changes->count + changes->omitted - shown;
    for (size_t i = 0; i < shown; i++) {
        buf_print(out, "    %c ", sign);
        add_change(render, &changes->items[i], out);
        buf_add_char(out, '\n');
    }
    if (more)
        buf_print(out, "    and %zu more\n", more);
    if (!object->text.len)
        return;
    buf_print(out, "    %c ", sign);
    terminal_add_shown(out, object->text);
    buf_add_char(out, '\n');
}

static void add_silences(const struct preview *preview, struct buf *out)
{
    const size_t count = preview->silence_count, shown = count < NAMES_SHOWN ? count : NAMES_SHOWN;
    buf_add(out, STR("not reachable: "));
    for (size_t i = 0; i < shown; i++) {
        SCOPED(buf) text = {.limit = 0};
        buf_print(&text, "%s%.*s (%.*s)", i ? ", " : "", STR_ARG(preview->silences[i].cluster),
                  STR_ARG(preview->silences[i].reason));
        terminal_add_shown(out, buf_str(&text));
    }
    buf_add(out, count > shown ? STR(", …\n") : STR("\n"));
}

void plan_render_table(struct plan_render *render, struct buf *out)
{
    const struct preview *preview = render->preview;
    struct counts counts = {0};
    for (size_t i = 0; i < preview->group_count; i++)
        counts_add(&counts, preview->groups[i]->count);
    const size_t others[] = {preview->unchanged.count, preview->silence_count, preview->left_out};
    for (size_t i = 0; i < COUNT(others); i++)
        if (others[i])
            counts_add(&counts, others[i]);
    for (size_t i = 0; i < preview->group_count; i++) {
        const struct preview_group *group = preview->groups[i];
        struct group_lines lines = {render, &counts, group, false, out};
        for (size_t j = 0; j < group->result->count; j++)
            add_object_lines(&lines, &group->result->objects[j]);
    }
    if (preview->unchanged.count) {
        add_counted(&counts, preview->unchanged.count, out);
        buf_add(out, STR("no change\n"));
    }
    if (preview->left_out) {
        add_counted(&counts, preview->left_out, out);
        buf_add(out, STR("not asked, because of --sample\n"));
    }
    if (preview->silence_count) {
        add_counted(&counts, preview->silence_count, out);
        add_silences(preview, out);
    }
}

/* "# 3 clusters: ns/a, ns/b, ns/c" */
static void add_heading(struct buf *out, const struct preview_group *group)
{
    const size_t shown = group->count < NAMES_SHOWN ? group->count : NAMES_SHOWN;
    buf_add(out, STR("# "));
    add_count(out, group->count);
    buf_add(out, group->count == 1 ? STR(" cluster: ") : STR(" clusters: "));
    for (size_t i = 0; i < shown; i++) {
        buf_add(out, i ? STR(", ") : STR(""));
        terminal_add_shown(out, group->clusters[i]);
    }
    if (group->count > shown) {
        buf_add(out, STR(" and "));
        add_count(out, group->count - shown);
        buf_add(out, STR(" more"));
    }
    buf_add_char(out, '\n');
}

static void add_diff_line(const struct plan_render *render, char sign, struct str text,
                          struct buf *out)
{
    SCOPED(buf) line = {.limit = 0};
    buf_add_char(&line, sign);
    terminal_add_shown(&line, text);
    table_add_colored(out, buf_str(&line), sign == '-' ? TABLE_RED : TABLE_GREEN,
                      render->has_color);
    buf_add_char(out, '\n');
}

static bool has_lines(const struct preview_value *value)
{
    return value->type == JSON_STRING && !value->secret &&
           str_find_char(value->text, '\n') != STR_NONE;
}

/* Of two texts: the lines that both begin with are skipped, and counted. */
static size_t skip_same_lines(struct str *a, struct str *b)
{
    size_t count = 0;
    for (;;) {
        struct str rest_a = *a, rest_b = *b, line_a, line_b;
        str_cut(&rest_a, '\n', &line_a);
        str_cut(&rest_b, '\n', &line_b);
        if (!a->len || !b->len || !str_eq(line_a, line_b))
            return count;
        *a = rest_a;
        *b = rest_b;
        count++;
    }
}

/* The same at the end; a line that is begun stays whole. */
static void drop_same_end(struct str *a, struct str *b)
{
    size_t same = 0, whole = 0;
    while (same < a->len && same < b->len &&
           a->ptr[a->len - 1 - same] == b->ptr[b->len - 1 - same]) {
        same++;
        if (a->ptr[a->len - same] == '\n')
            whole = same - 1;
    }
    if (same == a->len || same == b->len) {
        const struct str *longer = a->len > b->len ? a : b;
        if (same == longer->len || longer->ptr[longer->len - same - 1] == '\n')
            whole = same;
    }
    a->len -= whole;
    b->len -= whole;
}

static void add_text_lines(const struct plan_render *render, char sign, struct str text,
                           struct buf *out)
{
    struct str line;
    while (text.len) {
        str_cut(&text, '\n', &line);
        add_diff_line(render, sign, line, out);
    }
}

/* A text of many lines: those that differ, and where they begin. */
static void add_text_diff(const struct plan_render *render, const struct preview_change *change,
                          struct buf *out)
{
    struct str before = change->before.text, after = change->after.text;
    const size_t same = skip_same_lines(&before, &after);
    drop_same_end(&before, &after);
    buf_add(out, STR("@@ "));
    terminal_add_shown(out, change->path);
    buf_print(out, ", line %zu @@\n", same + 1);
    add_text_lines(render, '-', before, out);
    add_text_lines(render, '+', after, out);
    if (change->before.is_cut || change->after.is_cut)
        buf_add(out, STR("… there is more of it, which is not shown\n"));
}

static void add_diff_value(struct plan_render *render, char sign, struct str path,
                           const struct preview_value *value, struct buf *out)
{
    SCOPED(buf) line = {.limit = 0};
    if (value->type == JSON_ABSENT)
        return;
    buf_print(&line, "%.*s: ", STR_ARG(path));
    add_value(render, value, &line);
    add_diff_line(render, sign, buf_str(&line), out);
}

static void add_diff_change(struct plan_render *render, const struct preview_change *change,
                            struct buf *out)
{
    if (change->is_order) {
        terminal_add_shown(out, change->path);
        buf_add(out, STR(": in another order\n"));
    } else if (has_lines(&change->before) && has_lines(&change->after)) {
        add_text_diff(render, change, out);
    } else {
        add_diff_value(render, '-', change->path, &change->before, out);
        add_diff_value(render, '+', change->path, &change->after, out);
    }
}

/* What the headings say already. */
static bool is_identity(struct str path)
{
    static const struct str paths[] = {STR_INIT("apiVersion"), STR_INIT("kind"),
                                       STR_INIT("metadata.name"), STR_INIT("metadata.namespace")};
    for (size_t i = 0; i < COUNT(paths); i++)
        if (str_eq(path, paths[i]))
            return true;
    return false;
}

/* The changes of an object; of one that is created, all that is in its manifest. */
static struct preview_changes changes_of(struct plan_render *render,
                                         const struct preview_object *object, struct arena *arena)
{
    struct preview_changes all, changes = {0};
    if (object->sign != PREVIEW_CREATED)
        return object->changes;
    preview_changes_find(NULL, object_root(object->manifest),
                         object->is_secret ? render->secrets : NULL, arena, &all);
    changes.omitted = all.omitted;
    for (size_t i = 0; i < all.count; i++)
        if (!is_identity(all.items[i].path))
            ARENA_ARRAY_PUSH(arena, changes.items, changes.count, changes.capacity, all.items[i]);
    return changes;
}

static void add_diff_object(struct plan_render *render, const struct preview_object *object,
                            struct buf *out)
{
    SCOPED(arena) arena = {0};
    const struct preview_changes changes = changes_of(render, object, &arena);
    if (object->text.len) {
        buf_print(out, "%c ", preview_sign_char(object->sign));
        add_name(out, object);
        buf_print(out, " (set %.*s): ", STR_ARG(object->set));
        terminal_add_shown(out, object->text);
        buf_add_char(out, '\n');
        return;
    }
    buf_add(out, STR("--- "));
    if (object->sign == PREVIEW_CREATED)
        buf_add(out, STR("/dev/null"));
    else
        add_name(out, object);
    buf_add(out, STR("\n+++ "));
    add_name(out, object);
    buf_print(out, " (set %.*s, %.*s)\n", STR_ARG(object->set), STR_ARG(object->resource));
    for (size_t i = 0; i < changes.count; i++)
        add_diff_change(render, &changes.items[i], out);
    if (changes.omitted)
        buf_print(out, "… and %zu more changes\n", changes.omitted);
}

void plan_render_diff(struct plan_render *render, struct buf *out)
{
    const struct preview *preview = render->preview;
    for (size_t i = 0; i < preview->group_count; i++) {
        const struct preview_group *group = preview->groups[i];
        add_heading(out, group);
        for (size_t j = 0; j < group->result->count; j++)
            add_diff_object(render, &group->result->objects[j], out);
    }
    for (size_t i = 0; i < preview->silence_count; i++) {
        SCOPED(buf) text = {.limit = 0};
        buf_print(&text, "# not reachable: %.*s: %.*s", STR_ARG(preview->silences[i].cluster),
                  STR_ARG(preview->silences[i].message));
        terminal_add_shown(out, buf_str(&text));
        buf_add_char(out, '\n');
    }
}

/* A string, or the value itself if it is none and all of it is there. */
static void build_value(struct plan_render *render, const char *name,
                        const struct preview_value *value, struct json_builder *builder)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    if (value->type == JSON_ABSENT)
        return;
    if (value->secret || value->is_cut) {
        if (value->secret)
            buf_print(&text, "(secret %zu)", number_secret(render, value->secret));
        else
            buf_print(&text, "%.*s…", STR_ARG(value->text));
        json_builder_add_str(builder, name, buf_str(&text));
        return;
    }
    if (value->type == JSON_STRING) {
        json_builder_add_str(builder, name, value->text);
        return;
    }
    OWNED(error) err = json_read(value->text, &doc);
    if (!err)
        json_builder_add_value(builder, name, json_doc_root(doc));
}

static void build_changes(struct plan_render *render, const struct preview_object *object,
                          struct json_builder *builder)
{
    SCOPED(arena) arena = {0};
    const struct preview_changes changes = changes_of(render, object, &arena);
    if (!changes.count)
        return;
    json_builder_add_array(builder, "changes");
    for (size_t i = 0; i < changes.count; i++) {
        const struct preview_change *change = &changes.items[i];
        json_builder_object(builder);
        json_builder_add_str(builder, "path", change->path);
        build_value(render, "before", &change->before, builder);
        build_value(render, "after", &change->after, builder);
        if (change->is_order)
            json_builder_add_bool(builder, "reordered", true);
        json_builder_end(builder);
    }
    json_builder_end(builder);
    if (changes.omitted)
        json_builder_add_int(builder, "omittedChanges", (int64_t)changes.omitted);
}

static void build_object(struct plan_render *render, const struct preview_object *object,
                         struct json_builder *builder)
{
    const struct {
        const char *name;
        struct str text;
    } texts[] = {
        {"set",        object->set        },
        {"resource",   object->resource   },
        {"apiVersion", object->api_version},
        {"kind",       object->kind       },
        {"namespace",  object->namespace  },
        {"name",       object->name       },
        {"message",    object->text       },
    };
    const char sign = preview_sign_char(object->sign);
    json_builder_object(builder);
    json_builder_add_str(builder, "sign", str_from(&sign, 1));
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i].text.len)
            json_builder_add_str(builder, texts[i].name, texts[i].text);
    build_changes(render, object, builder);
    json_builder_end(builder);
}

static void build_clusters(const struct preview_group *group, struct json_builder *builder)
{
    json_builder_add_int(builder, "count", (int64_t)group->count);
    json_builder_add_array(builder, "clusters");
    for (size_t i = 0; i < group->count; i++)
        json_builder_str(builder, group->clusters[i]);
    json_builder_end(builder);
}

static void build_group(struct plan_render *render, const struct preview_group *group,
                        struct json_builder *builder)
{
    json_builder_object(builder);
    build_clusters(group, builder);
    json_builder_add_array(builder, "objects");
    for (size_t i = 0; i < group->result->count; i++)
        build_object(render, &group->result->objects[i], builder);
    json_builder_end(builder);
    json_builder_end(builder);
}

static void build_silences(const struct preview *preview, struct json_builder *builder)
{
    json_builder_add_array(builder, "unreachable");
    for (size_t i = 0; i < preview->silence_count; i++) {
        json_builder_object(builder);
        json_builder_add_str(builder, "cluster", preview->silences[i].cluster);
        json_builder_add_str(builder, "reason", preview->silences[i].reason);
        json_builder_add_str(builder, "message", preview->silences[i].message);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

struct error *plan_render_json(struct plan_render *render, struct buf *out)
{
    const struct preview *preview = render->preview;
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_array(&builder, "groups");
    for (size_t i = 0; i < preview->group_count; i++)
        build_group(render, preview->groups[i], &builder);
    json_builder_end(&builder);
    json_builder_add_object(&builder, "unchanged");
    build_clusters(&preview->unchanged, &builder);
    json_builder_end(&builder);
    build_silences(preview, &builder);
    json_builder_add_int(&builder, "notAsked", (int64_t)preview->left_out);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write_pretty(out, json_doc_root(doc));
    buf_add_char(out, '\n');
    return buf_check(out);
}
