/*
 * apply_by_policy() sends the object until it is accepted or nothing is left to do about a refusal.
 * After each refusal mend_refusal() does one thing, once: adopt, force, delete, or try again. An
 * answer that shows entries to adopt is one more reason to go round.
 */
#include "clusterresourceset/apply/apply_policy.h"

#include "apimachinery/object_edit.h"
#include "async/fiber.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_ledger.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/apply_redaction.h"
#include "clusterresourceset/apply/apply_server_side.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ignored.h"
#include "clusterresourceset/apply/ownership.h"
#include "clusterresourceset/apply/ownership_loss.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "json/json.h"
#include "json/path.h"

/* Writers who come between, when applying and when adopting. */
#define ATTEMPTS_MAX 3

/* How long a deleted object may take to go. */
#define GONE_MAX  (30 * SECOND)
#define PAUSE_MIN (50 * MILLISECOND)
#define PAUSE_MAX (2 * SECOND)

/* Of fields in a message. */
#define CONFLICTS_SHOWN ((size_t)5)

#define RECREATE_HINT                                                                              \
    "; what cannot be changed is made anew once it is deleted in the cluster, or by onImmutable: " \
    "Recreate of the policy"

/* One object on its way. */
struct policy_run {
    struct apply_object *apply;
    const struct discovery_mapping *mapping;
    struct object *wanted; /* the manifest, as the set wants it */
    struct object *sent;   /* the same with what others may change as it is in the cluster */
    struct delivery_policy_texts ignored; /* the paths of that */
    struct object *answer;                /* of the last apply; NULL after a refusal */
    struct client_write_options options;
    int races;
    bool has_adopted, has_recreated;
};

static void policy_run_done(struct policy_run *run)
{
    object_free(run->wanted);
    object_free(run->sent);
    object_free(run->answer);
}

static const struct delivery_policy *policy_of(const struct policy_run *run)
{
    return run->apply->target->policy;
}

/* Later than the first time only what the server made of an object without managedFields. */
static const struct delivery_policy_texts *adopt_of(const struct policy_run *run)
{
    static const struct delivery_policy_texts none;
    return run->apply->target->adopts ? &policy_of(run)->adopt : &none;
}

static struct key key_of(const struct policy_run *run)
{
    return (struct key){run->mapping->namespaced ? object_namespace(run->wanted) : STR(""),
                        object_name(run->wanted)};
}

/* Without what only a server writes, and with the label. */
static struct error *make_wanted(struct policy_run *run)
{
    OWNED(object) trimmed = NULL;
    SCOPED(object_edit) edit = {0};
    TRY(apply_server_side_trim(run->apply->object, run->mapping, &trimmed));
    object_edit_init(&edit, trimmed ? trimmed : run->apply->object);
    json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.labels", STR(APPLY_MANAGED_LABEL)),
                      STR("true"));
    TRY(object_edit_finish(&edit, &run->wanted));
    run->ignored = ignored_paths(policy_of(run), apply_object_gvk(run->wanted), key_of(run),
                                 run->apply->arena);
    return NULL;
}

/*
 * Anew for every request: what others may change is taken from the object as it is now, and the
 * request is good for that version of it. Suspends.
 */
static struct error *make_sent(struct policy_run *run)
{
    OWNED(object) live = NULL;
    object_free(TAKE(run->sent));
    if (run->ignored.count)
        TRY(error_ignore(
            client_get(run->apply->target->client, run->mapping->gvr, key_of(run), NULL, &live),
            ERROR_NOT_FOUND));
    if (live)
        return ignored_keep(run->wanted, live, &run->ignored, &run->sent);
    run->sent = object_ref(run->wanted);
    return NULL;
}

/* An error in our words that is still an answer of the server: what it quotes may be secret. Takes
 * the error. */
static struct error *reword(struct error *err, const char *text)
{
    struct error *told = error_new(err->code, "%s", text);
    told->http_status = err->http_status;
    told->retry_after = err->retry_after;
    error_free(err);
    return told;
}

