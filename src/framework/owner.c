/*
 * The owner of a run: reading it, and the writes of steps 1a, 2 and 5.
 *
 * All writes go through patch_owner(): a merge patch of the difference, guarded by the version
 * that was read. The answer is noted with the live reader, so that the next run does not work with
 * an older copy from the cache.
 *
 * framework->gone remembers owners whose deletion we saw in an answer. The cache may still hold
 * such an owner, and a run for it would create objects that the garbage collector deletes at once,
 * which leads to the next run. An entry is dropped as soon as the cache shows another uid or
 * nothing.
 */
#include "framework/owner.h"

#include "apimachinery/guarded_patch.h"
#include "apimachinery/object_edit.h"
#include "async/loop.h"
#include "base/buf.h"
#include "base/memory.h"
#include "client/client.h"
#include "framework/error_class.h"
#include "framework/live_reader.h"
#include "json/path.h"

static struct live_reader owner_reader(const struct framework *framework)
{
    return (struct live_reader){
        .cluster = {framework->options.client, framework->options.discovery},
        .gvr = framework->owner_gvr,
        .namespaced = framework->owner_is_namespaced,
        .cache = framework->owners,
    };
}

/* "namespace/name", the key of framework->gone. */
static struct str gone_key(struct framework_run *run)
{
    return arena_print(&run->arena, "%.*s/%.*s", STR_ARG(run->key.namespace),
                       STR_ARG(run->key.name));
}

/* Records that the server does not have run->owner any more. Uids are never used twice. */
static void note_gone(struct framework_run *run)
{
    SCOPED(buf) uid = {.limit = 0};
    buf_add(&uid, object_uid(run->owner));
    mem_free(map_put(&run->framework->gone, gone_key(run), buf_take(&uid)));
}

/*
 * True for a 404 that names the owner. A 404 without details means that the resource or
 * subresource is not served.
 */
static bool is_missing(const struct framework_run *run, const struct error *err)
{
    OWNED(json_doc) details = NULL;
    if (!error_is(err, ERROR_NOT_FOUND) || !err->details)
        return false;
    OWNED(error) unreadable = json_read(str_from_c(err->details), &details);
    return details && str_eq(json_path_str(json_doc_root(details), "name"), run->key.name);
}

/* Passes the error on, and notes the owner as gone if the error says so. */
static struct error *gone_if_missing(struct framework_run *run, struct error *err)
{
    if (is_missing(run, err))
        note_gone(run);
    return err;
}

/* True if the cached owner is the one we know was deleted. Any other answer clears that note. */
static bool is_gone(struct framework_run *run)
{
    const char *uid = map_find(&run->framework->gone, gone_key(run));
    if (!uid)
        return false;
    if (run->owner && str_eq(object_uid(run->owner), str_from_c(uid)))
        return true;
    map_remove(&run->framework->gone, gone_key(run));
    return false;
}

struct error *owner_read(struct framework_run *run)
{
    const struct live_reader reader = owner_reader(run->framework);
    struct error *err = live_reader_read(run->framework, &reader, run->key, &run->owner);
    if (err && err->code != ERROR_NOT_FOUND)
        return err;
    return is_gone(run) ? error_new(ERROR_NOT_FOUND, "the owner is gone") : err;
}

/* Sends the difference of before and after, if there is one. subresource is "status" or empty. */
static struct error *patch_owner(struct framework_run *run, const struct object *before,
                                 const struct json_value *after, struct str subresource)
{
    struct framework *framework = run->framework;
    const struct live_reader reader = owner_reader(framework);
    SCOPED(buf) text = {.limit = 0};
    struct object *written = NULL;
    TRY(guarded_patch_write(before, after, &text));
    if (!text.len)
        return NULL;
    const struct client_write_options options = {
        .subresource = subresource, .field_manager = framework->options.name, .no_retry = true};
    struct error *err = client_patch(reader.cluster.client, reader.gvr, run->key,
                                     CLIENT_PATCH_MERGE, buf_str(&text), &options, &written);
    if (error_is(err, ERROR_CONFLICT))
        return error_class_stale(err);
    TRY(gone_if_missing(run, err));
    live_reader_note_write(framework, &reader, written);
    object_free(run->owner);
    run->owner = written;
    return NULL;
}

/* Owners that belong to another controller keep the status that it wrote. */
static bool has_status(const struct framework_run *run)
{
    return !(run->framework->options.flags & FRAMEWORK_NO_STATUS);
}

static struct owner_status_writer status_writer(const struct framework_run *run)
{
    const struct framework_options *options = &run->framework->options;
    return (struct owner_status_writer){
        .controller = options->name,
        .version = options->version,
        .commit = options->commit,
        .no_operator = (options->flags & FRAMEWORK_NO_OPERATOR_STATUS) != 0,
        .standard_conditions = (options->flags & FRAMEWORK_METAV1_CONDITIONS) != 0,
        .now = loop_wall(run->framework->loop),
        .generation = run->generation,
        .has_generation = run->has_generation,
    };
}

