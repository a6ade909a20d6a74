/*
 * Random numbers: a seeded generator that repeats exactly, and bytes from the kernel for secrets.
 *
 * struct random is xoshiro256** seeded through splitmix64: fast and statistically sound, but not
 * for keys, tokens or anything an outsider must not guess. Those use random_bytes_secure().
 *
 *     struct random random;
 *     random_init(&random, 42);
 *     delay = random_jitter(&random, 10 * SECOND, 0.1);
 *
 * A generator belongs to one thread and must be initialised: zeroed memory is not a valid state.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/str.h"

struct random {
    uint64_t state[4];
};

void random_init(struct random *random, uint64_t seed);

/* Seeded by the kernel: a different sequence in every process. */
void random_init_secure(struct random *random);

uint64_t random_u64(struct random *random);

/* Evenly from [0, n), without the bias of a remainder. n is not 0. */
uint64_t random_below(struct random *random, uint64_t n);

/* Evenly from [0, 1), in steps of 2^-53. */
double random_double(struct random *random);

/*
 * Evenly from [base, base * (1 + factor)): spreads out events that would otherwise happen at once.
 * As in Kubernetes' wait.Jitter(), a factor of 0 or less means 1. A base of 0 or less is returned
 * unchanged, and the result saturates at FOREVER.
 */
duration random_jitter(struct random *random, duration base, double factor);

/* Fills memory from the generator: test data, identifiers, never secrets. */
void random_bytes(struct random *random, void *ptr, size_t len);

#define RANDOM_UUID_LEN 36

/* A version 4 UUID in lower case with a NUL behind it; returns a view of text. */
struct str random_uuid(struct random *random, char text[static RANDOM_UUID_LEN + 1]);

/*
 * Bytes that nobody can guess, from getrandom(2). A kernel without random bytes ends the process.
 */
void random_bytes_secure(void *ptr, size_t len);
