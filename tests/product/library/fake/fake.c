/*
 * The fake world of corset/fake.h, as an author uses it: public headers alone. Each test has a
 * world and a controller of its own.
 */
#include <corset/fake.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(bool holds, const char *text, int line)
{
    if (holds)
        return;
    fprintf(stderr, "FAIL  fake.c:%d: %s\n", line, text);
    abort();
}

static void check_fine(struct corset_error *err)
{
    if (!err)
        return;
    fprintf(stderr, "FAIL  %s: %s\n", corset_error_code(err), corset_error_message(err));
    abort();
}

/* Frees the error. */
static void check_code(struct corset_error *err, const char *code)
{
    if (!corset_error_is(err, code)) {
        fprintf(stderr, "FAIL  %s is not %s: %s\n", err ? corset_error_code(err) : "success", code,
                err ? corset_error_message(err) : "");
        abort();
    }
    corset_error_free(err);
}

static bool is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

static const char note_crd[] =
    "apiVersion: apiextensions.k8s.io/v1\n"
    "kind: CustomResourceDefinition\n"
    "metadata: {name: notes.example.com}\n"
    "spec:\n"
    "  group: example.com\n"
    "  scope: Namespaced\n"
    "  names: {kind: Note, plural: notes}\n"
    "  versions:\n"
    "  - {name: v1, served: true, storage: true, subresources: {status: {}}}\n"
    "  - {name: v1beta1, served: true, storage: false, subresources: {status: {}}}\n"
    "  - {name: v1alpha1, served: false, storage: false}\n";

static const char note[] = "apiVersion: example.com/v1\n"
                           "kind: Note\n"
                           "metadata: {namespace: default, name: a}\n"
                           "spec: {text: hello}\n";

static const struct corset_id note_id = {"example.com/v1", "Note", "default", "a"};
static const struct corset_id cluster_id = {"cluster.x-k8s.io/v1beta2", "Cluster", "default", "c"};
static const char cluster_text[] = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster,"
                                   " metadata: {namespace: default, name: c}}";

/* ---- The graph: what the library writes by itself. ---- */

static struct corset_error *build_page(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_object *owner = corset_run_owner(run);
    struct corset_object *page = corset_object_from_yaml(run, "{apiVersion: v1, kind: ConfigMap}");
    corset_object_set_string(page, "metadata.name", corset_run_name(run, NULL));
    corset_object_copy(page, "data.text", owner, "spec.text");
    corset_object_copy(page, "data.more", owner, "spec.more");
    corset_run_event(run, CORSET_EVENT_NORMAL, "Seen", "Look", "a note");
    return corset_graph_manage(graph, page, NULL, NULL, NULL);
}

static struct corset_error *say_goodbye(struct corset_run *run)
{
    return corset_create(run,
                         corset_object_from_yaml(run, "{apiVersion: v1, kind: ConfigMap, metadata:"
                                                      " {namespace: default, name: goodbye}}"),
                         NULL);
}

static const struct corset_watch page_watches[] = {
    {.api_version = "v1", .kind = "ConfigMap"},
};
static const struct corset_controller page_controller = {
    .name = "page",
    .api_version = "example.com/v1",
    .kind = "Note",
    .watches = page_watches,
    .watch_count = 1,
    .finalizer = "example.com/page",
    .build = build_page,
    .on_delete = say_goodbye,
};

static void run_note(struct corset_fake *fake, const struct corset_controller *controller)
{
    check_fine(corset_fake_run(fake, controller, "default", "a", NULL));
}

