/*
 * Accepts writes. store_change() decides each of them against the newest accepted state of its
 * object, which may be a write that is not durable yet (the basis).
 *
 * A decision that changes the object becomes a store_write, which is queued behind its basis, so
 * both fail or succeed in order. A decision that changes nothing, or an error, may be reported only
 * when its basis is durable; if the basis fails, the decision is made again.
 */
#include <assert.h>

#include "apiserver/storage/store_file.h"
#include "apiserver/storage/store_internal.h"
#include "base/memory.h"

/* What the deletion of an object may add to it. */
#define DELETING_GROWTH 4096

/* The pages of the tree and of the list of free pages that one write changes. */
#define TREE_NEED 32768

/* The state that a decision is based on. */
struct basis {
    struct store_write *pending; /* NULL: the durable state */
    const struct object_text *text;
    int64_t revision, row, sum; /* 0 when there is no object */
};

struct store_write *store_write_ref(struct store_write *write)
{
    write->refs++;
    return write;
}

void store_write_free(struct store_write *write)
{
    if (!write || --write->refs > 0)
        return;
    object_text_free(write->text);
    error_free(write->err);
    mem_free(write);
}

/* A pending delete is a basis without an object. */
static struct basis basis_of(const struct store *store, struct store_id id)
{
    struct store_write *pending = store_find_pending(store, id);
    if (pending && pending->is_delete)
        return (struct basis){.pending = pending};
    if (pending)
        return (struct basis){pending, pending->text, pending->revision, pending->row,
                              pending->sum};

    SCOPED(buf) key = {0};
    store_key(&key, id.key);
    const struct store_resource *resource = store_find_resource(store, id.resource);
    const struct store_record *record =
        resource ? tree_find(&resource->records, buf_str(&key)) : NULL;
    if (!record)
        return (struct basis){0};
    return (struct basis){NULL, record->text, record->revision, record->row, record->sum};
}

/* Optimistic locking by revision. STORE_NEW demands that there is no object. */
static struct error *check_expected(struct store_id id, int64_t expected, int64_t revision)
{
    if (expected == STORE_ANY || expected == revision)
        return NULL;
    if (expected == STORE_NEW)
        return error_new(ERROR_ALREADY_EXISTS, "%.*s \"%.*s\" already exists", STR_ARG(id.resource),
                         STR_ARG(id.key.name));
    if (!revision)
        return error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found", STR_ARG(id.resource),
                         STR_ARG(id.key.name));
    return error_new(ERROR_CONFLICT, "%.*s \"%.*s\" has revision %lld, not %lld",
                     STR_ARG(id.resource), STR_ARG(id.key.name), (long long)revision,
                     (long long)expected);
}

/* Calls the edit. A text that comes with an error or with STORE_KEEP is dropped. */
static struct error *ask_edit(struct store_edit *edit, store_edit_fn *fn, void *data)
{
    struct error *err = fn(data, edit);
    if (err || edit->action == STORE_KEEP) {
        object_text_free(edit->text);
        edit->text = NULL;
    }
    return err;
}

/* Deletes and what belongs to them: a time of deletion, finalizers that go, conditions. */
static bool makes_room(const struct store_edit *edit, const struct basis *basis)
{
    if (edit->action == STORE_DELETE)
        return true;
    return basis->text && object_text_is_deleting(edit->text) &&
           object_text_json(edit->text).len <= object_text_json(basis->text).len + DELETING_GROWTH;
}

/* What a write takes on the disk: once in the log, once in the database, and pages of the tree. */
static int64_t need_of(const struct store_edit *edit)
{
    const size_t len = edit->action == STORE_DELETE ? 0 : object_text_json(edit->text).len;
    return 2 * ((int64_t)len + TREE_NEED);
}

/* An object that becomes smaller gives back when that is durable. */
static int64_t growth_of(const struct store_edit *edit, const struct basis *basis)
{
    const int64_t growth = store_cost(edit->text) - store_cost(basis->text);
    return edit->action == STORE_PUT && growth > 0 ? growth : 0;
}

/* In etcd's words, which people and tools know, with the code that kube-apiserver gives them. */
static struct error *limit_error(void)
{
    struct error *err = error_new(ERROR_UNKNOWN, "etcdserver: mvcc: database space exceeded");
    err->http_status = 500;
    return err;
}