/* Reads the object and turns entries of others into ours. Suspends. */
static struct error *adopt_once(struct policy_run *run)
{
    SCOPED(buf) patch = {.limit = 0};
    OWNED(object) live = NULL;
    const struct client_get_options get = {.form = CLIENT_METADATA};
    const struct client_write_options write = {.field_manager = run->options.field_manager};
    struct client *client = run->apply->target->client;
    TRY(client_get(client, run->mapping->gvr, key_of(run), &get, &live));
    OWNED(object) typed = NULL;
    SCOPED(object_edit) edit = {0};
    object_edit_init(&edit, live); /* metadata alone says nothing of the kind */
    json_edit_set_str(&edit.json, JSON_PLACE("apiVersion"), object_api_version(run->sent));
    TRY(object_edit_finish(&edit, &typed));
    if (!ownership_is_adoptable(typed, adopt_of(run)))
        return NULL;
    TRY(ownership_adopt(typed, run->options.field_manager, adopt_of(run), &patch));
    return client_patch(client, run->mapping->gvr, key_of(run), CLIENT_PATCH_JSON, buf_str(&patch),
                        &write, NULL);
}

static struct error *adopt_fields(struct policy_run *run)
{
    run->has_adopted = true;
    for (int attempt = 1;; attempt++) {
        struct error *err = adopt_once(run);
        if (!error_is(err, ERROR_CONFLICT) || attempt == ATTEMPTS_MAX)
            return error_ignore(err, ERROR_NOT_FOUND);
        error_free(err);
    }
}

static bool is_kept(const struct object *object)
{
    struct str value;
    return object_find_annotation(object, STR(APPLY_KEEP_ANNOTATION), &value) &&
           str_eq(value, STR("true"));
}

bool apply_policy_ignores_drift(const struct object *manifest)
{
    struct str value;
    return object_find_annotation(manifest, STR(APPLY_DRIFT_ANNOTATION), &value) &&
           str_eq(value, STR("ignore"));
}

/* Suspends until no object, or another one, has the name. */
static struct error *await_gone(struct policy_run *run, struct str uid)
{
    const struct client_get_options get = {.form = CLIENT_METADATA};
    duration pause = PAUSE_MIN;
    FIBER_TIMEOUT(GONE_MAX);
    for (;;) {
        OWNED(object) live = NULL;
        struct error *err =
            client_get(run->apply->target->client, run->mapping->gvr, key_of(run), &get, &live);
        if (error_is(err, ERROR_NOT_FOUND) || (!err && !str_eq(object_uid(live), uid)))
            return error_ignore(err, ERROR_NOT_FOUND);
        TRY(err);
        TRY(fiber_sleep(pause), "it is deleted to be made anew, and is not gone yet");
        pause = pause * 2 < PAUSE_MAX ? pause * 2 : PAUSE_MAX;
    }
}

/*
 * Whether the server would take the object if none of that name were there, asked by a dry run. It
 * says that the name is taken when everything else is well.
 */
static struct error *check_can_be_made(const struct policy_run *run)
{
    const struct client_write_options options = {.field_manager = run->options.field_manager,
                                                 .dry_run = true};
    struct error *err =
        client_create(run->apply->target->client, run->mapping->gvr, run->sent, &options, NULL);
    return error_ignore(err, ERROR_ALREADY_EXISTS);
}

/*
 * Deletes the object that is there, and no other, to make it anew. *ret_may is false if it must not
 * be deleted. A dry run leaves it there. Suspends.
 */
static struct error *delete_object(struct policy_run *run, bool *ret_may)
{
    struct client *client = run->apply->target->client;
    const struct gvk gvk = apply_object_gvk(run->sent);
    OWNED(object) live = NULL;
    *ret_may = false;
    if (delivery_policy_protects(gvk.group, gvk.kind) || is_kept(run->sent))
        return NULL;
    TRY(client_get(client, run->mapping->gvr, key_of(run), NULL, &live));
    if (is_kept(live))
        return NULL;
    TRY(check_can_be_made(run), "it is not deleted, as it could not be made anew");
    const struct client_delete_options options = {.uid = object_uid(live),
                                                  .propagation_policy = STR("Background")};
    *ret_may = true;
    if (run->options.dry_run)
        return NULL;
    TRY(client_delete(client, run->mapping->gvr, key_of(run), &options, NULL));
    return await_gone(run, object_uid(live));
}

/* By the policy. Takes the refusal, and returns NULL if the object can be applied anew. Suspends.
 */
static struct error *mend_immutable(struct policy_run *run, struct error *err)
{
    SCOPED(buf) text = {.limit = 0};
    bool may = false;
    if (policy_of(run)->recreates_immutable && !run->has_recreated) {
        run->has_recreated = true;
        struct error *failure = delete_object(run, &may);
        if (may && !failure && run->options.dry_run) {
            run->apply->recreates = true;
            run->apply->refusal = err;
            return NULL;
        }
        if (failure || may) {
            error_free(err);
            return error_ignore(failure, ERROR_NOT_FOUND);
        }
        buf_print(&text, "%s; onImmutable: Recreate does not delete what is protected",
                  err->message);
    } else {
        buf_print(&text, "%s" RECREATE_HINT, err->message);
    }
    return reword(err, buf_c(&text));
}