static void a_graph_is_applied_and_cleaned_up(void)
{
    static const struct corset_id page_id = {"v1", "ConfigMap", "default", "a-page"};
    static const struct corset_id goodbye_id = {"v1", "ConfigMap", "default", "goodbye"};
    static const struct corset_id events_id = {"events.k8s.io/v1", "Event", NULL, NULL};
    struct corset_fake *fake = corset_fake_new(NULL);
    struct corset_fake_api *api = corset_fake_management(fake);
    check_code(corset_fake_put_yaml(api, note), "NotFound"); /* its kind */
    check_fine(corset_fake_put_yaml(api, note_crd));
    check_fine(corset_fake_put_yaml(api, note));
    run_note(fake, &page_controller); /* adds the finalizer, whose event starts the next run */
    CHECK(corset_fake_count(api, &page_id) == 0);
    CHECK(corset_fake_writes(api) == 1);
    run_note(fake, &page_controller);
    CHECK(is(corset_object_string(corset_fake_get(api, &page_id), "data.text", ""), "hello"));
    const struct corset_object *seen = corset_fake_get(api, &note_id);
    CHECK(is(corset_object_condition(seen, "InProgress"), "False"));
    CHECK(is(corset_object_condition(seen, "Failed"), "False"));
    CHECK(corset_object_int(seen, "status.observedGeneration", 0) == 1);
    CHECK(corset_fake_count(api, &events_id) == 1);
    CHECK(is(corset_object_string(corset_fake_at(api, &events_id, 0), "reason", ""), "Seen"));

    /* Another text is another generation; what the controller does not apply any more goes. */
    struct corset_object *changed = corset_object_clone(NULL, seen);
    corset_object_set_string(changed, "spec.text", "again");
    corset_object_set_string(changed, "spec.more", "much");
    check_fine(corset_fake_put(api, changed));
    run_note(fake, &page_controller);
    CHECK(is(corset_object_string(corset_fake_get(api, &page_id), "data.more", ""), "much"));
    corset_object_free(changed);
    changed = corset_object_clone(NULL, corset_fake_get(api, &note_id));
    corset_object_remove(changed, "spec.more");
    check_fine(corset_fake_put(api, changed));
    corset_object_free(changed);
    CHECK(corset_object_int(corset_fake_get(api, &note_id), "metadata.generation", 0) == 3);
    run_note(fake, &page_controller);
    CHECK(is(corset_object_string(corset_fake_get(api, &page_id), "data.text", ""), "again"));
    CHECK(!corset_object_has(corset_fake_get(api, &page_id), "data.more"));

    check_fine(corset_fake_delete(api, &note_id));
    CHECK(corset_object_has(corset_fake_get(api, &note_id), "metadata.deletionTimestamp"));
    run_note(fake, &page_controller);
    CHECK(!corset_fake_get(api, &note_id));
    CHECK(corset_fake_get(api, &goodbye_id));
    CHECK(corset_fake_get(api, &page_id)); /* nobody collects garbage */
    run_note(fake, &page_controller);      /* nothing to do for an owner that is gone */
    check_code(corset_fake_delete(api, &note_id), "NotFound");
    corset_fake_free(fake);
}

/* ---- Requests: what a server answers. ---- */

static struct corset_error *nothing_to_build(struct corset_run *run, struct corset_graph *graph);

static const struct corset_controller request_controller = {
    .name = "requests",
    .api_version = "example.com/v1",
    .kind = "Note",
    .flags = CORSET_NO_STATUS,
    .build = nothing_to_build,
};

static struct corset_error *count_one(void *data, const struct corset_object *object)
{
    size_t *count = data;
    (void)object;
    ++*count;
    return NULL;
}

static void check_labels(struct corset_run *run)
{
    const struct corset_id maps = {"v1", "ConfigMap", "default", NULL};
    size_t all = 0, some = 0, other = 0;
    check_fine(corset_list(run, &maps, NULL, count_one, &all));
    check_fine(corset_list(run, &maps, "app in (x),tier", count_one, &some));
    check_fine(corset_list(run, &maps, "app!=x", count_one, &other));
    CHECK(all == 2 && some == 1 && other == 1);
}

static long version_of(const struct corset_object *object)
{
    return strtol(corset_object_string(object, "metadata.resourceVersion", ""), NULL, 10);
}

