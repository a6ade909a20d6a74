#include <stdio.h>

#include "async/loop.h"
#include "base/memory.h"
#include "bench.h"
#include "controller/queue.h"

#define KEYS   100000
#define ROUNDS 5

struct names {
    char text[KEYS][16];
};

static struct key key_of(const struct names *names, size_t i)
{
    return (struct key){STR("default"), str_from_c(names->text[i])};
}

/* Every key once through the queue. */
static struct error *drain(struct queue *queue)
{
    while (queue_ready(queue)) {
        struct queue_item item;
        TRY(queue_take(queue, &item));
        queue_done(queue, &item);
    }
    return NULL;
}

static struct error *measure(void *data)
{
    const struct names *names = data;
    OWNED(queue) queue = queue_new(loop_current(), &(struct queue_options){.name = STR("bench")});
    double begun = bench_cpu();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < KEYS; i++)
            queue_add(queue, key_of(names, i), i % 2 ? QUEUE_NORMAL : QUEUE_LOW);
        TRY(drain(queue));
    }
    bench_row("keys through the queue: add, take, done", KEYS * ROUNDS / (bench_cpu() - begun),
              "per s", "%d wait at a time", KEYS);

    begun = bench_cpu();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < KEYS; i++)
            queue_add_after(queue, key_of(names, i), HOUR - (duration)i * MILLISECOND * round,
                            QUEUE_NORMAL);
    bench_row("delayed adds", KEYS * ROUNDS / (bench_cpu() - begun), "per s",
              "each after the first moves its key ahead");
    return NULL;
}

void bench_queue(void)
{
    bench_heading("Work queue");
    struct names *names = NEW(struct names);
    for (size_t i = 0; i < KEYS; i++)
        snprintf(names->text[i], sizeof(names->text[i]), "object-%zu", i);
    OWNED(loop) loop = loop_new();
    OWNED(error) err = loop_run(loop, measure, names);
    if (err)
        fprintf(stderr, "%s\n", err->message);
    mem_free(names);
}
