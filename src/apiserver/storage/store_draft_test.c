#include "apiserver/storage/store_draft.h"

#include "apiserver/storage/store_fixture_test.h"
#include "async/compute.h"

#define A KEY("ns", "a")

static const struct store_options defaults;

/* Adds one to the value of a sample, and pads it. */
struct addition {
    size_t padding;
    size_t drafts, accepted; /* how often */
    int64_t decoy;           /* a version that stands twice in the first draft; 0: none */
    bool is_refused;         /* by the draft */
    bool is_forbidden;       /* when it is to be accepted */
    bool keeps;
    size_t checks_left; /* when it is checked more often than this, it is refused; 0: never */
    size_t checks;
};

static struct error *check_sum(void *data)
{
    struct addition *addition = data;
    addition->checks++;
    return addition->checks_left && addition->checks > addition->checks_left
               ? error_new(ERROR_GONE, "the place for it is gone")
               : NULL;
}

static struct error *draft_sum(void *data, struct store_edit *edit)
{
    struct addition *addition = data;
    const int64_t value = edit->previous ? sample_value(edit->previous) : 0;
    struct sample sample = {A, value + 1, addition->padding};
    addition->drafts++;
    if (addition->is_refused)
        return error_new(ERROR_INVALID, "refused with %lld", (long long)value);
    if (addition->keeps)
        return NULL;
    edit->action = STORE_PUT;
    if (addition->decoy && addition->drafts == 1)
        sample.key.name = STR("4611686018427387905"); /* no store sees this text */
    return sample_write(&sample, edit->revision ? edit->revision : INT64_C(4611686018427387905),
                        &edit->text);
}

static struct error *accept_sum(void *data, struct store_edit *edit)
{
    struct addition *addition = data;
    addition->accepted++;
    CHECK(edit->revision > 0);
    if (addition->is_forbidden)
        return error_new(ERROR_FORBIDDEN, "forbidden");
    if (edit->action == STORE_PUT)
        CHECK_EQ(sample_value(edit->text),
                 edit->previous ? sample_value(edit->previous) + 1 : INT64_C(1));
    return NULL;
}

MUST_USE static struct error *add_one(struct store *store, struct addition *addition,
                                      struct store_object *ret_object)
{
    const struct store_decision decision = {check_sum, draft_sum, accept_sum, addition, 0};
    return store_draft_change(store, sample_id(A), STORE_ANY, &decision, ret_object);
}

static struct error *do_nothing(void *data)
{
    (void)data;
    return NULL;
}

SIM_TEST(store_draft_of_a_small_object_is_made_in_the_edit)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct addition addition = {0};
    CHECK_OK(add_one(store, &addition, NULL));
    CHECK_OK(add_one(store, &addition, NULL));
    CHECK_EQ(sample_get(store, A), 2);
    CHECK_EQ(addition.drafts, (size_t)2);
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)0);
}

SIM_TEST(store_draft_of_a_large_object_is_made_on_a_thread)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    SCOPED(store_object) written = {0};
    struct addition addition = {.padding = COMPUTE_FROM};
    CHECK_OK(add_one(store, &addition, NULL)); /* the object is not there yet, and not large */
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)0);
    CHECK_OK(add_one(store, &addition, &written));
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)1);
    CHECK_EQ(sample_value(written.text), 2);
    TEST_CASE("the text has the revision of the change");
    CHECK_EQ(written.revision, store_revision(store));
    CHECK_EQ(object_text_resource_version(written.text), STR("3"));
    CHECK_CONTAINS(object_text_json(written.text), STR("\"resourceVersion\":\"3\""));
    CHECK(key_eq(object_text_key(written.text), A));

    TEST_CASE("so is one whose decision reads much");
    addition.padding = 0;
    CHECK_OK(sample_delete(store, A, STORE_ANY));
    const struct store_decision decision = {NULL, draft_sum, accept_sum, &addition, COMPUTE_FROM};
    CHECK_OK(store_draft_change(store, sample_id(A), STORE_ANY, &decision, NULL));
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)2);
    CHECK_EQ(sample_get(store, A), 1);
}