/* A text that is refused is dropped. */
static struct error *check_room(struct store *store, const struct basis *basis,
                                struct store_edit *edit)
{
    if (makes_room(edit, basis))
        return NULL;
    if (!store->is_full && store->room - store->queued_need < need_of(edit))
        store_declare_full(store);
    struct error *refusal = NULL;
    if (store->is_full)
        refusal = store_full_error();
    else if (!store_budget_allows(&store->budget, growth_of(edit, basis)))
        refusal = limit_error();
    if (refusal)
        object_text_free(TAKE(edit->text));
    return refusal;
}

/*
 * An object keeps its row in the file for its lifetime; a new object's row is its first revision.
 */
static struct store_write *write_new(struct store *store, struct store_id id,
                                     const struct basis *basis, struct store_edit *edit)
{
    assert(edit->text && key_eq(object_text_key(edit->text), id.key));
    assert(edit->action == STORE_PUT || basis->text);
    struct store_write *write = NEW(struct store_write);
    write->refs = 1;
    write->resource = store_ensure_resource(store, id.resource);
    write->is_delete = edit->action == STORE_DELETE;
    write->revision = edit->revision;
    write->need = need_of(edit);
    write->growth = growth_of(edit, basis);
    write->row = basis->row ? basis->row : edit->revision;
    write->text = TAKE(edit->text);
    write->has_former = basis->text != NULL;
    write->former_sum = basis->sum;
    if (store->file && !write->is_delete)
        write->sum = store_file_sum(id.resource, write->revision, object_text_json(write->text));
    return write;
}

/*
 * Suspends. A cancellation that arrives together with the outcome is ignored: the outcome is known.
 */
static struct error *wait_settled(struct store_write *write)
{
    while (write->state == WRITE_PENDING) {
        struct error *err = event_wait(&write->settled, "a commit");
        if (err && write->state == WRITE_PENDING)
            return err;
        error_free(err);
    }
    return NULL;
}

/* Texts are immutable but for their reference count. */
static void give_object(struct store_object *ret_object, const struct object_text *text,
                        int64_t revision)
{
    if (!ret_object)
        return;
    *ret_object = (struct store_object){0};
    if (text)
        *ret_object = (struct store_object){object_text_ref((struct object_text *)text), revision};
}

/* Queues the write and suspends until it is durable or has failed. */
static struct error *carry_out(struct store *store, struct store_write *write,
                               struct store_object *ret_object)
{
    store_accept(store, write);
    TRY(wait_settled(write));
    if (write->state == WRITE_FAILED)
        return error_copy(write->err);
    give_object(ret_object, write->text, write->revision);
    return NULL;
}

/*
 * Suspends until a decision that changes nothing may be reported. *ret_holds is false when the
 * basis failed and the decision has to be made again.
 */
static struct error *confirm_basis(struct store_write *pending, bool *ret_holds)
{
    *ret_holds = true;
    if (!pending)
        return NULL;
    TRY(wait_settled(pending));
    *ret_holds = pending->state == WRITE_DURABLE;
    return NULL;
}

struct error *store_change(struct store *store, struct store_id id, int64_t expected,
                           store_edit_fn *edit_fn, void *data, struct store_object *ret_object)
{
    for (;;) {
        const struct basis basis = basis_of(store, id);
        struct store_edit edit = {.previous = basis.text,
                                  .previous_revision = basis.revision,
                                  .revision = store->accepted + 1};
        OWNED(error) refusal = check_expected(id, expected, basis.revision);
        if (!refusal)
            refusal = ask_edit(&edit, edit_fn, data);
        if (!refusal && edit.action != STORE_KEEP)
            refusal = check_room(store, &basis, &edit);
        if (!refusal && edit.action != STORE_KEEP) {
            OWNED(store_write) write = write_new(store, id, &basis, &edit);
            return carry_out(store, write, ret_object);
        }

        /* Holding the pending write keeps the text of the basis. A durable basis needs no wait. */
        OWNED(store_write) held = basis.pending ? store_write_ref(basis.pending) : NULL;
        bool holds;
        TRY(confirm_basis(held, &holds));
        if (!holds)
            continue;
        if (!refusal)
            give_object(ret_object, basis.text, basis.revision);
        return TAKE(refusal);
    }
}