static void check_patches(struct corset_run *run)
{
    const struct corset_id id = {"v1", "ConfigMap", "default", "m"};
    const struct corset_object *before, *same, *after;
    check_fine(corset_get(run, &id, &before));
    check_fine(corset_patch(run, &id, NULL, "data: {a: '1', list: null}", &after));
    CHECK(is(corset_object_json(after, "data"), "{\"a\":\"1\"}"));
    CHECK(version_of(after) > version_of(before));
    check_fine(corset_patch(run, &id, NULL, "data: {a: '1'}", &same));
    CHECK(is(corset_object_string(same, "metadata.resourceVersion", ""),
             corset_object_string(after, "metadata.resourceVersion", "?")));
    check_code(
        corset_patch(run, &id, NULL,
                     corset_run_print(run, "metadata: {resourceVersion: '%s'}",
                                      corset_object_string(before, "metadata.resourceVersion", "")),
                     NULL),
        "Conflict");
    check_code(corset_patch(run, &id, "status", "status: {}", NULL), "NotFound");
}

/* A request writes the status or the rest. */
static void check_status(struct corset_run *run)
{
    const struct corset_object *seen;
    check_fine(corset_patch(run, &note_id, "status", "{spec: {text: no}, status: {a: 1}}", &seen));
    CHECK(is(corset_object_string(seen, "spec.text", ""), "hello"));
    CHECK(corset_object_int(seen, "status.a", 0) == 1);
    check_fine(corset_patch(run, &note_id, NULL, "{spec: {text: yes}, status: {a: 2}}", &seen));
    CHECK(corset_object_bool(seen, "spec.text", false));
    CHECK(corset_object_int(seen, "status.a", 0) == 1);
    CHECK(corset_object_int(seen, "metadata.generation", 0) == 2);
}

static void check_creation(struct corset_run *run)
{
    struct corset_object *map = corset_object_from_yaml(
        run, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: m,"
             " labels: {app: x, tier: web}}, data: {list: z}}");
    struct corset_object *drawn = corset_object_from_yaml(
        run, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default,"
             " generateName: drawn-}}");
    const struct corset_object *made;
    check_fine(corset_create(run, map, &made));
    CHECK(strlen(corset_object_uid(made)) == 36);
    check_code(corset_create(run, map, NULL), "AlreadyExists");
    check_fine(corset_create(run, drawn, &made));
    CHECK(strncmp(corset_object_name(made), "drawn-", 6) == 0);
    corset_object_remove(map, "metadata.namespace");
    check_code(corset_create(run, map, NULL), "BadRequest");
}

static struct corset_error *make_requests(void *data, struct corset_run *run,
                                          enum corset_outcome *ret_outcome)
{
    const struct corset_id other = {"v1", "ConfigMap", "default", "other"};
    const struct corset_id unknown = {"example.com/v1", "Picture", "default", "a"};
    const struct corset_id old_note = {"example.com/v1beta1", "Note", "default", "a"};
    const struct corset_object *seen;
    (void)data;
    check_code(corset_get(run, &other, &seen), "NotFound");
    check_fine(corset_delete(run, &other));
    struct corset_error *err = corset_get(run, &unknown, &seen);
    CHECK(err && strstr(corset_error_message(err), "no matches for kind"));
    corset_error_free(err);
    check_fine(corset_get(run, &old_note, &seen));
    CHECK(is(corset_object_api_version(seen), "example.com/v1beta1"));
    check_creation(run);
    check_labels(run);
    check_patches(run);
    check_status(run);
    *ret_outcome = CORSET_DONE;
    return NULL;
}

static struct corset_error *nothing_to_build(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_node_options options = {.kind = CORSET_CUSTOM, .run = make_requests};
    (void)run;
    return corset_graph_add(graph, &options, NULL);
}

static void requests_are_answered_as_by_a_server(void)
{
    struct corset_fake *fake = corset_fake_new(NULL);
    struct corset_fake_api *api = corset_fake_management(fake);
    check_fine(corset_fake_put_yaml(api, note_crd));
    check_fine(corset_fake_put_yaml(api, note));
    run_note(fake, &request_controller);
    const struct corset_id maps = {"v1", "ConfigMap", "default", NULL};
    const struct corset_id elsewhere = {"v1", "ConfigMap", "other", NULL};
    CHECK(corset_fake_count(api, &maps) == 2);
    CHECK(corset_fake_count(api, &elsewhere) == 0);
    CHECK(!corset_fake_at(api, &maps, 2));
    CHECK(corset_fake_writes(api) == 6);
    corset_fake_free(fake);
}

