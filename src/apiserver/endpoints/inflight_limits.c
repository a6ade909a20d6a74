/*
 * The counters are plain numbers, because everything runs on one thread. A user is remembered as
 * long as it has a request or a watch in flight.
 *
 * Of requests_max, one user gets a quarter and non-administrators together get three quarters.
 * Bytes are limited in total and by user, with one exception: a request that is the only holder may
 * always have what it needs, or nothing large would ever be served.
 */
#include "apiserver/endpoints/inflight_limits.h"

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "base/memory.h"

#define WATCHES_DEFAULT 20000

/* Of one user, and of all of them. */
#define USER_BYTES_MAX (32 * MEGABYTE)
#define BYTES_MAX      (128 * MEGABYTE)

/* Parts of the requests: one user gets one of them, and one is kept for administrators. */
#define PARTS 4

struct inflight_limits_user {
    char *key;
    size_t key_len;
    bool is_privileged;
    size_t requests, watches, bytes;
};

static void user_release(void *value)
{
    struct inflight_limits_user *user = value;
    mem_free(user->key);
    mem_free(user);
}

void inflight_limits_init(struct inflight_limits *limits, size_t requests_max, size_t watches_max)
{
    *limits = (struct inflight_limits){
        .requests_max = requests_max ? requests_max : INFLIGHT_LIMITS_REQUESTS,
        .watches_max = watches_max ? watches_max : WATCHES_DEFAULT,
        .users.release = user_release,
    };
    list_init(&limits->hangs);
}

void inflight_limits_done(struct inflight_limits *limits)
{
    map_done(&limits->users);
}

void inflight_limits_close(struct inflight_limits *limits)
{
    limits->is_closed = true;
    LIST_FOREACH (struct inflight_limits_hang, hang, &limits->hangs, link)
        fiber_cancel(hang->fiber);
}

void inflight_limits_hang_begin(struct inflight_limits *limits, struct inflight_limits_hang *hang)
{
    *hang = (struct inflight_limits_hang){.fiber = fiber_current()};
    list_append(&limits->hangs, &hang->link);
    if (limits->is_closed)
        fiber_cancel(hang->fiber);
}

void inflight_limits_hang_end(struct inflight_limits_hang *hang)
{
    list_remove(&hang->link);
}

/* The user of this key, created if it has nothing in flight. */
static struct inflight_limits_user *find_user(struct inflight_limits *limits, struct str key,
                                              bool is_privileged)
{
    struct inflight_limits_user *user = map_find(&limits->users, key);
    if (user)
        return user;
    user = NEW(struct inflight_limits_user);
    *user = (struct inflight_limits_user){
        .key = mem_dup(key.ptr, key.len), .key_len = key.len, .is_privileged = is_privileged};
    map_put(&limits->users, key, user);
    return user;
}

static void forget_if_gone(struct inflight_limits *limits, const struct inflight_limits_user *user)
{
    if (user->requests == 0 && user->watches == 0)
        map_remove(&limits->users, str_from(user->key, user->key_len));
}

static struct error *too_many(void)
{
    return status_too_many_requests(STR("Too many requests, please try again later."), 1);
}

/* Whether one more request or watch of the user fits. */
static struct error *check_limits(const struct inflight_limits *limits,
                                  const struct inflight_limits_user *user, bool is_watch)
{
    const size_t part = limits->requests_max / PARTS;
    if (is_watch)
        return user->watches < limits->watches_max
                   ? NULL
                   : status_too_many_requests(STR("too many watches of this user are open"), 5);
    const bool is_full = user->is_privileged ? limits->requests >= limits->requests_max
                                             : limits->others >= limits->requests_max - part ||
                                                   user->requests >= (part ? part : 1);
    return is_full ? too_many() : NULL;
}

/* A user that is refused and has nothing else in flight is forgotten again. */
struct error *inflight_limits_enter(struct inflight_limits *limits, struct str key,
                                    bool is_privileged, bool is_watch,
                                    struct inflight_limits_pass *ret_pass)
{
    if (limits->is_closed)
        return error_new(ERROR_SERVICE_UNAVAILABLE, "the server is shutting down");
    struct inflight_limits_user *user = find_user(limits, key, is_privileged);
    struct error *err = check_limits(limits, user, is_watch);
    if (err) {
        forget_if_gone(limits, user);
        return err;
    }
    *(is_watch ? &user->watches : &user->requests) += 1;
    limits->requests += !is_watch;
    limits->others += !is_watch && !user->is_privileged;
    *ret_pass = (struct inflight_limits_pass){.limits = limits, .user = user, .is_watch = is_watch};
    return NULL;
}

void inflight_limits_leave(struct inflight_limits_pass *pass)
{
    if (!pass->user)
        return;
    inflight_limits_give(pass, pass->bytes);
    *(pass->is_watch ? &pass->user->watches : &pass->user->requests) -= 1;
    pass->limits->requests -= !pass->is_watch;
    pass->limits->others -= !pass->is_watch && !pass->user->is_privileged;
    forget_if_gone(pass->limits, pass->user);
    *pass = (struct inflight_limits_pass){0};
}

/* See the exception at the top of this file. */
static bool has_room(const struct inflight_limits_pass *pass, size_t bytes)
{
    const struct inflight_limits_user *user = pass->user;
    const struct inflight_limits *limits = pass->limits;
    const bool is_users_only = user->bytes == pass->bytes;
    const bool is_only = limits->bytes == pass->bytes;
    const size_t user_max = user->is_privileged ? BYTES_MAX : USER_BYTES_MAX;
    return (user->bytes + bytes <= user_max || is_users_only) &&
           (limits->bytes + bytes <= BYTES_MAX || is_only ||
            (user->is_privileged && is_users_only));
}

static void take_bytes(struct inflight_limits_pass *pass, size_t bytes)
{
    pass->bytes += bytes;
    pass->user->bytes += bytes;
    pass->limits->bytes += bytes;
}

struct error *inflight_limits_hold(struct inflight_limits_pass *pass, size_t bytes)
{
    if (!pass)
        return NULL;
    if (!has_room(pass, bytes))
        return too_many();
    take_bytes(pass, bytes);
    return NULL;
}

struct error *inflight_limits_wait(struct inflight_limits_pass *pass, size_t bytes)
{
    if (!pass)
        return NULL;
    while (!has_room(pass, bytes))
        TRY(event_wait(&pass->limits->given, "others to read what they asked for"));
    take_bytes(pass, bytes);
    return NULL;
}

void inflight_limits_give(struct inflight_limits_pass *pass, size_t bytes)
{
    if (!pass || bytes == 0)
        return;
    pass->bytes -= bytes;
    pass->user->bytes -= bytes;
    pass->limits->bytes -= bytes;
    event_wake_all(&pass->limits->given);
}
