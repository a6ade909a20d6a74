/*
 * A controller of Clusters that uses all of corset/clusters.h and writes what it sees into
 * annotations of the Cluster. Public headers alone; ../clusters_test.c runs it.
 */
#include <corset/corset.h>
#include <string.h>

#define NAMESPACE(run) corset_object_namespace(corset_run_owner(run))
#define NAME(run)      corset_object_name(corset_run_owner(run))

static const struct corset_id nodes = {"v1", "Node", NULL, NULL};
static const struct corset_id mirror = {"v1", "ConfigMap", "default", "mirror"};
static bool was_probed;

/* Annotations that are there already are not written again. */
static struct corset_error *report(struct corset_run *run, const char *key, const char *text)
{
    const struct corset_object *owner = corset_run_owner(run);
    const struct corset_id id = {corset_object_api_version(owner), corset_object_kind(owner),
                                 NAMESPACE(run), NAME(run)};
    if (strcmp(corset_object_annotation(owner, key), text) == 0)
        return NULL;
    return corset_patch(run, &id, NULL,
                        corset_run_print(run, "metadata: {annotations: {%s: \"%s\"}}", key, text),
                        NULL);
}

/* Of objects in memory, which the transform has made smaller. */
static struct corset_error *count(void *data, const struct corset_object *object)
{
    size_t *seen = data;
    if (corset_object_has(object, "metadata.managedFields") || corset_object_has(object, "status"))
        return corset_error_new("%s was kept whole", corset_object_name(object));
    (*seen)++;
    return NULL;
}

static struct corset_error *count_live(void *data, const struct corset_object *object)
{
    size_t *seen = data;
    *seen += strcmp(corset_object_name(object), "mirror") == 0;
    return NULL;
}

static struct corset_error *refuse(void *data, const struct corset_object *object)
{
    (void)data, (void)object;
    return corset_error_new("enough");
}

/* Reads from memory: lists, one object, an index, and lists that end early. */
static struct corset_error *read_nodes(struct corset_run *run)
{
    const struct corset_cluster *cluster;
    size_t all = 0, indexed = 0;
    const struct corset_id absent = {"v1", "Node", NULL, "absent"};
    CORSET_TRY(corset_cluster_reader(run, NAMESPACE(run), NAME(run), &cluster));
    CORSET_TRY(corset_cluster_list(cluster, &nodes, count, &all));
    CORSET_TRY(corset_cluster_list_indexed(cluster, &nodes, "zone", "a", count, &indexed));
    struct corset_error *err = corset_cluster_get(cluster, &absent, NULL);
    if (!corset_error_is(err, "NotFound"))
        return corset_error_new("an absent Node was found");
    corset_error_free(err);
    if (all > 0) {
        err = corset_cluster_list(cluster, &nodes, refuse, NULL);
        if (!err || !strstr(corset_error_message(err), "enough"))
            return corset_error_new("the error of a visit was lost");
        corset_error_free(err);
    }
    if (strcmp(corset_cluster_name(cluster), NAME(run)) != 0 ||
        strcmp(corset_cluster_namespace(cluster), NAMESPACE(run)) != 0 ||
        !corset_cluster_is_connected(cluster))
        return corset_error_new("another cluster");
    CORSET_TRY(report(run, "nodes", corset_run_print(run, "%zu", all)));
    return report(run, "zone-a", corset_run_print(run, "%zu", indexed));
}

/* Writes: made, changed, read from the server, deleted. */
static struct corset_error *write_mirror(struct corset_run *run)
{
    struct corset_cluster *cluster, *live;
    const struct corset_object *seen;
    const struct corset_id brief = {"v1", "ConfigMap", "default", "brief"};
    struct corset_object *wanted = corset_object_from_yaml(
        run, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: mirror}}");
    struct corset_object *other = corset_object_from_yaml(
        run, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: brief}}");
    corset_object_set_string(wanted, "data.cluster", NAME(run));
    CORSET_TRY(corset_cluster_client(run, NAMESPACE(run), NAME(run), &cluster));
    CORSET_TRY(corset_cluster_uncached_client(run, NAMESPACE(run), NAME(run), &live));
    CORSET_TRY(corset_cluster_apply(cluster, wanted, NULL));
    CORSET_TRY(corset_cluster_patch(cluster, &mirror, NULL, "data: {seen: \"yes\"}", NULL));
    CORSET_TRY(corset_cluster_delete(cluster, &brief));
    CORSET_TRY(corset_cluster_create(cluster, other, NULL));
    CORSET_TRY(corset_cluster_get(live, &mirror, &seen));
    CORSET_TRY(corset_cluster_delete(cluster, &brief));
    size_t configs = 0;
    const struct corset_id in_default = {"v1", "ConfigMap", "default", NULL};
    CORSET_TRY(corset_cluster_list(live, &in_default, count_live, &configs));
    if (configs != 1)
        return corset_error_new("%zu mirrors", configs);
    return report(run, "mirror", corset_object_string(seen, "data.cluster", "lost"));
}

