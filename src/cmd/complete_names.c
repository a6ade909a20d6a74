/*
 * Finds the names for completion. A shell waits for the answer, so the server gets a second and a
 * half; what cannot be found out is no candidate, and nothing is said about it.
 */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "cmd/command.h"
#include "cmd/complete.h"
#include "cmd/management_client.h"

#define ASK_TIMEOUT (1500 * MILLISECOND)

/* One question, on the loop. */
struct question {
    enum complete_kind kind;
    struct global_flags globals;
    struct buf *out;
};

/* Ends the list when the buffer is full. */
static struct error *add_name(void *data, struct object *object)
{
    struct buf *out = data;
    buf_add(out, object_name(object));
    buf_add_char(out, '\n');
    return buf_check(out);
}

/* Only the metadata travels. */
static struct error *ask_server(void *data)
{
    const struct gvr gvrs[] = {
        [COMPLETE_NAMESPACES] = GVR_NAMESPACES,
        [COMPLETE_SETS] = GVR_CLUSTER_RESOURCE_SETS,
        [COMPLETE_CLUSTERS] = GVR_CLUSTERS,
    };
    struct question *question = data;
    SCOPED(management_client) management = {0};
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {.form = CLIENT_METADATA};
    const struct client_list_sink sink = {.each = add_name, .data = question->out};
    FIBER_TIMEOUT(ASK_TIMEOUT);
    TRY(management_client_open(&management, &question->globals));
    const struct str namespace =
        question->kind == COMPLETE_NAMESPACES ? STR("") : management.config.namespace;
    return client_list_each(management.client, gvrs[question->kind], namespace, &options, &sink,
                            &version);
}

/* NULL for an empty text, as a flag that was not given. */
static const char *text_or_none(struct arena *arena, struct str text)
{
    return text.len ? arena_c(arena, text) : NULL;
}

static void drop_line(void *data, struct str line)
{
    (void)data;
    (void)line;
}

void complete_names(enum complete_kind kind, const struct complete_place *place, struct buf *out)
{
    SCOPED(arena) arena = {0};
    struct question question = {.kind = kind, .out = out, .globals = GLOBAL_FLAGS_DEFAULT};
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    paths.file = place->kubeconfig;
    if (kind == COMPLETE_CONTEXTS) {
        OWNED(error) ignored = kubeconfig_contexts(&paths, out);
        return;
    }
    question.globals.kubeconfig = text_or_none(&arena, place->kubeconfig);
    question.globals.context = text_or_none(&arena, place->context);
    question.globals.namespace = text_or_none(&arena, place->namespace);
    log_set_sink(drop_line, NULL);
    OWNED(loop) loop = loop_new();
    OWNED(error) ignored = loop_run(loop, ask_server, &question);
}