/* ---- Errors of a run. ---- */

static struct corset_error *fail_to_build(struct corset_run *run, struct corset_graph *graph)
{
    const char *how = corset_object_string(corset_run_owner(run), "spec.text", "");
    (void)graph;
    if (is(how, "later"))
        return corset_retry_later(NULL, NULL, 5000, "not yet");
    if (is(how, "never"))
        return corset_unrecoverable(NULL, "invalidSpec", "no");
    return corset_error_new("broken");
}

static void errors_and_retries_are_told(void)
{
    static const struct corset_controller failing = {
        .name = "fails", .api_version = "example.com/v1", .kind = "Note", .build = fail_to_build};
    static const struct corset_controller nameless = {.build = fail_to_build};
    struct corset_fake *fake = corset_fake_new(NULL);
    struct corset_fake_api *api = corset_fake_management(fake);
    struct corset_fake_result result;
    struct corset_object *given = corset_object_from_yaml(NULL, note);
    check_fine(corset_fake_put_yaml(api, note_crd));
    corset_object_set_string(given, "spec.text", "later");
    check_fine(corset_fake_put(api, given));
    check_fine(corset_fake_run(fake, &failing, "default", "a", &result));
    CHECK(result.is_again && result.after_ms == 5000);
    corset_object_set_string(given, "spec.text", "never");
    check_fine(corset_fake_put(api, given));
    struct corset_error *err = corset_fake_run(fake, &failing, "default", "a", &result);
    CHECK(corset_error_class(err) == CORSET_UNRECOVERABLE && !result.is_again);
    corset_error_free(err);
    CHECK(is(corset_object_condition(corset_fake_get(api, &note_id), "Failed"), "True"));
    corset_object_set_string(given, "spec.text", "now");
    check_fine(corset_fake_put(api, given));
    err = corset_fake_run(fake, &failing, "default", "a", &result);
    CHECK(err && result.is_again && result.after_ms == 0);
    corset_error_free(err);
    check_code(corset_fake_run(fake, &nameless, "default", "a", NULL), "Invalid");
    corset_object_free(given);
    given = corset_object_from_yaml(NULL, "{apiVersion: v1");
    check_code(corset_fake_put(api, given), "Parse");
    corset_object_free(given);
    check_code(corset_fake_put_file(api, "/nonexistent"), "NotFound");
    corset_fake_free(fake);
}

/* ---- Workload clusters. ---- */

static void read_app(void *data, const struct corset_object *object, struct corset_values *values)
{
    (void)data;
    corset_values_add(values, corset_object_label(object, "app"));
}

static void drop_data(void *data, struct corset_object *object)
{
    (void)data;
    corset_object_remove(object, "data.large");
}

static const struct corset_cluster_index indexes[] = {
    {.api_version = "v1", .kind = "ConfigMap", .name = "app", .values = read_app},
};
static const struct corset_cluster_cache caches[] = {
    {.api_version = "v1",
     .kind = "Service",
     .name_space = "kube-system",
     .label_selector = "app=x"},
    {.api_version = "v1",                   .kind = "Pod", .field_selector = "metadata.name=one"},
};
static const struct corset_cluster_kind uncached[] = {
    {"v1", "Secret"}
};
static const struct corset_clusters_options clusters_options = {.indexes = indexes,
                                                                .index_count = 1,
                                                                .caches = caches,
                                                                .cache_count = 2,
                                                                .uncached = uncached,
                                                                .uncached_count = 1,
                                                                .transform = drop_data};

/* What the tests of clusters begin with. */
static const char cluster_objects[] =
    "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: kube-system, name: one,"
    " labels: {app: x}}, data: {large: '1', small: '2'}}\n"
    "---\n"
    "{apiVersion: v1, kind: Service, metadata: {namespace: kube-system, name: one,"
    " labels: {app: x}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Service, metadata: {namespace: kube-system, name: two}}\n"
    "---\n"
    "{apiVersion: v1, kind: Service, metadata: {namespace: default, name: one,"
    " labels: {app: x}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: one}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: two}}\n";

