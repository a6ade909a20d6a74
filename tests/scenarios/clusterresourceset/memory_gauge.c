#include "scenarios/clusterresourceset/memory_gauge.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the sanitizer's runtime; absent without it. */
#define WEAK __attribute__((weak))
extern int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *,
                                                                       size_t),
                                                     void (*on_free)(const volatile void *)) WEAK;
extern size_t __sanitizer_get_allocated_size(const volatile void *ptr) WEAK;

static atomic_int_least64_t current, peak;

static void on_malloc(const volatile void *ptr, size_t size)
{
    (void)ptr;
    const int64_t now = atomic_fetch_add(&current, (int64_t)size) + (int64_t)size;
    if (now > atomic_load(&peak))
        atomic_store(&peak, now);
}

static void on_free(const volatile void *ptr)
{
    if (ptr)
        atomic_fetch_sub(&current, (int64_t)__sanitizer_get_allocated_size(ptr));
}

void memory_gauge_begin(void)
{
    static bool is_installed;
    if (__sanitizer_install_malloc_and_free_hooks && !is_installed)
        __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    is_installed = true;
    atomic_store(&current, 0);
    atomic_store(&peak, 0);
}

size_t memory_gauge_peak(void)
{
    const int64_t most = atomic_load(&peak);
    return most > 0 ? (size_t)most : 0;
}
