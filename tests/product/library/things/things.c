/*
 * A controller that uses what the example does not: custom and external nodes, checks of its own,
 * finalizers, pruning, filters, objects by hand. Public headers alone; ../things_test.c runs it.
 */
#include <corset/corset.h>
#include <string.h>

#define NAMESPACE(run)               corset_object_namespace(corset_run_owner(run))
#define ID(run, version, kind, name) (&(struct corset_id){version, kind, NAMESPACE(run), name})

static struct corset_object *make_config(struct corset_run *run, const char *suffix)
{
    struct corset_object *config =
        corset_object_from_yaml(run, "{apiVersion: v1, kind: ConfigMap}");
    corset_object_set_string(config, "metadata.name", corset_run_name(run, suffix));
    corset_object_set_string(config, "data.suffix", suffix);
    return config;
}

/* Ready once somebody has said so in an annotation. */
static enum corset_readiness check_approved(void *data, struct corset_run *run,
                                            const struct corset_object *live,
                                            const char **ret_reason, const char **ret_message)
{
    *ret_reason = "NotApproved";
    *ret_message = corset_run_print(run, "%s needs the annotation %s", corset_object_name(live),
                                    (const char *)data);
    return strlen(corset_object_annotation(live, data)) > 0 ? CORSET_READY : CORSET_IN_PROGRESS;
}

struct tally {
    size_t count;
};

static struct corset_error *count_one(void *data, const struct corset_object *object)
{
    struct tally *tally = data;
    if (strcmp(corset_object_kind(object), "Secret") != 0)
        return corset_error_new("a %s among Secrets", corset_object_kind(object));
    tally->count++;
    return NULL;
}

/* Objects by hand: made, changed, read from the server and from memory, listed. */
static struct corset_error *run_by_hand(void *data, struct corset_run *run,
                                        enum corset_outcome *ret_outcome)
{
    struct tally *tally = data;
    const char *name = corset_run_name(run, "by-hand");
    const struct corset_object *secret, *owner;
    struct corset_object *wanted = corset_object_from_yaml(
        run, "{apiVersion: v1, kind: Secret, metadata: {labels: {by: hand}}}");
    corset_object_set_string(wanted, "metadata.name", name);
    corset_object_set_string(wanted, "metadata.namespace", NAMESPACE(run));
    struct corset_error *err = corset_create(run, wanted, NULL);
    if (corset_error_is(err, "AlreadyExists")) {
        corset_error_free(err);
        err = NULL;
    }
    CORSET_TRY(err);
    CORSET_TRY(corset_get(run, ID(run, "v1", "Secret", name), &secret));
    if (!corset_object_has(secret, "data.seen"))
        CORSET_TRY(
            corset_patch(run, ID(run, "v1", "Secret", name), NULL, "data: {seen: eWVz}", &secret));
    if (strcmp(corset_object_string(secret, "data.seen", ""), "eWVz") != 0)
        return corset_error_new("the patch did not arrive");
    CORSET_TRY(corset_get(
        run, ID(run, "test.corset.dev/v1", "Thing", corset_object_name(corset_run_owner(run))),
        &owner));
    tally->count = 0;
    CORSET_TRY(corset_list(run, ID(run, "v1", "Secret", NULL), "by=hand", count_one, tally));
    *ret_outcome = corset_object_bool(owner, "spec.skip", false) ? CORSET_SKIP : CORSET_DONE;
    return NULL;
}

/* Runs whatever became of those before it. */
static struct corset_error *run_late(void *data, struct corset_run *run,
                                     enum corset_outcome *ret_outcome)
{
    const struct corset_object *live = corset_node_live(run, *(struct corset_node **)data);
    if (!live)
        return corset_retry_later(NULL, "tooEarly", 50, "the approved one was not seen");
    *ret_outcome = CORSET_DONE;
    return NULL;
}