/* From a ConfigMap of any cluster to the Cluster that its label names. */
static void map_label(void *data, const char *cluster_namespace, const char *cluster_name,
                      const struct corset_object *object, struct corset_keys *keys)
{
    (void)data;
    (void)cluster_name;
    corset_keys_add(keys, cluster_namespace, corset_object_label(object, "for"));
}

static const struct corset_cluster_watch map_watch = {
    .name = "maps", .api_version = "v1", .kind = "ConfigMap", .map = map_label};

static struct corset_error *take_answer(void *data, const struct corset_answer *answer)
{
    CHECK(answer->status == 200 && strstr(answer->body, "ConfigMapList"));
    return count_one(data, NULL);
}

static void check_everywhere(struct corset_run *run)
{
    const struct corset_question question = {.path = "/api/v1/configmaps"};
    struct corset_summary summary;
    size_t answers = 0;
    check_fine(corset_clusters_each(run, &question, take_answer, &answers, &summary));
    CHECK(answers == 1 && summary.asked == 2 && summary.unanswered_count == 1);
    CHECK(is(summary.unanswered[0].cluster_name, "lost"));
}

static void check_not_connected(struct corset_run *run)
{
    struct corset_cluster *cluster;
    const char *pem;
    check_code(corset_cluster_client(run, "default", "lost", &cluster), CORSET_NOT_CONNECTED);
    check_code(corset_cluster_client(run, "default", "nowhere", &cluster), CORSET_NOT_CONNECTED);
    check_code(corset_cluster_watch(run, "default", "lost", &map_watch), CORSET_NOT_CONNECTED);
    CHECK(corset_cluster_health(run, "default", "lost").failures == 7);
    CHECK(corset_cluster_health(run, "default", "lost").last_success_ms == 2000);
    CHECK(corset_cluster_health(run, "default", "nowhere").last_probe_ms == 0);
    CHECK(corset_cluster_health(run, "default", "c").last_success_ms > 0);
    check_fine(corset_cluster_private_key(run, "default", "lost", &pem));
    CHECK(is(pem, ""));
    check_code(corset_cluster_private_key(run, "default", "nowhere", &pem), "NotFound");
}

static void check_reads(struct corset_cluster *cached, struct corset_cluster *live)
{
    const struct corset_id id = {"v1", "ConfigMap", "kube-system", "one"};
    const struct corset_id missing = {"v1", "ConfigMap", "kube-system", "none"};
    const struct corset_object *seen;
    size_t count = 0;
    check_fine(corset_cluster_get(cached, &id, &seen));
    CHECK(!corset_object_has(seen, "data.large")); /* removed before it was kept */
    check_fine(corset_cluster_get(live, &id, &seen));
    CHECK(corset_object_has(seen, "data.large"));
    check_code(corset_cluster_get(cached, &missing, &seen), "NotFound");
    check_code(corset_cluster_get(live, &missing, &seen), "NotFound");
    check_fine(corset_cluster_list_indexed(cached, &id, "app", "x", count_one, &count));
    CHECK(count == 1);
}

/* What memory holds of a kind is said by the options. */
static void check_selectors(struct corset_cluster *cached, struct corset_cluster *live)
{
    const struct corset_id services = {"v1", "Service", NULL, NULL};
    const struct corset_id pods = {"v1", "Pod", NULL, NULL};
    size_t kept = 0, all = 0, kept_pods = 0;
    check_fine(corset_cluster_list(cached, &services, count_one, &kept));
    check_fine(corset_cluster_list(live, &services, count_one, &all));
    check_fine(corset_cluster_list(cached, &pods, count_one, &kept_pods));
    CHECK(kept == 1 && all == 3 && kept_pods == 1);
}

/* A kind that is not kept is there as soon as it is written. */
static void check_uncached(struct corset_run *run, struct corset_cluster *cluster)
{
    const struct corset_id id = {"v1", "Secret", "default", "s"};
    const struct corset_object *seen;
    check_fine(corset_cluster_create(
        cluster,
        corset_object_from_yaml(run, "{apiVersion: v1, kind: Secret, metadata: {namespace: default,"
                                     " name: s}}"),
        NULL));
    check_fine(corset_cluster_get(cluster, &id, &seen));
}

