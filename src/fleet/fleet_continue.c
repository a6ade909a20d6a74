/*
 * The text is base64url of: HMAC-SHA256 (32 bytes), then what it covers: the hash of the question
 * (32), the time in seconds as digits, "\n", the namespace, "\n", the name, "\n", the token.
 */
#include "fleet/fleet_continue.h"

#include <string.h>

#include "apimachinery/status.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/random.h"

#define BLOCK     64
#define TOKEN_MAX (64 * KILOBYTE)
#define LIFE      ((int64_t)3600) /* seconds */

void fleet_continue_key_init(struct fleet_continue_key *key)
{
    random_bytes_secure(key->bytes, sizeof(key->bytes));
}

static void hash_padded(const struct fleet_continue_key *key, uint8_t pad, struct str message,
                        uint8_t ret_digest[static SHA256_LEN])
{
    SCOPED(sha256) sha = {0};
    char block[BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (char)((i < sizeof(key->bytes) ? key->bytes[i] : 0) ^ pad);
    sha256_add(&sha, str_from(block, sizeof(block)));
    sha256_add(&sha, message);
    sha256_finish(&sha, ret_digest);
}

/* HMAC-SHA256, RFC 2104. */
static void sign_text(const struct fleet_continue_key *key, struct str message,
                      uint8_t ret_digest[static SHA256_LEN])
{
    uint8_t inner[SHA256_LEN];
    hash_padded(key, 0x36, message, inner);
    hash_padded(key, 0x5c, str_from((const char *)inner, sizeof(inner)), ret_digest);
}

/* Takes the same time wherever the difference is. */
static bool is_same_digest(const uint8_t *a, const char *b)
{
    unsigned difference = 0;
    for (size_t i = 0; i < SHA256_LEN; i++)
        difference |= (unsigned)(a[i] ^ (uint8_t)b[i]);
    return difference == 0;
}

struct str fleet_continue_write(struct arena *arena, const struct fleet_continue_key *key,
                                struct str question, timestamp now,
                                const struct fleet_continue *next)
{
    SCOPED(buf) message = {.limit = 2 * TOKEN_MAX};
    SCOPED(buf) signed_text = {.limit = 2 * TOKEN_MAX};
    SCOPED(buf) token = {.limit = 4 * TOKEN_MAX};
    uint8_t digest[SHA256_LEN];
    sha256_of(question, digest);
    buf_add(&message, str_from((const char *)digest, sizeof(digest)));
    buf_print(&message, "%lld\n", (long long)(now / SECOND));
    BUF_ADD_ALL(&message, next->cluster.namespace, STR("\n"), next->cluster.name, STR("\n"));
    buf_add(&message, next->token);
    sign_text(key, buf_str(&message), digest);
    buf_add(&signed_text, str_from((const char *)digest, sizeof(digest)));
    buf_add(&signed_text, buf_str(&message));
    base64_encode_url(&token, buf_str(&signed_text));
    return arena_str(arena, buf_str(&token));
}

static struct error *not_ours(void)
{
    return status_expired(STR("the continue token was not made by this process, was altered, or is "
                              "older than an hour; begin the list anew"));
}

/* The message behind a signature that was verified. */
static struct error *read_message(struct arena *arena, struct str message, timestamp now,
                                  struct fleet_continue *ret_next)
{
    struct str rest = arena_str(arena, message), made;
    int64_t seconds;
    if (!str_cut(&rest, '\n', &made) || !str_cut(&rest, '\n', &ret_next->cluster.namespace) ||
        !str_cut(&rest, '\n', &ret_next->cluster.name) || !str_to_int64(made, &seconds))
        return not_ours();
    ret_next->token = rest;
    const int64_t age = now / SECOND - seconds;
    return age < 0 || age > LIFE ? not_ours() : NULL;
}

struct error *fleet_continue_read(struct arena *arena, const struct fleet_continue_key *key,
                                  struct str question, timestamp now, struct str text,
                                  struct fleet_continue *ret_next)
{
    SCOPED(buf) bytes = {.limit = 2 * TOKEN_MAX};
    uint8_t digest[SHA256_LEN];
    OWNED(error) undecoded = base64_decode_url(&bytes, text);
    if (undecoded || bytes.overflowed || bytes.len < sizeof(digest) + SHA256_LEN)
        return not_ours();
    const struct str message = str_skip(buf_str(&bytes), SHA256_LEN);
    sign_text(key, message, digest);
    if (!is_same_digest(digest, bytes.ptr))
        return not_ours();
    sha256_of(question, digest);
    if (!is_same_digest(digest, message.ptr))
        return status_bad_request("the continue token is of another question");
    return read_message(arena, str_skip(message, SHA256_LEN), now, ret_next);
}
