#include "controller/queue.h"

#include <stdio.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "base/metrics.h"
#include "base/random.h"
#include "controller/queue_internal.h"
#include "testing/sim.h"

static struct queue *queue_with(struct queue_options options)
{
    options.name = STR("test");
    return queue_new(loop_current(), &options);
}

static int64_t now(void)
{
    return loop_now(loop_current());
}

static size_t count_delayed(const struct queue *queue)
{
    size_t count = 0;
    MAP_FOREACH (item, &queue->entries)
        count += ((struct queue_entry *)item->value)->state == QUEUE_ENTRY_DELAYED;
    return count;
}

static size_t count_held(const struct queue *queue)
{
    size_t count = 0;
    for (const struct list_link *link = queue->held.head.next; link != &queue->held.head;
         link = link->next)
        count++;
    return count;
}

static size_t failures_of(const struct queue *queue, struct key key)
{
    SCOPED(buf) text = {0};
    buf_print(&text, "%.*s/%.*s", STR_ARG(key.namespace), STR_ARG(key.name));
    const struct queue_entry *entry = map_find(&queue->entries, buf_str(&text));
    return entry ? entry->failures : 0;
}

/* Takes, checks the name and gives back. */
static void check_next(struct queue *queue, const char *name)
{
    struct queue_item item;
    CHECK_OK(queue_take(queue, &item));
    CHECK_EQ(item.key.name, str_from_c(name));
    queue_done(queue, &item);
}

SIM_TEST(a_key_waits_once_whatever_is_added)
{
    OWNED(queue) queue = queue_with((struct queue_options){0});
    for (int i = 0; i < 10; i++)
        queue_add(queue, KEY("ns", "a"), QUEUE_NORMAL);
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL);
    CHECK_EQ(queue_ready(queue), (size_t)2);

    struct queue_item item;
    CHECK_OK(queue_take(queue, &item));
    CHECK_EQ(item.key.namespace, STR("ns"));
    CHECK_EQ(item.key.name, STR("a"));
    for (int i = 0; i < 10; i++)
        queue_add(queue, KEY("ns", "a"), QUEUE_NORMAL);
    CHECK_EQ(queue_ready(queue), (size_t)1);
    CHECK_EQ(count_held(queue), (size_t)1);
    queue_done(queue, &item);
    CHECK_EQ(queue_ready(queue), (size_t)2);
    CHECK_OK(queue_take(queue, &item));
    CHECK_EQ(item.key.namespace, STR(""));
    queue_done(queue, &item);
    CHECK_OK(queue_take(queue, &item));
    CHECK_EQ(item.key.namespace, STR("ns"));
    queue_done(queue, &item);
    CHECK_EQ(queue_ready(queue), (size_t)0);
}

SIM_TEST(higher_priorities_go_first_and_raised_keys_to_the_back)
{
    OWNED(queue) queue = queue_with((struct queue_options){0});
    queue_add(queue, KEY("", "low"), QUEUE_LOW);
    queue_add(queue, KEY("", "raised"), QUEUE_LOW);
    queue_add(queue, KEY("", "first"), QUEUE_NORMAL);
    queue_add(queue, KEY("", "second"), QUEUE_NORMAL);
    queue_add(queue, KEY("", "raised"), QUEUE_NORMAL);
    queue_add(queue, KEY("", "first"), QUEUE_LOW); /* is not lowered */
    check_next(queue, "first");
    check_next(queue, "second");
    check_next(queue, "raised");
    check_next(queue, "low");
}