static struct corset_error *build(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_object *thing = corset_run_owner(run);
    struct corset_node **approved = corset_run_alloc(run, sizeof(struct corset_node *));
    struct corset_node *by_hand, *namespace_node, *optional;
    static char annotation[] = "approved";
    struct tally *tally = corset_run_data(run);

    const struct corset_node_options custom = {
        .kind = CORSET_CUSTOM, .run = run_by_hand, .data = tally};
    CORSET_TRY(corset_graph_add(graph, &custom, &by_hand));
    CORSET_TRY(corset_graph_manage(graph, make_config(run, "after-hand"), by_hand, NULL, NULL));

    const struct corset_node_options checked = {
        .object = make_config(run, "approved"), .check = check_approved, .data = annotation};
    CORSET_TRY(corset_graph_add(graph, &checked, approved));
    const struct corset_node_options late = {.kind = CORSET_CUSTOM,
                                             .run = run_late,
                                             .data = approved,
                                             .after = approved,
                                             .after_count = 1};
    CORSET_TRY(corset_graph_add(graph, &late, NULL));

    /* A kind without namespaces, which a namespaced owner cannot own. */
    const struct corset_node_options home = {
        .kind = CORSET_EXTERNAL,
        .object = corset_object_from_yaml(
            run, "{apiVersion: v1, kind: Namespace, metadata: {name: default}}")};
    CORSET_TRY(corset_graph_add(graph, &home, &namespace_node));
    const struct corset_node_options maybe = {
        .kind = CORSET_EXTERNAL,
        .object = corset_object_from_yaml(
            run, "{apiVersion: v1, kind: ConfigMap, metadata: {name: maybe}}"),
        .flags = CORSET_OPTIONAL};
    CORSET_TRY(corset_graph_add(graph, &maybe, &optional));
    CORSET_TRY(
        corset_graph_manage(graph, make_config(run, "with-maybe"), namespace_node, optional, NULL));

    const struct corset_node_options once = {.object = make_config(run, "once"),
                                             .apply = CORSET_CREATE_ONLY};
    const struct corset_node_options merged = {.object = make_config(run, "merged"),
                                               .apply = CORSET_CREATE_OR_MERGE};
    CORSET_TRY(corset_graph_add(graph, &once, NULL));
    CORSET_TRY(corset_graph_add(graph, &merged, NULL));

    /* What has a status that moves does not make others be applied again. */
    struct corset_object *busy = corset_object_from_yaml(
        run,
        "{apiVersion: apps/v1, kind: ReplicaSet,"
        " spec: {replicas: 0, selector: {matchLabels: {app: busy}}, template: {metadata: {labels: {app: busy}},"
        " spec: {containers: [{name: a, image: a}]}}}}");
    struct corset_node *busy_node;
    const enum corset_checksum by_spec = CORSET_BY_SPEC;
    corset_object_set_string(busy, "metadata.name", corset_run_name(run, "busy"));
    const struct corset_node_options controller = {.object = busy, .check = corset_check_always};
    CORSET_TRY(corset_graph_add(graph, &controller, &busy_node));
    const struct corset_node_options behind = {.object = make_config(run, "behind"),
                                               .blockers = &busy_node,
                                               .blocker_count = 1,
                                               .checksums = &by_spec};
    CORSET_TRY(corset_graph_add(graph, &behind, NULL));

    /* One for each name; those of names that are gone are pruned. */
    for (size_t i = 0; i < corset_object_count(thing, "spec.names"); i++) {
        const char *path = corset_run_print(run, "spec.names.%zu", i);
        const char *name = corset_object_string(thing, path, "");
        CORSET_TRY(corset_graph_manage(graph, make_config(run, name), NULL, NULL, NULL));
    }
    if (!corset_object_bool(thing, "spec.broken", false))
        return NULL;
    struct corset_object *broken = make_config(run, "broken");
    corset_object_set_yaml(broken, "data", "[unfinished");
    return corset_graph_manage(graph, broken, NULL, NULL, NULL);
}

static struct corset_error *on_delete(struct corset_run *run)
{
    const char *name = corset_run_name(run, "by-hand");
    const struct corset_object *held;
    struct corset_error *err = corset_get(run, ID(run, "v1", "ConfigMap", "hold"), &held);
    if (!err)
        return corset_retry_later(NULL, "held", 100, "the ConfigMap hold is there");
    if (!corset_error_is(err, "NotFound"))
        return err;
    corset_error_free(err);
    corset_run_event(run, CORSET_EVENT_WARNING, "Deleting", "Delete", "%s goes", name);
    CORSET_TRY(corset_delete(run, ID(run, "v1", "Secret", name)));
    return corset_delete(run, ID(run, "v1", "Secret", name)); /* gone is gone */
}

static void on_finish(struct corset_run *run, const struct corset_graph *graph)
{
    const struct tally *tally = corset_run_data(run);
    size_t skipped = 0, failed = 0;
    for (size_t i = 0; i < corset_graph_count(graph); i++) {
        const struct corset_node *node = corset_graph_at(graph, i);
        skipped += corset_node_state(node) == CORSET_NODE_SKIPPED;
        failed += corset_node_state(node) == CORSET_NODE_FAILED && corset_node_error(node);
    }
    corset_run_set_condition(run, "Counted", corset_run_error(run) ? "False" : "True", "Counted",
                             corset_run_print(run, "%zu secrets, %zu skipped, %zu failed",
                                              tally->count, skipped, failed));
}

static enum corset_precheck_result precheck(struct corset_run *run)
{
    if (!corset_object_bool(corset_run_owner(run), "spec.paused", false))
        return CORSET_CONTINUE;
    corset_run_set_condition(run, "Paused", "True", "Asked", NULL);
    return CORSET_STOP;
}

static bool filter_poked(void *data, const struct corset_object *old,
                         const struct corset_object *now)
{
    (void)data;
    return !old || !now ||
           strcmp(corset_object_label(old, "poke"), corset_object_label(now, "poke")) != 0;
}

static void map_poke(void *data, const struct corset_object *object, struct corset_keys *keys)
{
    (void)data;
    if (strlen(corset_object_label(object, "poke")) > 0)
        corset_keys_add(keys, corset_object_namespace(object), corset_object_label(object, "poke"));
}

int main(int argc, char **argv)
{
    static struct tally tally;
    static const struct corset_watch watches[] = {
        {.api_version = "v1",  .kind = "ConfigMap"},
        {                       .api_version = "v1", .kind = "ConfigMap",     .map = map_poke, .filter = filter_poked},
        { .api_version = "v1",  .kind = "Namespace", .map = map_poke},
    };
    static const struct corset_controller controller = {
        .name = "thing",
        .api_version = "test.corset.dev/v1",
        .kind = "Thing",
        .domain = "test.corset.dev",
        .class_name = "tested",
        .finalizer = "test.corset.dev/thing",
        .flags = CORSET_PRUNE | CORSET_STANDARD_CONDITIONS | CORSET_NO_OPERATOR_STATUS,
        .watches = watches,
        .watch_count = sizeof(watches) / sizeof(watches[0]),
        .build = build,
        .precheck = precheck,
        .on_delete = on_delete,
        .on_finish = on_finish,
        .data = &tally,
    };
    const struct corset_controller *controllers[] = {&controller};
    return corset_main(
        argc, argv,
        &(struct corset_manager_options){.controllers = controllers, .controller_count = 1});
}