SIM_TEST(store_draft_answers_for_large_objects_are_those_for_small_ones)
{
    static const size_t paddings[] = {0, COMPUTE_FROM};
    for (size_t i = 0; i < COUNT(paddings); i++) {
        OWNED(store) store = store_new(loop_current(), &defaults);
        struct addition addition = {.padding = paddings[i]};
        SCOPED(store_object) kept = {0};
        CHECK_OK(add_one(store, &addition, NULL));
        addition.is_refused = true;
        CHECK_ERROR(add_one(store, &addition, NULL), ERROR_INVALID);
        addition.is_refused = false;
        addition.is_forbidden = true;
        CHECK_ERROR(add_one(store, &addition, NULL), ERROR_FORBIDDEN);
        addition.is_forbidden = false;
        addition.keeps = true;
        CHECK_OK(add_one(store, &addition, &kept));
        CHECK_EQ(sample_value(kept.text), 1);
        CHECK_EQ(store_revision(store), 2);
        const struct store_decision decision = {NULL, draft_sum, accept_sum, &addition, 0};
        CHECK_ERROR(store_draft_change(store, sample_id(A), 7, &decision, NULL), ERROR_CONFLICT);
        CHECK_OK(compute_sized(COMPUTE_FROM, do_nothing, NULL)); /* the turn is free again */
    }
}

/* What was there when the draft was begun may be gone when it is made. */
SIM_TEST(store_draft_is_checked_right_before_it_is_accepted)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct addition addition = {.padding = COMPUTE_FROM};
    CHECK_OK(add_one(store, &addition, NULL));
    addition = (struct addition){.padding = COMPUTE_FROM, .checks_left = 2};
    CHECK_ERROR(add_one(store, &addition, NULL), ERROR_GONE);
    CHECK_EQ(addition.drafts, (size_t)1);
    CHECK_EQ(addition.accepted, (size_t)0);
    CHECK_EQ(sample_get(store, A), 1);
}

SIM_TEST(store_draft_draws_another_version_when_it_stands_in_the_object)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct addition addition = {.padding = COMPUTE_FROM};
    CHECK_OK(add_one(store, &addition, NULL));
    addition.drafts = 0;
    addition.decoy = 1;
    CHECK_OK(add_one(store, &addition, NULL));
    CHECK_EQ(addition.drafts, (size_t)2);
    CHECK_EQ(sample_get(store, A), 2);
}

struct adder {
    struct store *store;
    struct addition addition;
};

static struct error *add_in_fiber(void *data)
{
    struct adder *adder = data;
    return add_one(adder->store, &adder->addition, NULL);
}

/* Nobody's change is lost, and none is made on a state that is no more. */
SIM_TEST(store_draft_is_made_again_when_the_object_changed_meanwhile)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct adder adder = {store, {.padding = COMPUTE_FROM}};
    SCOPED(scope) scope = {0};
    CHECK_OK(add_in_fiber(&adder));
    adder.addition.drafts = adder.addition.accepted = 0;
    scope_start(&scope, "adder", add_in_fiber, &adder);
    CHECK_OK(fiber_yield());
    CHECK_OK(fiber_yield());
    /* By the store itself, as the garbage collector's index would not: without a turn. */
    struct sample sample = {A, 40, COMPUTE_FROM};
    CHECK_OK(sample_store(store, sample_id(A), STORE_ANY, &sample, NULL));
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(sample_get(store, A), 41);
    CHECK_EQ(adder.addition.drafts, (size_t)2);
    CHECK_EQ(adder.addition.accepted, (size_t)1);
}

SIM_TEST(store_draft_of_many_at_once_is_made_once_for_each)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct adder adders[10] = {0};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(adders); i++) {
        adders[i] = (struct adder){store, {.padding = COMPUTE_FROM}};
        if (i == 0)
            CHECK_OK(add_in_fiber(&adders[0]));
        else
            scope_start(&scope, "adder", add_in_fiber, &adders[i]);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(sample_get(store, A), 10);
    for (size_t i = 0; i < COUNT(adders); i++)
        CHECK_EQ(adders[i].addition.drafts, (size_t)1);
}

TORTURE_TEST(store_draft_ends_whatever_goes_wrong)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct adder adder = {store, {.padding = COMPUTE_FROM}};
    SCOPED(scope) scope = {0};
    TRY(add_in_fiber(&adder));
    scope_start(&scope, "adder", add_in_fiber, &adder);
    scope_start(&scope, "adder", add_in_fiber, &adder);
    TRY(scope_wait(&scope));
    CHECK_EQ(sample_get(store, A), 3);
    return NULL;
}
