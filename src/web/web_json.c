#include "web/web_json.h"

#include "json/builder.h"
#include "status/status_json.h"
#include "status/why_render.h"
#include "web/web_contents.h"
#include "web/web_reasons.h"
#include "web/web_rows.h"
#include "web/web_waves.h"

#define OVERVIEW_REASONS ((size_t)10)
#define REASONS_MAX      ((size_t)500)

/* What the functions below share. */
struct writer {
    struct json_builder builder;
    const struct web_view *view;
    const struct web_query *query;
};

static void writer_done(struct writer *writer)
{
    json_builder_done(&writer->builder);
}

static void add_time(struct json_builder *builder, const char *name, timestamp time)
{
    char text[TIMESTAMP_TEXT_MAX];
    if (time)
        json_builder_add_str(builder, name, timestamp_write(time, text));
}

static void add_key(struct json_builder *builder, const char *name, struct key key)
{
    json_builder_add_object(builder, name);
    json_builder_add_str(builder, "namespace", key.namespace);
    json_builder_add_str(builder, "name", key.name);
    json_builder_end(builder);
}

static void add_states(struct json_builder *builder, const char *name,
                       const size_t counts[static STATUS_STATES])
{
    json_builder_add_object(builder, name);
    for (size_t i = 0; i < STATUS_STATES; i++)
        json_builder_add_int(builder, status_state_name((enum status_state)i), (int64_t)counts[i]);
    json_builder_end(builder);
}

static void add_total(struct json_builder *builder, const char *name, size_t total,
                      const size_t counts[static STATUS_STATES])
{
    json_builder_add_object(builder, name);
    json_builder_add_int(builder, "total", (int64_t)total);
    add_states(builder, "states", counts);
    json_builder_end(builder);
}

static void add_reasons(struct writer *writer, struct str set, size_t max)
{
    struct json_builder *builder = &writer->builder;
    const struct web_reasons reasons = web_reasons_find(writer->view, set);
    json_builder_add_array(builder, "reasons");
    for (size_t i = 0; i < reasons.count && i < max; i++) {
        const struct web_reason *reason = &reasons.items[i];
        json_builder_object(builder);
        json_builder_add_str(builder, "state", str_from_c(status_state_name(reason->state)));
        json_builder_add_str(builder, "message", reason->text);
        json_builder_add_int(builder, "clusters", (int64_t)reason->clusters);
        json_builder_add_int(builder, "sets", (int64_t)reason->sets);
        add_time(builder, "since", reason->since);
        if (reason->cluster)
            add_key(builder, "cluster", reason->cluster->key);
        if (reason->set)
            add_key(builder, "set", reason->set->key);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static bool write_overview(struct writer *writer)
{
    const struct web_view *view = writer->view;
    add_total(&writer->builder, "clusters", view->cluster_count, view->cluster_counts);
    add_total(&writer->builder, "sets", view->set_count, view->set_counts);
    add_reasons(writer, STR(""), OVERVIEW_REASONS);
    return true;
}

static void add_address(struct json_builder *builder, const char *name,
                        const struct web_query *query)
{
    SCOPED(buf) address = {.limit = 0};
    web_query_write(query, &address);
    json_builder_add_str(builder, name, buf_str(&address));
}

static void add_neighbours(struct writer *writer, const struct web_rows *rows)
{
    struct web_query to = *writer->query;
    if (rows->has_next) {
        to.has_after = true;
        to.after = rows->next;
        add_address(&writer->builder, "next", &to);
    }
    if (rows->has_previous) {
        to.has_after = !rows->previous_is_first;
        to.after = rows->previous;
        add_address(&writer->builder, "previous", &to);
    }
}

static bool write_table(struct writer *writer)
{
    struct json_builder *builder = &writer->builder;
    const struct web_rows rows = web_rows_find(writer->view, writer->query);
    json_builder_add_int(builder, "total", (int64_t)rows.total);
    json_builder_add_int(builder, "first", (int64_t)rows.first);
    add_states(builder, "states", rows.facets);
    json_builder_add_array(builder, "items");
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.items[i].cluster)
            status_json_add_cluster(builder, rows.items[i].cluster);
        else
            status_json_add_set(builder, rows.items[i].set);
    }
    json_builder_end(builder);
    add_neighbours(writer, &rows);
    return true;
}

