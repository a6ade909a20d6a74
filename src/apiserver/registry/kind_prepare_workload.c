/*
 * Generated fields of Jobs, DaemonSets and StatefulSets.
 */
#include "apiserver/registry/kind_prepare_internal.h"
#include "json/compare.h"

#define UID_LABEL  STR("batch.kubernetes.io/controller-uid")
#define NAME_LABEL STR("batch.kubernetes.io/job-name")

#define GENERATION_ANNOTATION STR("deprecated.daemonset.template.generation")

/*
 * A Job without labels has those of its pods, with those that they get; it got theirs before, if
 * they had any. A label that the pods have already stays, and validation refuses it if it is
 * another one.
 */
static void label_pods(struct prepare *prepare, struct str label, struct str value)
{
    const struct json_value *given = json_path(prepare->object, "spec.template.metadata.labels");
    const struct json_value *own = json_path(prepare->object, "metadata.labels");
    if (json_get(given, label))
        return;
    if (json_count(own) == 0 || json_equal(own, given))
        json_edit_set_str(&prepare->edit, JSON_PLACE_KEY("metadata.labels", label), value);
    json_edit_set_str(&prepare->edit, JSON_PLACE_KEY("spec.template.metadata.labels", label),
                      value);
}

/*
 * The selector of a Job is its uid, and its pods get the uid as a label, unless manualSelector is
 * set.
 */
void prepare_job_create(struct prepare *prepare)
{
    const struct str uid = json_path_str(prepare->object, "metadata.uid");
    const struct str name = json_path_str(prepare->object, "metadata.name");
    bool is_manual = false;
    (void)json_to_bool(json_path(prepare->object, "spec.manualSelector"), &is_manual);
    if (is_manual || uid.len == 0)
        return;
    label_pods(prepare, UID_LABEL, uid);
    label_pods(prepare, NAME_LABEL, name);
    label_pods(prepare, STR("controller-uid"), uid);
    label_pods(prepare, STR("job-name"), name);
    if (!json_get(json_path(prepare->object, "spec.selector.matchLabels"), UID_LABEL))
        json_edit_set_str(&prepare->edit, JSON_PLACE_KEY("spec.selector.matchLabels", UID_LABEL),
                          uid);
}

/* Defaults give it the labels of its pods whenever it has none, but see no template in a status. */
void prepare_controller_status(struct prepare *prepare)
{
    const struct json_value *labels =
        json_path(prepare->write->old, "spec.template.metadata.labels");
    if (json_count(labels) && json_count(json_path(prepare->object, "metadata.labels")) == 0)
        json_edit_set(&prepare->edit, JSON_PLACE("metadata.labels"), labels);
}

static void set_generation(struct prepare *prepare, int64_t generation)
{
    const struct str text = arena_print(prepare->write->arena, "%lld", (long long)generation);
    json_edit_set_str(&prepare->edit, JSON_PLACE_KEY("metadata.annotations", GENERATION_ANNOTATION),
                      text);
}

void prepare_daemon_set_create(struct prepare *prepare)
{
    set_generation(prepare, 1);
}

/* What the old object counts. */
static int64_t read_generation(const struct prepare *prepare)
{
    const struct json_value *annotations = json_path(prepare->write->old, "metadata.annotations");
    int64_t generation = 0;
    (void)str_to_int64(json_to_str(json_get(annotations, GENERATION_ANNOTATION)), &generation);
    return generation;
}

/*
 * templateGeneration counts changes of the template. apps/v1 has no field for it and keeps it in an
 * annotation.
 */
void prepare_daemon_set_update(struct prepare *prepare)
{
    const struct json_value *old = prepare->write->old;
    int64_t generation = read_generation(prepare);
    if (!json_equal(json_path(old, "spec.template"), json_path(prepare->object, "spec.template")) &&
        generation < INT64_MAX)
        generation++;
    set_generation(prepare, generation);
}

/* A write of the status does not take the annotation away. */
void prepare_daemon_set_status(struct prepare *prepare)
{
    set_generation(prepare, read_generation(prepare));
}

/* The claims of a StatefulSet say what they are, whatever was given. */
void prepare_stateful_set(struct prepare *prepare)
{
    struct arena *arena = prepare->write->arena;
    const size_t count = json_count(json_path(prepare->object, "spec.volumeClaimTemplates"));
    for (size_t i = 0; i < count; i++) {
        const char *claim = arena_print(arena, "spec.volumeClaimTemplates.%zu", i).ptr;
        json_edit_set_str(&prepare->edit,
                          ((struct json_place){.path = claim, .key = STR("kind"), .has_key = true}),
                          STR("PersistentVolumeClaim"));
        json_edit_set_str(
            &prepare->edit,
            ((struct json_place){.path = claim, .key = STR("apiVersion"), .has_key = true}),
            STR("v1"));
    }
}
