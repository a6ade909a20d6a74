/* Clusters come and go; whoever makes them keeps a kubeconfig beside each. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define LABELLED   0.75
#define TEND_EVERY (700 * MILLISECOND)
#define FINALIZER  "simulation.corset.dev/provider"

static void put_kubeconfig(struct sets *sets, size_t cluster)
{
    const struct front *front = &sets->workloads[cluster];
    front_put_kubeconfig(&sets->management, cluster, front->options.host, buf_str(&front->token));
}

/* Labels a, b and c are what the sets select by. */
static void write_labels(struct sets *sets, size_t cluster, struct buf *out)
{
    buf_print(out, "\"labels\":{\"some\":\"thing\"");
    for (size_t i = 0; i < SETS; i++) {
        const bool has = draw_chance(&sets->users_dice, LABELLED);
        buf_print(out, ",\"%c\":\"%s\"", (char)('a' + i), has ? "yes" : "no");
        if (has)
            sets->chosen[i] |= 1U << cluster;
    }
    buf_print(out, "}");
}

void provider_make(struct sets *sets, size_t cluster)
{
    SCOPED(buf) body = {.limit = 0};
    put_kubeconfig(sets, cluster);
    buf_print(&body,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"c%zu\",\"namespace\":\"default\",\"finalizers\":[\"" FINALIZER "\"],",
              cluster);
    write_labels(sets, cluster, &body);
    buf_print(&body, "},\"spec\":{},\"status\":{\"initialization\":{"
                     "\"infrastructureProvisioned\":true}}}");
    trace_print(&sets->trace, "world: makes c%zu", cluster);
    front_put(&sets->management, &body);
}

static int patch(struct sets *sets, size_t cluster, const char *body)
{
    char target[SETS_TEXT_MAX];
    snprintf(target, sizeof(target), CLUSTERS_TARGET "/c%zu", cluster);
    return front_call(&sets->management, "PATCH", target, body);
}

void provider_label(struct sets *sets, size_t cluster)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body, "{\"metadata\":{");
    write_labels(sets, cluster, &body);
    buf_print(&body, "}}");
    (void)patch(sets, cluster, buf_c(&body));
}

static void let_go(struct sets *sets, size_t cluster)
{
    (void)patch(sets, cluster, "{\"metadata\":{\"finalizers\":null}}");
}

/* At once: the object alone is replaced, and the cluster behind it is the same. */
void provider_delete(struct sets *sets, size_t cluster, bool at_once)
{
    char target[SETS_TEXT_MAX];
    OWNED(json_doc) doc = sets_find_cluster(sets, cluster);
    if (!doc || sets_is_deleting(doc))
        return;
    snprintf(target, sizeof(target), CLUSTERS_TARGET "/c%zu", cluster);
    sets->deleted_at[cluster] = loop_now(loop_current());
    sets->is_going[cluster] = !at_once;
    (void)front_call(&sets->management, "DELETE", target, "");
    if (at_once) {
        let_go(sets, cluster);
        provider_make(sets, cluster);
    }
}

static void wipe(struct sets *sets, size_t cluster)
{
    char target[SETS_TEXT_MAX];
    for (size_t i = 0; i < RESOURCES; i++) {
        snprintf(target, sizeof(target), "/api/v1/namespaces/%s/%s", sets_places[i].namespace,
                 sets_places[i].holds_secrets ? "secrets" : "configmaps");
        (void)front_call(&sets->workloads[cluster], "DELETE", target, "");
    }
}

/* A cluster takes its time to go; its binding has gone before. */
static void tend(struct sets *sets, size_t cluster)
{
    OWNED(json_doc) doc = sets_find_cluster(sets, cluster);
    OWNED(json_doc) binding = sets_find_binding(sets, cluster);
    if (sets->wipes[cluster]) {
        if (binding)
            return;
        wipe(sets, cluster);
        sets->wipes[cluster] = sets->is_going[cluster] = false;
    } else if (doc && sets_is_deleting(doc) && !binding) {
        sets->wipes[cluster] = true; /* first: while it goes, nobody may make another one */
        let_go(sets, cluster);
    }
}

struct error *provider_tend(void *data)
{
    struct sets *sets = data;
    for (;;) {
        TRY(fiber_sleep(TEND_EVERY));
        FIBER_SHIELD(FOREVER);
        for (size_t i = 0; i < CLUSTERS; i++)
            if (sets->is_going[i])
                tend(sets, i);
    }
}

/* The server moves, and its kubeconfig says so. */
void provider_rotate(struct sets *sets, size_t cluster)
{
    struct front *front = &sets->workloads[cluster];
    if (!front->front)
        return; /* just restarting */
    const struct str old = front->options.host;
    sets->is_next_host[cluster] = !sets->is_next_host[cluster];
    trace_print(&sets->trace, "world: c%zu moves", cluster);
    front_shut(front);
    sim_network_set_faults(sets->network, old, &(struct sim_faults){0});
    front->options.host = str_from_c(sets->hosts[cluster][sets->is_next_host[cluster]]);
    front_listen(front);
    put_kubeconfig(sets, cluster);
}

bool provider_selects(struct sets *sets, size_t set, size_t cluster)
{
    char label[2] = {(char)('a' + set), '\0'};
    OWNED(json_doc) doc = sets_find_cluster(sets, cluster);
    if (!doc || sets_is_deleting(doc))
        return false;
    const struct json_value *labels = json_path(json_doc_root(doc), "metadata.labels");
    return str_eq(json_to_str(json_get(labels, str_from_c(label))), STR("yes"));
}
