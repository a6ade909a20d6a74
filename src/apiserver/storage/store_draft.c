/*
 * try_draft() is the edit. When the decision is large, and there is no draft for the object as it
 * is, try_draft() takes a reference to the object and keeps it unchanged; store_draft_change()
 * makes a draft for it and asks again. An error of a draft also goes through the store, which
 * reports it when the state it was decided on is durable.
 */
#include "apiserver/storage/store_draft.h"

#include <stdio.h>

#include "async/compute.h"
#include "async/fiber.h"

struct draft {
    const struct store_decision *decision;
    struct compute turn;
    bool is_outdated; /* the object is another one than the draft is for */

    /* What the draft is for. */
    struct object_text *basis;
    int64_t basis_revision;

    bool is_made;
    enum store_action action;
    struct object_text *text;
    size_t version_at; /* in text, see object_text_find_version() */
    struct error *refusal;
};

static void clear_answer(struct draft *draft)
{
    object_text_free(TAKE(draft->text));
    error_free(TAKE(draft->refusal));
    draft->is_made = false;
}

static void draft_done(struct draft *draft)
{
    compute_done(&draft->turn);
    clear_answer(draft);
    object_text_free(draft->basis);
}

static bool is_large(const struct store_decision *decision, const struct store_edit *edit)
{
    const size_t len = edit->previous ? object_text_json(edit->previous).len : 0;
    return decision->draft && decision->size + len >= COMPUTE_FROM;
}

/* Texts are immutable but for their reference count. */
static void note_basis(struct draft *draft, const struct store_edit *edit)
{
    clear_answer(draft);
    object_text_free(TAKE(draft->basis));
    if (edit->previous)
        draft->basis = object_text_ref((struct object_text *)edit->previous);
    draft->basis_revision = edit->previous_revision;
    draft->is_outdated = true;
}

static struct error *accept_edit(const struct store_decision *decision, struct store_edit *edit)
{
    return decision->accept ? decision->accept(decision->data, edit) : NULL;
}

/* The answer of the draft, with the revision that the change has. */
static struct error *accept_draft(struct draft *draft, struct store_edit *edit)
{
    char version[24];
    if (draft->refusal)
        return error_copy(draft->refusal);
    edit->action = draft->action;
    if (draft->text) {
        const int len = snprintf(version, sizeof(version), "%lld", (long long)edit->revision);
        edit->text = object_text_with_version(draft->text, draft->version_at,
                                              str_from(version, (size_t)len));
    }
    return accept_edit(draft->decision, edit);
}

/* The store_edit_fn. */
static struct error *try_draft(void *data, struct store_edit *edit)
{
    struct draft *draft = data;
    const struct store_decision *decision = draft->decision;
    draft->is_outdated = false;
    if (!is_large(decision, edit)) {
        if (decision->draft)
            TRY(decision->draft(decision->data, edit));
        return accept_edit(decision, edit);
    }
    if (!draft->is_made || draft->basis_revision != edit->previous_revision) {
        note_basis(draft, edit);
        return NULL;
    }
    TRY(accept_draft(draft, edit));
    compute_done(&draft->turn);
    return NULL;
}

/* On a worker thread. A version that by chance stands in the object is drawn again. */
static struct error *make_draft(void *data)
{
    struct draft *draft = data;
    const struct store_decision *decision = draft->decision;
    do {
        struct store_edit edit = {.previous = draft->basis,
                                  .previous_revision = draft->basis_revision};
        clear_answer(draft);
        draft->refusal = decision->draft(decision->data, &edit);
        draft->action = edit.action;
        draft->text = edit.text;
        draft->version_at = edit.text ? object_text_find_version(edit.text) : 0;
    } while (!draft->refusal && draft->version_at == STR_NONE);
    draft->is_made = true;
    return NULL;
}

/* Suspends. The writer waits for the outcome, whatever happens, as it has to follow it up. */
static struct error *ask_store(struct store *store, struct store_id id, int64_t expected,
                               struct draft *draft, struct store_object *ret_object)
{
    const struct store_decision *decision = draft->decision;
    FIBER_SHIELD(FOREVER);
    if (decision->check)
        TRY(decision->check(decision->data));
    return store_change(store, id, expected, try_draft, draft, ret_object);
}

struct error *store_draft_change(struct store *store, struct store_id id, int64_t expected,
                                 const struct store_decision *decision,
                                 struct store_object *ret_object)
{
    SCOPED(draft) draft = {.decision = decision};
    if (decision->draft && decision->size >= COMPUTE_FROM)
        TRY(compute_take(&draft.turn));
    for (;;) {
        struct store_object object = {0};
        struct error *err = ask_store(store, id, expected, &draft, &object);
        if (err || !draft.is_outdated) {
            if (ret_object)
                *ret_object = object;
            else
                store_object_done(&object);
            return err;
        }
        store_object_done(&object);
        /* Others may change the object before the turn comes: what the object is then counts. */
        if (draft.turn.loop)
            TRY(compute_run(&draft.turn, make_draft, &draft));
        else
            TRY(compute_take(&draft.turn));
    }
}