static void add_waves(struct writer *writer, const struct status_set *set)
{
    struct json_builder *builder = &writer->builder;
    const struct web_wave *waves = NULL;
    const size_t count = web_waves_find(writer->view, set, &waves);
    json_builder_add_array(builder, "waves");
    for (size_t i = 0; i < count; i++) {
        json_builder_object(builder);
        json_builder_add_str(builder, "name", waves[i].name);
        json_builder_add_str(builder, "state", waves[i].state);
        json_builder_add_int(builder, "clusters", (int64_t)waves[i].clusters);
        json_builder_add_int(builder, "done", (int64_t)waves[i].done);
        json_builder_add_int(builder, "failed", (int64_t)waves[i].failed);
        json_builder_add_int(builder, "unreachable", (int64_t)waves[i].unreachable);
        if (waves[i].approval.len)
            json_builder_add_str(builder, "approval", waves[i].approval);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static void add_objects(struct json_builder *builder, const struct web_content *content)
{
    json_builder_add_int(builder, "count", (int64_t)content->count);
    json_builder_add_array(builder, "objects");
    for (size_t i = 0; i < content->count && i < WEB_CONTENT_OBJECTS_MAX; i++) {
        const struct web_content_object *object = &content->objects[i];
        json_builder_object(builder);
        json_builder_add_str(builder, "kind", object->kind);
        if (object->namespace.len)
            json_builder_add_str(builder, "namespace", object->namespace);
        json_builder_add_str(builder, "name", object->name);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static void add_resources(struct writer *writer, const struct status_set *set)
{
    struct json_builder *builder = &writer->builder;
    json_builder_add_array(builder, "resources");
    for (size_t i = 0; i < set->spec.ref_count; i++) {
        const struct web_content *content = web_view_find_content(writer->view, set, i);
        json_builder_object(builder);
        json_builder_add_str(builder, "kind", resource_kind_name(set->spec.refs[i].kind));
        json_builder_add_str(builder, "name", set->spec.refs[i].name);
        if (content && content->hash.len)
            json_builder_add_str(builder, "hash", content->hash);
        if (content && content->problem.len)
            json_builder_add_str(builder, "problem", content->problem);
        if (content && !content->problem.len) {
            json_builder_add_int(builder, "size", (int64_t)content->size);
            add_objects(builder, content);
        }
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static void add_connection(struct writer *writer, const struct status_cluster *cluster)
{
    struct json_builder *builder = &writer->builder;
    const struct web_facts *facts = writer->view->facts;
    struct web_connection connection;
    json_builder_add_object(builder, "connection");
    add_time(builder, "since", cluster->connected);
    add_time(builder, "lastSuccess", cluster->last_success);
    if (cluster->is_unreachable)
        json_builder_add_str(builder, "problem", cluster->lost_why);
    if (facts->connection && facts->connection(facts->connection_data, cluster->key, &connection)) {
        add_time(builder, "lastProbe", connection.last_probe);
        json_builder_add_int(builder, "failures", (int64_t)connection.failures);
        if (connection.next_try)
            add_time(builder, "nextTry", writer->view->now + connection.next_try);
    }
    json_builder_end(builder);
}

static bool write_set(struct writer *writer)
{
    const struct status_set *set = web_view_find_set(writer->view, writer->query->key);
    if (!set)
        return false;
    json_builder_key(&writer->builder, STR("set"));
    status_json_add_set(&writer->builder, set);
    add_waves(writer, set);
    add_resources(writer, set);
    add_reasons(writer, set->key.name, REASONS_MAX);
    return true;
}

/* Events about one object, or all of them if kind is empty. */
static void add_events(struct writer *writer, struct str kind, struct key about)
{
    struct json_builder *builder = &writer->builder;
    const struct web_facts *facts = writer->view->facts;
    size_t count = 0;
    json_builder_add_array(builder, "events");
    for (size_t i = 0; i < facts->event_count && count < writer->query->limit; i++) {
        const struct web_event *event = &facts->events[i];
        if (!web_scope_has(&writer->view->scope, event->about.namespace) ||
            (kind.len && !(str_eq(kind, event->kind) && key_eq(about, event->about))))
            continue;
        count++;
        json_builder_object(builder);
        add_time(builder, "time", event->time);
        json_builder_add_str(builder, "type", event->type);
        json_builder_add_str(builder, "reason", event->reason);
        json_builder_add_str(builder, "kind", event->kind);
        add_key(builder, "about", event->about);
        json_builder_add_str(builder, "message", event->message);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static bool write_cluster(struct writer *writer)
{
    const struct status_cluster *cluster = web_view_find_cluster(writer->view, writer->query->key);
    if (!cluster)
        return false;
    json_builder_key(&writer->builder, STR("cluster"));
    status_json_add_cluster(&writer->builder, cluster);
    add_connection(writer, cluster);
    add_events(writer, STR("Cluster"), cluster->key);
    return true;
}

static bool write_placement(struct writer *writer)
{
    const struct status_cluster *cluster = web_view_find_cluster(writer->view, writer->query->key);
    const struct status_cell *cell =
        cluster ? web_view_find_cell(cluster, writer->query->placement) : NULL;
    SCOPED(buf) why = {.limit = 0};
    if (!cell)
        return false;
    add_key(&writer->builder, "cluster", cluster->key);
    json_builder_key(&writer->builder, STR("set"));
    status_json_add_cell(&writer->builder, cell);
    why_render_chain(&writer->view->facts->model, cluster, cell, writer->view->now, &why);
    json_builder_add_str(&writer->builder, "why", buf_str(&why));
    return true;
}

static bool write_reasons(struct writer *writer)
{
    add_reasons(writer, writer->query->set, REASONS_MAX);
    return true;
}

static bool write_events(struct writer *writer)
{
    add_events(writer, STR(""), (struct key){0});
    return true;
}

/* How current the facts are, and what of them is missing. */
static void add_state_of_facts(struct writer *writer)
{
    struct json_builder *builder = &writer->builder;
    const struct web_facts *facts = writer->view->facts;
    add_time(builder, "asOf", facts->as_of);
    if (facts->problem.len)
        json_builder_add_str(builder, "problem", facts->problem);
    if (facts->is_loading)
        json_builder_add_int(builder, "loaded", (int64_t)facts->loaded);
    json_builder_add_object(builder, "missing");
    for (size_t i = 0; i < WEB_KINDS; i++) {
        if (!facts->missing[i].len)
            continue;
        json_builder_key(builder, web_kind_resource((enum web_kind)i));
        json_builder_str(builder, facts->missing[i]);
    }
    json_builder_end(builder);
}

struct error *web_json_render(const struct web_view *view, const struct web_query *query,
                              struct buf *out, int *ret_status)
{
    static bool (*const writers[WEB_PAGES])(struct writer *) = {
        [WEB_OVERVIEW] = write_overview, [WEB_SETS] = write_table,
        [WEB_SET] = write_set,           [WEB_CLUSTERS] = write_table,
        [WEB_CLUSTER] = write_cluster,   [WEB_PLACEMENT] = write_placement,
        [WEB_REASONS] = write_reasons,   [WEB_EVENTS] = write_events,
    };
    SCOPED(writer) writer = {.view = view, .query = query};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&writer.builder);
    add_state_of_facts(&writer);
    *ret_status = 503;
    if (!view->facts->is_loading)
        *ret_status = writers[query->page](&writer) ? 200 : 404;
    json_builder_end(&writer.builder);
    TRY(json_builder_finish(&writer.builder, &doc));
    json_write(out, json_doc_root(doc));
    buf_add_char(out, '\n');
    return buf_check(out);
}