static bool is_adopted(const struct policy_run *run, struct str manager)
{
    const struct delivery_policy_texts *adopt = adopt_of(run);
    for (size_t i = 0; i < adopt->count; i++)
        if (str_eq(manager, adopt->items[i]))
            return true;
    return false;
}

/* Conflicts with managers that are adopted; ret_others: with all others. */
static size_t count_adopted(const struct policy_run *run, const struct error *err,
                            size_t *ret_others)
{
    size_t count, adopted = 0;
    const struct field_manager_conflict *conflicts =
        field_manager_conflicts(err, run->apply->arena, &count);
    for (size_t i = 0; i < count; i++)
        adopted += is_adopted(run, conflicts[i].manager);
    *ret_others = count - adopted;
    return adopted;
}

/* "fields of others: data.k owned by kubectl, …", the first of them. Takes the conflict. */
static struct error *tell_conflicts(const struct policy_run *run, struct error *err)
{
    SCOPED(buf) text = {.limit = 0};
    size_t count, others = 0;
    const struct field_manager_conflict *conflicts =
        field_manager_conflicts(err, run->apply->arena, &count);
    const bool is_secret = apply_redaction_is_secret(run->sent);
    buf_add(&text, STR("fields of others: "));
    for (size_t i = 0; i < count; i++) {
        if (run->options.dry_run && is_adopted(run, conflicts[i].manager))
            continue;
        if (others++ >= CONFLICTS_SHOWN)
            continue;
        buf_add(&text, others > 1 ? STR(", ") : STR(""));
        field_manager_conflict_write(&conflicts[i], is_secret, &text);
    }
    if (others > CONFLICTS_SHOWN)
        buf_print(&text, " and %zu more", others - CONFLICTS_SHOWN);
    return reword(err, buf_c(&text));
}

/* Takes the conflict, and returns NULL if the object can be applied once more. Suspends. */
static struct error *mend_conflict(struct policy_run *run, struct error *err)
{
    struct arena *arena = run->apply->arena;
    const struct str set = field_manager_conflicting_set(err, arena);
    if (set.len)
        return reword(err,
                      arena_print(arena, "belongs to ClusterResourceSet %.*s", STR_ARG(set)).ptr);
    size_t others = 0;
    const size_t adopted = count_adopted(run, err, &others);
    if (!run->has_adopted && adopted && !run->options.dry_run) {
        error_free(err);
        return adopt_fields(run);
    }
    if (policy_of(run)->fails_on_conflict && !run->apply->target->mends && others)
        return tell_conflicts(run, err);
    run->options.force = true;
    if (run->options.dry_run && others)
        run->apply->conflict = TAKE(err);
    error_free(err);
    return NULL;
}

bool apply_policy_is_immutable(const struct error *err)
{
    static const struct str words[] = {STR_INIT("is immutable"), STR_INIT("immutable field")};
    const struct json_value *cause;
    OWNED(json_doc) details = NULL;
    if (!err || (err->http_status != 422 && err->http_status != 400))
        return false;
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_contains(str_from_c(err->message), words[i]))
            return true;
    if (err->details)
        error_free(json_read(str_from_c(err->details), &details));
    JSON_FOREACH (key, cause, json_get(json_doc_root(details), STR("causes")))
        if (str_eq(json_path_str(cause, "reason"), STR("FieldValueForbidden")) &&
            str_starts_with(json_path_str(cause, "field"), STR("spec")))
            return true;
    return false;
}

/* Somebody created, changed or deleted it in this moment. */
static bool is_race(const struct error *err)
{
    return error_is(err, ERROR_CONFLICT) || error_is(err, ERROR_ALREADY_EXISTS);
}

/* Takes a refusal, and returns NULL if the object shall be sent once more. Suspends. */
static struct error *mend_refusal(struct policy_run *run, struct error *err)
{
    if (field_manager_is_conflict(err) && !run->options.force)
        return mend_conflict(run, err);
    if (is_race(err) && ++run->races < ATTEMPTS_MAX) {
        error_free(err);
        return NULL;
    }
    if (apply_policy_is_immutable(err))
        return mend_immutable(run, err);
    if (apply_server_side_is_unknown(err))
        return reword(err, "server-side apply needs Kubernetes 1.22");
    return apply_server_side_explain_create(err);
}