SIM_TEST(delayed_keys_become_ready_in_time_and_the_earlier_time_counts)
{
    OWNED(queue) queue = queue_with((struct queue_options){0});
    const int64_t begun = now();
    queue_add_after(queue, KEY("", "a"), 10 * SECOND, QUEUE_NORMAL);
    queue_add_after(queue, KEY("", "b"), 5 * SECOND, QUEUE_LOW);
    queue_add_after(queue, KEY("", "a"), 3 * SECOND, QUEUE_LOW); /* keeps its priority */
    queue_add_after(queue, KEY("", "a"), 20 * SECOND, QUEUE_LOW);
    CHECK_EQ(queue_ready(queue), (size_t)0);
    CHECK_EQ(count_delayed(queue), (size_t)2);
    struct queue_item item;
    CHECK_OK(queue_take(queue, &item));
    CHECK_EQ(item.key.name, STR("a"));
    CHECK_EQ(item.priority, QUEUE_NORMAL);
    CHECK_EQ(now() - begun, 3 * SECOND);
    queue_done(queue, &item);
    check_next(queue, "b");
    CHECK_EQ(now() - begun, 5 * SECOND);

    queue_add_after(queue, KEY("", "c"), HOUR, QUEUE_NORMAL);
    queue_add(queue, KEY("", "c"), QUEUE_NORMAL);
    check_next(queue, "c");
    CHECK_EQ(count_delayed(queue), (size_t)0);
    CHECK_EQ(now() - begun, 5 * SECOND);
}

/* FW: 5 ms * 2^n, at most 1000 s; a success begins anew. */
SIM_TEST(failures_back_off_per_key)
{
    OWNED(queue) queue = queue_with((struct queue_options){0});
    duration expected = 5 * MILLISECOND;
    for (int i = 0; i < 25; i++) {
        const int64_t begun = now();
        queue_add_failed(queue, KEY("", "a"), QUEUE_NORMAL);
        CHECK_EQ(failures_of(queue, KEY("", "a")), (size_t)i + 1);
        check_next(queue, "a");
        CHECK_EQ(now() - begun, expected);
        expected = expected * 2 < 1000 * SECOND ? expected * 2 : 1000 * SECOND;
    }
    queue_forget(queue, KEY("", "a"));
    CHECK_EQ(failures_of(queue, KEY("", "a")), (size_t)0);
    const int64_t begun = now();
    queue_add_failed(queue, KEY("", "a"), QUEUE_NORMAL);
    check_next(queue, "a");
    CHECK_EQ(now() - begun, 5 * MILLISECOND);
}

SIM_TEST(failures_of_all_keys_share_a_bucket)
{
    OWNED(queue) queue = queue_with((struct queue_options){0});
    const int64_t begun = now();
    for (int i = 0; i < 130; i++) {
        char name[16];
        const int len = snprintf(name, sizeof(name), "%d", i);
        queue_add_failed(queue, (struct key){{0}, str_from(name, (size_t)len)}, QUEUE_NORMAL);
    }
    for (int i = 0; i < 130; i++) {
        struct queue_item item;
        CHECK_OK(queue_take(queue, &item));
        const duration waited = now() - begun;
        const duration expected = i < 100 ? 5 * MILLISECOND : 100 * MILLISECOND * (i - 99);
        CHECK(waited >= expected - MICROSECOND && waited <= expected + MICROSECOND);
        queue_done(queue, &item);
    }
}

SIM_TEST(starts_of_one_key_are_spaced_unless_asked_for)
{
    OWNED(queue) queue = queue_with((struct queue_options){.spacing = SECOND});
    const int64_t begun = now();
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL);
    check_next(queue, "a");
    CHECK_EQ(now() - begun, (int64_t)0);
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL);
    queue_add(queue, KEY("", "b"), QUEUE_NORMAL);
    check_next(queue, "b");
    CHECK_EQ(now() - begun, (int64_t)0);
    check_next(queue, "a");
    CHECK_EQ(now() - begun, SECOND);
    queue_add_after(queue, KEY("", "a"), MILLISECOND, QUEUE_NORMAL);
    check_next(queue, "a");
    CHECK_EQ(now() - begun, SECOND + MILLISECOND);
    queue_add_failed(queue, KEY("", "a"), QUEUE_NORMAL);
    check_next(queue, "a");
    CHECK_EQ(now() - begun, 2 * SECOND + 6 * MILLISECOND);

    struct queue_item item;
    CHECK_OK(fiber_sleep(MINUTE));
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL);
    CHECK_OK(queue_take(queue, &item));
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL);
    queue_done(queue, &item);
    const int64_t again = now();
    check_next(queue, "a");
    CHECK_EQ(now() - again, SECOND);
}

static struct error *take_two(void *data)
{
    struct queue_item item;
    for (int i = 0; i < 2; i++) {
        TRY(queue_take(data, &item));
        queue_done(data, &item);
    }
    return NULL;
}