/* Secrets are seen, not shown. */
static struct corset_error *look_around(struct corset_run *run)
{
    struct corset_rest_config config;
    const char *pem;
    const struct corset_cluster_health health =
        corset_cluster_health(run, NAMESPACE(run), NAME(run));
    CORSET_TRY(corset_cluster_rest_config(run, NAMESPACE(run), NAME(run), &config));
    CORSET_TRY(corset_cluster_private_key(run, NAMESPACE(run), NAME(run), &pem));
    const bool is_whole = strstr(config.host, NAME(run)) &&
                          strstr(config.kubeconfig, config.host) &&
                          strstr(config.kubeconfig, "certificate-authority-data") &&
                          strstr(config.kubeconfig, "token: ");
    CORSET_TRY(report(run, "config", is_whole ? "whole" : "partial"));
    CORSET_TRY(report(run, "key", strncmp(pem, "-----BEGIN", 10) == 0 ? "pem" : "none"));
    return report(run, "health",
                  health.last_success_ms > 0 && health.failures == 0 ? "good" : "bad");
}

static void map_config(void *data, const char *cluster_namespace, const char *cluster_name,
                       const struct corset_object *object, struct corset_keys *keys)
{
    (void)data;
    if (strcmp(corset_object_name(object), "note") == 0)
        corset_keys_add(keys, cluster_namespace, cluster_name);
}

static const struct corset_cluster_watch by_name = {
    .name = "configs", .api_version = "v1", .kind = "ConfigMap", .map = map_config};

/* A ConfigMap "note" of the cluster is copied; its kind is not watched before the first run. */
static struct corset_error *copy_note(struct corset_run *run)
{
    struct corset_cluster *live;
    const struct corset_object *note;
    const struct corset_id id = {"v1", "ConfigMap", "default", "note"};
    CORSET_TRY(corset_cluster_watch(run, NAMESPACE(run), NAME(run), &by_name));
    CORSET_TRY(corset_cluster_uncached_client(run, NAMESPACE(run), NAME(run), &live));
    struct corset_error *err = corset_cluster_get(live, &id, &note);
    if (corset_error_is(err, "NotFound")) {
        corset_error_free(err);
        return report(run, "note", "none");
    }
    CORSET_TRY(err);
    return report(run, "note", corset_object_string(note, "data.text", ""));
}

static struct corset_error *count_answer(void *data, const struct corset_answer *answer)
{
    size_t *answers = data;
    if (answer->status != 200 || strlen(answer->body) != answer->body_size ||
        !strstr(answer->body, "\"kind\":\"NamespaceList\"") ||
        strcmp(answer->cluster_namespace, "default") != 0)
        return corset_error_new("%s answers %d", answer->cluster_name, answer->status);
    (*answers)++;
    return NULL;
}

static struct corset_error *refuse_answer(void *data, const struct corset_answer *answer)
{
    (void)data, (void)answer;
    return corset_error_new("enough");
}

/* One question to all clusters, to none, and one that ends early. */
static struct corset_error *ask_everywhere(struct corset_run *run)
{
    const struct corset_question all = {.path = "/api/v1/namespaces"};
    const struct corset_question none = {.path = "/api/v1/namespaces", .cluster_selector = "no=x"};
    struct corset_summary summary;
    size_t answers = 0;
    CORSET_TRY(corset_clusters_each(run, &none, refuse_answer, NULL, &summary));
    if (summary.asked != 0)
        return corset_error_new("%zu clusters were asked", summary.asked);
    struct corset_error *err = corset_clusters_each(run, &all, refuse_answer, NULL, NULL);
    if (!err)
        return corset_error_new("the error of an answer was lost");
    if (!strstr(corset_error_message(err), "enough"))
        return err; /* the process ends meanwhile, say */
    corset_error_free(err);
    CORSET_TRY(corset_clusters_each(run, &all, count_answer, &answers, &summary));
    if (summary.answered != answers || summary.asked != answers + summary.unanswered_count)
        return corset_error_new("the summary is wrong");
    return report(run, "answers", corset_run_print(run, "%zu of %zu", answers, summary.asked));
}