/* What is written in a run is read in it, from memory as soon as the watch has brought it. */
static void check_writes(struct corset_run *run, struct corset_cluster *cluster)
{
    const struct corset_id id = {"v1", "ConfigMap", "default", "made"};
    const struct corset_id small = {"v1", "ConfigMap", "default", "small"};
    struct corset_object *made = corset_object_from_yaml(
        run, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: made},"
             " data: {a: b}}");
    const struct corset_object *seen;
    struct corset_error *err;
    check_fine(corset_cluster_apply(cluster, made, NULL));
    while ((err = corset_cluster_get(cluster, &id, &seen)) && corset_error_is(err, "NotFound")) {
        corset_error_free(err);
        check_fine(corset_cluster_delete(cluster, &small)); /* waits */
    }
    check_fine(err);
    corset_object_set_string(made, "metadata.name", "small");
    check_fine(corset_cluster_create(cluster, made, NULL));
    check_code(corset_cluster_create(cluster, made, NULL), "AlreadyExists");
    check_fine(corset_cluster_patch(cluster, &small, NULL, "data: {a: c}", NULL));
    check_fine(corset_cluster_delete(cluster, &id));
}

static struct corset_error *use_clusters(void *data, struct corset_run *run,
                                         enum corset_outcome *ret_outcome)
{
    struct corset_cluster *cached, *live;
    struct corset_rest_config config;
    (void)data;
    check_fine(corset_cluster_client(run, "default", "c", &cached));
    check_fine(corset_cluster_uncached_client(run, "default", "c", &live));
    check_fine(corset_cluster_rest_config(run, "default", "c", &config));
    CHECK(strncmp(config.host, "http://", 7) == 0 && strstr(config.kubeconfig, config.host));
    CHECK(corset_cluster_is_connected(cached));
    check_not_connected(run);
    check_reads(cached, live);
    check_selectors(cached, live);
    check_uncached(run, cached);
    check_writes(run, cached);
    check_everywhere(run);
    check_fine(corset_cluster_watch(run, "default", "c", &map_watch));
    *ret_outcome = CORSET_DONE;
    return NULL;
}

static struct corset_error *build_clusters(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_node_options options = {.kind = CORSET_CUSTOM, .run = use_clusters};
    (void)run;
    return corset_graph_add(graph, &options, NULL);
}

static void map_cluster(void *data, const struct corset_object *cluster, struct corset_keys *keys)
{
    (void)data;
    corset_keys_add(keys, corset_object_namespace(cluster), corset_object_name(cluster));
    corset_keys_add(keys, corset_object_namespace(cluster), "all");
}

static const struct corset_cluster_source source = {.map = map_cluster};
static const struct corset_controller cluster_controller = {
    .name = "clusters",
    .api_version = "cluster.x-k8s.io/v1beta2",
    .kind = "Cluster",
    .flags = CORSET_NO_STATUS,
    .cluster_source = &source,
    .build = build_clusters,
};

static void clusters_are_read_and_written(void)
{
    const struct corset_id made = {"v1", "ConfigMap", "default", "small"};
    const struct corset_cluster_health health = {3000, 2000, 7};
    struct corset_fake *fake = corset_fake_new(&clusters_options);
    struct corset_fake_api *c = corset_fake_cluster(fake, "default", "c");
    struct corset_fake_api *lost = corset_fake_cluster(fake, "default", "lost");
    corset_fake_set_link(lost, CORSET_FAKE_DISCONNECTED);
    corset_fake_set_health(lost, &health);
    corset_fake_set_link(corset_fake_cluster(fake, "default", "nowhere"), CORSET_FAKE_UNKNOWN);
    CHECK(corset_fake_cluster(fake, "default", "c") == c);
    check_fine(corset_fake_put_yaml(corset_fake_management(fake), cluster_text));
    check_fine(corset_fake_put_yaml(c, cluster_objects));
    check_fine(corset_fake_run(fake, &cluster_controller, "default", "c", NULL));
    CHECK(is(corset_object_string(corset_fake_get(c, &made), "data.a", ""), "c"));
    CHECK(corset_fake_writes(c) == 5);
    CHECK(corset_fake_writes(corset_fake_management(fake)) == 0);
    corset_fake_free(fake);
}