SIM_TEST(a_canceled_worker_does_not_lose_a_key)
{
    OWNED(queue) queue = queue_with((struct queue_options){0});
    SCOPED(scope) scope = {0};
    struct fiber *first = scope_start(&scope, "first", take_two, queue);
    CHECK_OK(fiber_sleep(SECOND));
    scope_start(&scope, "second", take_two, queue);
    CHECK_OK(fiber_sleep(SECOND));
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL); /* wakes the first */
    fiber_cancel(first);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(queue_ready(queue), (size_t)0);
}

SIM_TEST(queues_are_measured)
{
    OWNED(metrics) metrics = metrics_new();
    OWNED(queue) queue = queue_with((struct queue_options){.metrics = metrics});
    struct queue_item item;
    queue_add(queue, KEY("", "a"), QUEUE_NORMAL);
    queue_add(queue, KEY("", "b"), QUEUE_LOW);
    queue_add(queue, KEY("", "b"), QUEUE_LOW);
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_OK(queue_take(queue, &item));
    queue_add_failed(queue, item.key, item.priority);
    CHECK_OK(fiber_sleep(3 * SECOND));
    SCOPED(buf) text = {0};
    metrics_write(metrics, &text);
    static const char *const lines[] = {
        "workqueue_depth{name=\"test\",controller=\"test\",priority=\"0\"} 0\n",
        "workqueue_depth{name=\"test\",controller=\"test\",priority=\"-100\"} 1\n",
        "workqueue_adds_total{name=\"test\",controller=\"test\"} 2\n",
        "workqueue_retries_total{name=\"test\",controller=\"test\"} 1\n",
        "workqueue_queue_duration_seconds_sum{name=\"test\",controller=\"test\"} 2\n",
        "workqueue_work_duration_seconds_count{name=\"test\",controller=\"test\"} 0\n",
        "workqueue_unfinished_work_seconds{name=\"test\",controller=\"test\"} 3\n",
        "workqueue_longest_running_processor_seconds{name=\"test\",controller=\"test\"} 3\n",
    };
    for (size_t i = 0; i < COUNT(lines); i++)
        CHECK_CONTAINS(buf_str(&text), str_from_c(lines[i]));
    queue_done(queue, &item);
    buf_clear(&text);
    metrics_write(metrics, &text);
    CHECK_CONTAINS(buf_str(&text), STR("workqueue_work_duration_seconds_sum{name=\"test\","
                                       "controller=\"test\"} 3\n"));
    CHECK_CONTAINS(buf_str(&text), STR("workqueue_unfinished_work_seconds{name=\"test\","
                                       "controller=\"test\"} 0\n"));
}

/* The same promises, kept in the simplest way: every question looks at every key. */
#define MODEL_KEYS 12

struct model_key {
    bool waits, held, wanted;
    int priority, wanted_priority;
    int64_t at, wanted_at;
    uint64_t order;   /* of becoming ready; 0: not yet */
    uint64_t touched; /* of the last adding */
    size_t failures;
};

struct model {
    struct model_key keys[MODEL_KEYS];
    uint64_t order, touched;
};

static struct key model_name(size_t i)
{
    static const char names[] = "abcdefghijkl";
    return (struct key){i % 2 ? STR("odd") : STR(""), str_from(names + i, 1)};
}

/* Keys become ready in the order of their times; of equal ones in that of their adding. */
static void model_promote(struct model *model)
{
    for (;;) {
        struct model_key *first = NULL;
        for (size_t i = 0; i < MODEL_KEYS; i++) {
            struct model_key *key = &model->keys[i];
            if (key->waits && !key->order && key->at <= now() &&
                (!first || key->at < first->at ||
                 (key->at == first->at && key->touched < first->touched)))
                first = key;
        }
        if (!first)
            return;
        first->order = ++model->order;
    }
}

static void model_wait(struct model *model, struct model_key *key, int64_t at, int priority)
{
    if (!key->waits) {
        *key = (struct model_key){
            .waits = true, .at = at, .priority = priority, .failures = key->failures};
    } else {
        key->at = at < key->at ? at : key->at;
        if (priority > key->priority && key->order)
            key->order = ++model->order;
        key->priority = priority > key->priority ? priority : key->priority;
    }
    key->touched = ++model->touched;
    model_promote(model);
}