static struct corset_error *work(struct corset_run *run)
{
    CORSET_TRY(read_nodes(run));
    CORSET_TRY(write_mirror(run));
    CORSET_TRY(look_around(run));
    CORSET_TRY(copy_note(run));
    CORSET_TRY(ask_everywhere(run));
    CORSET_TRY(report(run, "probed", was_probed ? "yes" : "no"));
    CORSET_TRY(report(run, "state", "up"));
    /* A probe is no event: until there was one the run is tried again. */
    return was_probed ? NULL : corset_error_new("no cluster was probed yet");
}

static struct corset_error *run_fleet(void *data, struct corset_run *run,
                                      enum corset_outcome *ret_outcome)
{
    (void)data;
    *ret_outcome = CORSET_DONE;
    struct corset_error *err = work(run);
    if (!corset_error_is(err, CORSET_NOT_CONNECTED))
        return err;
    const char *why = corset_run_print(run, "%s", corset_error_message(err));
    corset_error_free(err);
    CORSET_TRY(report(run, "why", why));
    return report(run, "state", "down");
}

static struct corset_error *build(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_node_options node = {.kind = CORSET_CUSTOM, .run = run_fleet};
    (void)run;
    return corset_graph_add(graph, &node, NULL);
}

static void map_cluster(void *data, const struct corset_object *cluster, struct corset_keys *keys)
{
    (void)data;
    corset_keys_add(keys, corset_object_namespace(cluster), corset_object_name(cluster));
}

static bool filter_cluster(void *data, const struct corset_object *cluster)
{
    return strcmp(corset_object_name(cluster), data) != 0;
}

static void index_zone(void *data, const struct corset_object *node, struct corset_values *values)
{
    corset_values_add(values, corset_object_label(node, data));
}

/* What nobody reads is not kept. */
static void drop_status(void *data, struct corset_object *object)
{
    (void)data;
    corset_object_remove(object, "status");
}

static void note_probe(void *data, const char *name_space, const char *name, int64_t late_ms)
{
    (void)data, (void)name_space, (void)name, (void)late_ms;
    was_probed = true;
}

int main(int argc, char **argv)
{
    static char left_out[] = "vc-0003", label[] = "zone";
    static const int64_t outages[] = {60000};
    static const struct corset_cluster_watch watches[] = {
        {.name = "nodes", .api_version = "v1", .kind = "Node"},
    };
    static const struct corset_cluster_source source = {
        .map = map_cluster, .probe_failures_ms = outages, .probe_failure_count = 1};
    static const struct corset_controller controller = {
        .name = "fleet",
        .api_version = "cluster.x-k8s.io/v1beta2",
        .kind = "Cluster",
        .flags = CORSET_NO_STATUS,
        .workers = 4,
        .cluster_watches = watches,
        .cluster_watch_count = 1,
        .cluster_source = &source,
        .build = build,
    };
    static const struct corset_cluster_kind uncached[] = {
        {"v1", "Secret"}
    };
    static const struct corset_cluster_cache caches[] = {
        {.api_version = "v1", .kind = "Node", .transform = drop_status}
    };
    const struct corset_cluster_index indexes[] = {
        {"v1", "Node", "zone", index_zone, label}
    };
    const struct corset_clusters_options clusters = {
        .filter = filter_cluster,
        .filter_data = left_out,
        .private_keys = true,
        .rest_configs = true,
        .uncached = uncached,
        .uncached_count = 1,
        .caches = caches,
        .cache_count = 1,
        .indexes = indexes,
        .index_count = 1,
        .transform = drop_status,
        .retry_ms = 300,
        .probe_ms = 100,
        .probe_timeout_ms = 1000,
        .failure_threshold = 2,
        .on_probe = note_probe,
    };
    const struct corset_controller *controllers[] = {&controller};
    return corset_main(argc, argv,
                       &(struct corset_manager_options){.controllers = controllers,
                                                        .controller_count = 1,
                                                        .clusters = &clusters});
}
