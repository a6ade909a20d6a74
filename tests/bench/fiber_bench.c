#include <stdio.h>

#include "async/context.h"
#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "bench.h"

#define PARKED   20000
#define SWITCHES 5000000
#define YIELDS   2000000
#define GIBIBYTE (1024.0 * 1024 * 1024)

static void *here, *there;

static void bounce(void *data)
{
    (void)data;
    for (;;)
        context_switch(&there, here);
}

static void switch_cost(void)
{
    const size_t size = 64 * KILOBYTE;
    char *stack = mem_alloc(size);
    there = context_new(stack, size, bounce, NULL);
    const double begun = bench_cpu();
    for (int i = 0; i < SWITCHES; i++)
        context_switch(&here, there);
    bench_row("switch to a stack and back", (bench_cpu() - begun) / SWITCHES * 1e9, "ns",
              "prototype: 30 ns");
    mem_free(stack);
}

static struct error *parks(void *data)
{
    return event_wait(data, "the end of the measurement");
}

static struct error *measure(void *data)
{
    (void)data;
    double begun = bench_cpu();
    for (int i = 0; i < YIELDS; i++)
        TRY(fiber_yield());
    bench_row("wait of a fiber through the loop and back", (bench_cpu() - begun) / YIELDS * 1e9,
              "ns", "ready queue, timers and poll included");

    struct event event = {0};
    SCOPED(scope) scope = {0};
    TRY(fiber_yield());
    const size_t before = bench_resident();
    begun = bench_cpu();
    for (int i = 0; i < PARKED; i++)
        scope_start(&scope, "parks", parks, &event);
    TRY(fiber_yield());
    TRY(fiber_yield());
    const double each = (double)(bench_resident() - before) / PARKED;
    bench_row("start and first wait of a fiber", (bench_cpu() - begun) / PARKED * 1e9, "ns", "-");
    bench_row("memory of a parked fiber", each / 1024, "KiB", "prototype: 8 KiB");
    bench_row("parked fibers per GiB", GIBIBYTE / each, "", "measured with %d", PARKED);
    event_wake_all(&event);
    return scope_wait(&scope);
}

void bench_fibers(void)
{
    bench_heading("Fibers");
    switch_cost();
    OWNED(loop) loop = loop_new();
    OWNED(error) err = loop_run(loop, measure, NULL);
    if (err)
        printf("  failed: %s\n", err->message);
}
