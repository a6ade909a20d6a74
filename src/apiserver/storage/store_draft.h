/*
 * Changes that take long to decide: of a large object, or by a large request.
 *
 * A store_edit_fn runs on the loop, and everybody waits for its end. A decision is an edit in two
 * parts. The draft does the work; the rest is short. When much is to be read, the draft is made on
 * a worker thread, for the object as it is, and accepted if the object is still the same;
 * otherwise it is made again, as GuaranteedUpdate() of kube-apiserver does it. Small changes are
 * drafted and accepted inside of the edit.
 *
 * A fiber keeps its turn of large work (compute.h) until the store has accepted the change, so that
 * large changes do not make each other's drafts void. All changes of a large object are large.
 */
#pragma once

#include "apiserver/storage/store.h"

struct store_decision {
    /*
     * Asked whenever the store is about to be, with nothing in between: what depends on other
     * objects of the store. It must not suspend. NULL: nothing does.
     */
    struct error *(*check)(void *data);

    /*
     * Fills in edit->action and edit->text. It may run on a worker thread; compute.h says what it
     * may use there. On a worker thread edit->revision is 0, because the revision of the change is
     * not known yet. The draft then writes a random number as resourceVersion into edit->text, and
     * the store replaces that number by the revision when it accepts the change. The number must
     * occur only once in the text. NULL: accept() fills in everything.
     */
    store_edit_fn *draft;

    /* May refuse the answer or look at it. Runs on the loop, as every edit. NULL: it is right. */
    store_edit_fn *accept;

    void *data;  /* of all three */
    size_t size; /* bytes of JSON that the draft reads, beside the object */
};

/*
 * store_change() by a decision. Suspends, regardless of deadlines and cancellation once the store
 * was asked: what it has accepted happens all the same.
 */
MUST_USE struct error *store_draft_change(struct store *store, struct store_id id, int64_t expected,
                                          const struct store_decision *decision,
                                          struct store_object *ret_object);
