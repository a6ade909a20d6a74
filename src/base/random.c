#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* splitmix64: turns any seed, 0 included, into well mixed words that are not all zero. */
static uint64_t splitmix64(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15ULL;
    uint64_t word = *state;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
}

void random_init(struct random *random, uint64_t seed)
{
    for (size_t i = 0; i < COUNT(random->state); i++)
        random->state[i] = splitmix64(&seed);
}

void random_init_secure(struct random *random)
{
    uint64_t seed;
    random_bytes_secure(&seed, sizeof(seed));
    random_init(random, seed);
}

static uint64_t rotate(uint64_t word, int by)
{
    return (word << by) | (word >> (64 - by));
}

uint64_t random_u64(struct random *random)
{
    uint64_t *s = random->state;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t n)
{
    assert(n > 0);
    /* Multiply and keep the high word; the few low words that would favour some results are
     * drawn again. */
    const uint64_t uneven = (0 - n) % n;
    unsigned __int128 product;
    do {
        product = (unsigned __int128)random_u64(random) * n;
    } while ((uint64_t)product < uneven);
    return (uint64_t)(product >> 64);
}

double random_double(struct random *random)
{
    return (double)(random_u64(random) >> 11) * 0x1.0p-53;
}

duration random_jitter(struct random *random, duration base, double factor)
{
    if (base <= 0)
        return base;
    if (!(factor > 0))
        factor = 1;
    const double extra = random_double(random) * factor * (double)base;
    if (extra >= (double)(FOREVER - base))
        return FOREVER;
    return base + (duration)extra;
}

void random_bytes(struct random *random, void *ptr, size_t len)
{
    unsigned char *bytes = ptr;
    while (len) {
        const uint64_t word = random_u64(random);
        const size_t part = len < sizeof(word) ? len : sizeof(word);
        memcpy(bytes, &word, part);
        bytes += part;
        len -= part;
    }
}

struct str random_uuid(struct random *random, char text[static RANDOM_UUID_LEN + 1])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[16];
    random_bytes(random, bytes, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80); /* variant of RFC 4122 */
    char *out = text;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *out++ = '-';
        *out++ = hex[bytes[i] >> 4];
        *out++ = hex[bytes[i] & 15];
    }
    *out = '\0';
    return str_from(text, RANDOM_UUID_LEN);
}

void random_bytes_secure(void *ptr, size_t len)
{
    unsigned char *bytes = ptr;
    while (len) {
        const ssize_t got = getrandom(bytes, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            /* Going on with guessable bytes would be worse than not going on. */
            fprintf(stderr, "corset: the kernel gives no random bytes\n");
            abort();
        }
        bytes += got;
        len -= (size_t)got;
    }
}
