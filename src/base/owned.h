/*
 * Ownership made visible in declarations.
 *
 * A local that owns heap memory is OWNED(x) and is handed over with TAKE(). A local that owns
 * memory behind its own storage is SCOPED(x). Both release it at the end of the block. TRY() is the
 * only macro that returns.
 */
#pragma once

#include <stddef.h>

#define OWNED(type)  __attribute__((unused, cleanup(type##_freep))) struct type *
#define SCOPED(type) __attribute__((cleanup(type##_done))) struct type

#define DEFINE_OWNED(type)                           \
    static inline void type##_freep(struct type **p) \
    {                                                \
        type##_free(*p);                             \
    }

/* For memory from base/memory.h: OWNED_PTR char *name = ... */
#define OWNED_PTR __attribute__((cleanup(mem_freep)))

/*
 * The value of the pointer, which is NULL afterwards: the clean-up of the local does nothing then.
 */
#define TAKE(p)                     \
    ({                              \
        __typeof__(p) taken_ = (p); \
        (p) = NULL;                 \
        taken_;                     \
    })

/* Passes an error to the caller, with a context in front where one is given. */
#define TRY(call, ...)                                                        \
    do {                                                                      \
        struct error *error_ = (call);                                        \
        if (error_)                                                           \
            return __VA_OPT__(error_wrap)(error_ __VA_OPT__(, ) __VA_ARGS__); \
    } while (0)

#define MUST_USE                        __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args)          __attribute__((format(printf, fmt, args)))
#define COUNT(array)                    (sizeof(array) / sizeof((array)[0]))
#define CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define KILOBYTE ((size_t)1024)
#define MEGABYTE (1024 * KILOBYTE)