static void model_add(struct model *model, size_t i, int64_t at, int priority)
{
    struct model_key *key = &model->keys[i];
    if (!key->held) {
        model_wait(model, key, at, priority);
        return;
    }
    key->wanted_at = key->wanted && key->wanted_at < at ? key->wanted_at : at;
    if (!key->wanted || priority > key->wanted_priority)
        key->wanted_priority = priority;
    key->wanted = true;
}

static size_t model_take(struct model *model)
{
    size_t best = MODEL_KEYS;
    for (size_t i = 0; i < MODEL_KEYS; i++) {
        const struct model_key *key = &model->keys[i], *other = &model->keys[best % MODEL_KEYS];
        if (key->waits && key->order &&
            (best == MODEL_KEYS || key->priority > other->priority ||
             (key->priority == other->priority && key->order < other->order)))
            best = i;
    }
    if (best < MODEL_KEYS) {
        model->keys[best].waits = model->keys[best].wanted = false;
        model->keys[best].held = true;
        model->keys[best].order = 0;
    }
    return best;
}

static void model_done(struct model *model, size_t i)
{
    struct model_key *key = &model->keys[i];
    key->held = false;
    if (key->wanted)
        model_wait(model, key, key->wanted_at, key->wanted_priority);
}

static void model_check(const struct model *model, const struct queue *queue)
{
    size_t ready = 0, waiting = 0, held = 0;
    for (size_t i = 0; i < MODEL_KEYS; i++) {
        const struct model_key *key = &model->keys[i];
        ready += key->waits && key->order;
        waiting += key->waits && !key->order;
        held += key->held;
        CHECK_EQ(failures_of(queue, model_name(i)), key->failures);
    }
    CHECK_EQ(queue_ready(queue), ready);
    CHECK_EQ(count_delayed(queue), waiting);
    CHECK_EQ(count_held(queue), held);
}

/* One step on both. */
static void model_step(struct model *model, struct queue *queue, struct random *random)
{
    const size_t i = (size_t)random_below(random, MODEL_KEYS);
    const int priority = (int)random_below(random, 3) * 50 - 100;
    const duration span = (duration)random_below(random, 100 * (uint64_t)MILLISECOND) + 1;
    struct queue_item item;
    switch (random_below(random, 8)) {
    case 0:
    case 1:
        queue_add(queue, model_name(i), priority);
        model_add(model, i, now(), priority);
        break;
    case 2:
        queue_add_after(queue, model_name(i), span, priority);
        model_add(model, i, now() + span, priority);
        break;
    case 3: {
        const size_t failures = model->keys[i].failures++;
        queue_add_failed(queue, model_name(i), priority);
        const duration most = 3 * SECOND,
                       own = failures > 10 ? most : (5 * MILLISECOND) << failures;
        model_add(model, i, now() + (own < most ? own : most), priority);
        break;
    }
    case 4:
        queue_forget(queue, model_name(i));
        model->keys[i].failures = 0;
        break;
    case 5: {
        const size_t expected = model_take(model);
        CHECK_EQ(queue_ready(queue) > 0, expected < MODEL_KEYS);
        if (expected == MODEL_KEYS)
            break;
        CHECK_OK(queue_take(queue, &item));
        CHECK(key_eq(item.key, model_name(expected)));
        CHECK_EQ(item.priority, model->keys[expected].priority);
        break;
    }
    case 6:
        if (!model->keys[i].held)
            break;
        queue_done(queue, &(struct queue_item){.key = model_name(i)});
        model_done(model, i);
        break;
    default:
        CHECK_OK(fiber_sleep(span));
        model_promote(model);
    }
}

SIM_TEST(queues_do_what_a_naive_model_does)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        TEST_CASE("seed %llu", (unsigned long long)seed);
        OWNED(queue)
        queue = queue_with((struct queue_options){.rate = -1, .backoff_max = 3 * SECOND});
        struct model model = {0};
        struct random random;
        random_init(&random, seed);
        for (int i = 0; i < 2000; i++) {
            model_step(&model, queue, &random);
            model_check(&model, queue);
        }
    }
}