/* owner may be run->owner, which patch_owner() replaces: hence the reference. */
static struct error *write_status(struct framework_run *run, struct object *owner,
                                  const struct owner_status_writer *writer,
                                  const struct owner_status_condition *conditions, size_t count)
{
    OWNED(object) before = object_ref(owner);
    OWNED(json_doc) after = NULL;
    if (!has_status(run))
        return NULL;
    struct error *err = owner_status_set(writer, object_root(before), conditions, count, &after);
    if (err)
        return error_class_unrecoverable(err, STR("operatorError"), STR(""));
    return patch_owner(run, before, json_doc_root(after), STR("status"));
}

/*
 * InProgress is set only for a generation that was not observed before. Failed stays as it is: it
 * describes the last result until this run has one.
 */
struct error *owner_begin(struct framework_run *run)
{
    const struct owner_status_condition begun = {
        STR("InProgress"), STR("True"), STR("newGeneration"), STR("New generation detected")};
    const struct json_value *generation = object_path(run->owner, "metadata.generation");
    if (!json_to_int64(generation, &run->generation))
        return error_class_unrecoverable(error_new(ERROR_INVALID, "no $.metadata.generation found"),
                                         STR("operatorError"), STR(""));
    run->has_generation = true;
    const struct owner_status_writer writer = status_writer(run);
    const bool is_new = !owner_status_has_observed(object_root(run->owner), run->generation);
    return write_status(run, run->owner, &writer, &begun, is_new ? 1 : 0);
}

/*
 * The reason is spelt "recoverrableError" in the design document and in the harbor-operator, so it
 * is an API value and stays as it is.
 */
static struct owner_status_condition progress_condition(const struct framework_run *run,
                                                        const struct run_result *result)
{
    const bool standard = (run->framework->options.flags & FRAMEWORK_METAV1_CONDITIONS) != 0;
    const struct str stopped = result->worst && standard ? STR("Stopped") : STR("");
    if (result->worst && result->is_recoverable)
        return (struct owner_status_condition){STR("InProgress"), STR("True"),
                                               STR("recoverrableError"),
                                               STR("An error occurred and may be recovered")};
    return (struct owner_status_condition){STR("InProgress"), STR("False"), stopped, STR("")};
}

static struct owner_status_condition failed_condition(struct framework_run *run,
                                                      const struct run_result *result)
{
    if (!result->worst)
        return (struct owner_status_condition){STR("Failed"), STR("False"), STR(""), STR("")};
    return (struct owner_status_condition){STR("Failed"), STR("True"),
                                           run_result_reason(result, &run->arena),
                                           error_class_message(result->worst, &run->arena)};
}

/* Writes InProgress and Failed, followed by the conditions of hooks. */
static struct error *write_result(struct framework_run *run, struct object *owner,
                                  const struct run_result *result)
{
    const size_t count = run->condition_count + 2;
    struct owner_status_condition *all =
        arena_alloc_array(&run->arena, count, sizeof(struct owner_status_condition));
    const struct owner_status_writer writer = status_writer(run);
    all[0] = progress_condition(run, result);
    all[1] = failed_condition(run, result);
    for (size_t i = 2; i < count; i++)
        all[i] = run->conditions[i - 2];
    return write_status(run, owner, &writer, all, count);
}

/*
 * An error is written to a freshly read owner, since the owner may have changed while the graph
 * ran. A new owner of the same name is not told about the error of the old one.
 */
struct error *owner_end(struct framework_run *run, const struct run_result *result)
{
    static const struct client_get_options once = {.no_retry = true};
    OWNED(object) fresh = NULL;
    if (!has_status(run))
        return NULL;
    if (!result->worst)
        return write_result(run, run->owner, result);
    struct error *err = client_get(run->framework->options.client, run->framework->owner_gvr,
                                   run->key, &once, &fresh);
    TRY(gone_if_missing(run, err));
    if (!str_eq(object_uid(fresh), object_uid(run->owner))) {
        note_gone(run);
        return error_new(ERROR_NOT_FOUND, "the owner was replaced by another one of the same name");
    }
    return write_result(run, fresh, result);
}

/* The precheck stopped before step 2: observedGeneration and status.operator stay as they are. */
struct error *owner_set_conditions(struct framework_run *run)
{
    struct owner_status_writer writer = status_writer(run);
    writer.no_operator = true;
    writer.has_generation = false;
    writer.generation = object_generation(run->owner);
    return write_status(run, run->owner, &writer, run->conditions, run->condition_count);
}

struct error *owner_change_finalizer(struct framework_run *run, bool add)
{
    const struct str name = run->framework->options.finalizer;
    SCOPED(object_edit) edit = {0};
    OWNED(object) before = object_ref(run->owner);
    OWNED(object) after = NULL;
    object_edit_init(&edit, before);
    if (add)
        object_edit_add_finalizer(&edit, name);
    else
        object_edit_remove_finalizer(&edit, name);
    TRY(object_edit_finish(&edit, &after));
    TRY(patch_owner(run, before, object_root(after), STR("")));
    /* The last finalizer: the answer shows it as it was, at a version that caches know already. */
    if (object_is_deleting(run->owner) && json_count(object_finalizers(run->owner)) == 0)
        note_gone(run);
    return NULL;
}