static void events_lead_to_owners(void)
{
    struct corset_fake *fake = corset_fake_new(&clusters_options);
    struct corset_fake_api *lost = corset_fake_cluster(fake, "default", "lost");
    struct corset_object *map = corset_object_from_yaml(
        NULL, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: m,"
              " labels: {for: b}}}");
    struct corset_object *before = corset_object_clone(NULL, map);
    struct corset_object *pod = corset_object_from_yaml(
        NULL, "{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: p}}");
    const struct corset_fake_event of_map = {"default", "c", before, map};
    const struct corset_fake_event of_pod = {"default", "c", NULL, pod};
    const struct corset_fake_event connected = {"default", "c", NULL, NULL};
    const struct corset_fake_event of_nobody = {"default", "x", NULL, NULL};
    const struct corset_cluster_health health = {3000, 2000, 7};
    corset_object_set_label(before, "for", "a");
    corset_fake_set_link(lost, CORSET_FAKE_DISCONNECTED);
    corset_fake_set_health(lost, &health);
    check_fine(corset_fake_put_yaml(corset_fake_management(fake), cluster_text));
    CHECK(!corset_fake_owners(fake, &cluster_controller, &of_map)); /* asked for by no run yet */
    check_fine(corset_fake_put_yaml(corset_fake_cluster(fake, "default", "c"), cluster_objects));
    check_fine(corset_fake_run(fake, &cluster_controller, "default", "c", NULL));
    CHECK(is(corset_fake_owners(fake, &cluster_controller, &of_map), "default/a default/b"));
    CHECK(!corset_fake_owners(fake, &cluster_controller, &of_pod));
    CHECK(is(corset_fake_owners(fake, &cluster_controller, &connected), "default/c default/all"));
    CHECK(!corset_fake_owners(fake, &cluster_controller, &of_nobody));
    CHECK(!corset_fake_owners(fake, &page_controller, &connected));
    CHECK(corset_fake_get(corset_fake_management(fake), &cluster_id));
    corset_object_free(map);
    corset_object_free(before);
    corset_object_free(pod);
    corset_fake_free(fake);
}

/* As in a process: without options and watches there are no connections. */
static struct corset_error *build_without(struct corset_run *run, struct corset_graph *graph)
{
    struct corset_cluster *cluster;
    (void)graph;
    return corset_cluster_client(run, "default", "c", &cluster);
}

static void a_process_without_clusters_has_none(void)
{
    static const struct corset_controller without = {.name = "without",
                                                     .api_version = "cluster.x-k8s.io/v1beta2",
                                                     .kind = "Cluster",
                                                     .flags = CORSET_NO_STATUS,
                                                     .build = build_without};
    static const struct corset_clusters_options keys = {.private_keys = true};
    struct corset_fake *fake = corset_fake_new(NULL);
    check_fine(corset_fake_put_yaml(corset_fake_management(fake), cluster_text));
    check_code(corset_fake_run(fake, &without, "default", "c", NULL), "Invalid");
    corset_fake_free(fake);
    fake = corset_fake_new(&keys);
    check_fine(corset_fake_put_yaml(corset_fake_management(fake), cluster_text));
    struct corset_error *err = corset_fake_run(fake, &without, "default", "c", NULL);
    CHECK(err && strstr(corset_error_message(err), "no private keys"));
    corset_error_free(err);
    corset_fake_free(fake);
    corset_fake_free(NULL);
}

int main(void)
{
    a_graph_is_applied_and_cleaned_up();
    requests_are_answered_as_by_a_server();
    errors_and_retries_are_told();
    clusters_are_read_and_written();
    events_lead_to_owners();
    a_process_without_clusters_has_none();
    return 0;
}