/* What a pass remembers of the object. */
static void write_receipt(struct policy_run *run)
{
    char text[OWNERSHIP_DIGEST_LEN + 1];
    struct arena *arena = run->apply->arena;
    const struct key key = object_key(run->answer);
    run->apply->receipt = (struct apply_receipt){
        .key = {arena_str(arena, key.namespace), arena_str(arena, key.name)},
        .uid = arena_str(arena, object_uid(run->answer)),
        .ownership = arena_str(
            arena, ownership_digest(run->answer, run->options.field_manager, &run->ignored, text)),
        .version = arena_str(arena, object_resource_version(run->answer)),
        .ignores_drift = apply_policy_ignores_drift(run->sent),
    };
    if (run->apply->target->mends)
        run->apply->answer = TAKE(run->answer);
}

/* What is there, as far as it tells who owns what. Suspends. */
static struct error *read_live_metadata(struct policy_run *run)
{
    const struct client_get_options get = {.form = CLIENT_METADATA};
    run->apply->verb = APPLY_READING;
    object_free(TAKE(run->apply->live));
    object_free(TAKE(run->apply->answer));
    return error_ignore(client_get(run->apply->target->client, run->mapping->gvr, key_of(run), &get,
                                   &run->apply->live),
                        ERROR_NOT_FOUND);
}

/* Asks what an apply would leave. Suspends. */
static struct error *inspect_object(struct policy_run *run)
{
    run->options.force = run->options.dry_run = true;
    TRY(make_sent(run));
    TRY(client_apply(run->apply->target->client, run->mapping->gvr, run->sent, &run->options,
                     &run->answer));
    write_receipt(run);
    return NULL;
}

/* What would come of the object: the answer, and what an adoption would take away. */
static void keep_dry_answer(struct policy_run *run)
{
    struct apply_object *apply = run->apply;
    SCOPED(buf) dropped = {.limit = 0};
    const struct ownership_loss loss = {.applied = run->answer,
                                        .manager = run->options.field_manager,
                                        .is_secret = apply->is_secret};
    ownership_loss_write_adopted(&loss, adopt_of(run), &dropped);
    apply->dropped = arena_str(apply->arena, buf_str(&dropped));
    apply->answer = TAKE(run->answer);
}

/* Forgets what an earlier attempt of the same object has left. */
static void forget_outcome(struct apply_object *apply)
{
    error_free(TAKE(apply->conflict));
    error_free(TAKE(apply->refusal));
    object_free(TAKE(apply->answer));
    apply->result = APPLY_APPLIED;
    apply->recreates = false;
    apply->dropped = STR("");
}

/* Somebody has put right what had drifted, before we could. */
static bool is_restored(const struct apply_object *apply)
{
    const struct apply_target *target = apply->target;
    return target->mends == APPLY_MEND_REPAIR && target->has_drifted &&
           !target->has_drifted(target->has_drifted_data, apply->object, apply->live);
}

struct error *apply_by_policy(struct apply_object *apply, const struct discovery_mapping *mapping)
{
    SCOPED(policy_run)
    run = {
        .apply = apply,
        .mapping = mapping,
        .options = {.field_manager = apply->target->field_manager,
                    .dry_run = apply->target->dry_run}
    };
    forget_outcome(apply);
    TRY(make_wanted(&run));
    if (apply->target->mends)
        TRY(read_live_metadata(&run));
    apply->verb = APPLY_APPLYING;
    if (apply->target->mends == APPLY_MEND_INSPECT)
        return inspect_object(&run);
    if (is_restored(apply)) {
        apply->result = APPLY_UNCHANGED;
        return NULL;
    }
    for (;;) {
        object_free(TAKE(run.answer));
        TRY(make_sent(&run));
        struct error *err =
            client_apply(apply->target->client, mapping->gvr, run.sent, &run.options, &run.answer);
        if (err) {
            TRY(mend_refusal(&run, err));
            if (apply->recreates)
                return NULL;
        } else if (run.options.dry_run) {
            keep_dry_answer(&run);
            return NULL;
        } else if (!run.has_adopted && ownership_is_adoptable(run.answer, adopt_of(&run))) {
            TRY(adopt_fields(&run));
        } else {
            write_receipt(&run);
            return NULL;
        }
    }
}
