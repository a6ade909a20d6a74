#include "apiserver/endpoints/gate.h"

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "base/memory.h"

#define WATCHES_DEFAULT 20000

/* Of one user, and of all of them. */
#define USER_BYTES_MAX (32 * MEGABYTE)
#define BYTES_MAX      (128 * MEGABYTE)

/* Parts of the requests: one user gets one of them, and one is kept for administrators. */
#define PARTS 4

struct gate_user {
    char *key;
    size_t key_len;
    bool is_privileged;
    size_t requests, watches, bytes;
};

static void user_release(void *value)
{
    struct gate_user *user = value;
    mem_free(user->key);
    mem_free(user);
}

void gate_init(struct gate *gate, size_t requests_max, size_t watches_max)
{
    *gate = (struct gate){
        .requests_max = requests_max ? requests_max : GATE_REQUESTS,
        .watches_max = watches_max ? watches_max : WATCHES_DEFAULT,
        .users.release = user_release,
    };
    list_init(&gate->stays);
}

void gate_done(struct gate *gate)
{
    map_done(&gate->users);
}

void gate_close(struct gate *gate)
{
    gate->is_closed = true;
    LIST_FOREACH (struct gate_stay, stay, &gate->stays, link)
        fiber_cancel(stay->fiber);
}

void gate_stay_begin(struct gate *gate, struct gate_stay *stay)
{
    *stay = (struct gate_stay){.fiber = fiber_current()};
    list_append(&gate->stays, &stay->link);
    if (gate->is_closed)
        fiber_cancel(stay->fiber);
}

void gate_stay_end(struct gate_stay *stay)
{
    list_remove(&stay->link);
}

static struct gate_user *find_user(struct gate *gate, struct str key, bool is_privileged)
{
    struct gate_user *user = map_find(&gate->users, key);
    if (user)
        return user;
    user = NEW(struct gate_user);
    *user = (struct gate_user){
        .key = mem_dup(key.ptr, key.len), .key_len = key.len, .is_privileged = is_privileged};
    map_put(&gate->users, key, user);
    return user;
}

static void forget_if_gone(struct gate *gate, const struct gate_user *user)
{
    if (user->requests == 0 && user->watches == 0)
        map_remove(&gate->users, str_from(user->key, user->key_len));
}

static struct error *too_many(void)
{
    return status_too_many_requests(STR("Too many requests, please try again later."), 1);
}

static struct error *admit(const struct gate *gate, const struct gate_user *user, bool is_watch)
{
    const size_t part = gate->requests_max / PARTS;
    if (is_watch)
        return user->watches < gate->watches_max
                   ? NULL
                   : status_too_many_requests(STR("too many watches of this user are open"), 5);
    const bool is_full = user->is_privileged ? gate->requests >= gate->requests_max
                                             : gate->others >= gate->requests_max - part ||
                                                   user->requests >= (part ? part : 1);
    return is_full ? too_many() : NULL;
}

struct error *gate_enter(struct gate *gate, struct str key, bool is_privileged, bool is_watch,
                         struct gate_pass *ret_pass)
{
    if (gate->is_closed)
        return error_new(ERROR_SERVICE_UNAVAILABLE, "the server is shutting down");
    struct gate_user *user = find_user(gate, key, is_privileged);
    struct error *err = admit(gate, user, is_watch);
    if (err) {
        forget_if_gone(gate, user);
        return err;
    }
    *(is_watch ? &user->watches : &user->requests) += 1;
    gate->requests += !is_watch;
    gate->others += !is_watch && !user->is_privileged;
    *ret_pass = (struct gate_pass){.gate = gate, .user = user, .is_watch = is_watch};
    return NULL;
}

void gate_leave(struct gate_pass *pass)
{
    if (!pass->user)
        return;
    gate_give(pass, pass->bytes);
    *(pass->is_watch ? &pass->user->watches : &pass->user->requests) -= 1;
    pass->gate->requests -= !pass->is_watch;
    pass->gate->others -= !pass->is_watch && !pass->user->is_privileged;
    forget_if_gone(pass->gate, pass->user);
    *pass = (struct gate_pass){0};
}

/* Whoever is the only one may have as much as it takes, or nothing large would ever be served. */
static bool has_room(const struct gate_pass *pass, size_t bytes)
{
    const struct gate_user *user = pass->user;
    const struct gate *gate = pass->gate;
    const bool is_users_only = user->bytes == pass->bytes;
    const bool is_only = gate->bytes == pass->bytes;
    const size_t user_max = user->is_privileged ? BYTES_MAX : USER_BYTES_MAX;
    return (user->bytes + bytes <= user_max || is_users_only) &&
           (gate->bytes + bytes <= BYTES_MAX || is_only || (user->is_privileged && is_users_only));
}

static void take(struct gate_pass *pass, size_t bytes)
{
    pass->bytes += bytes;
    pass->user->bytes += bytes;
    pass->gate->bytes += bytes;
}

struct error *gate_hold(struct gate_pass *pass, size_t bytes)
{
    if (!pass)
        return NULL;
    if (!has_room(pass, bytes))
        return too_many();
    take(pass, bytes);
    return NULL;
}

struct error *gate_wait(struct gate_pass *pass, size_t bytes)
{
    if (!pass)
        return NULL;
    while (!has_room(pass, bytes))
        TRY(event_wait(&pass->gate->given, "others to read what they asked for"));
    take(pass, bytes);
    return NULL;
}

void gate_give(struct gate_pass *pass, size_t bytes)
{
    if (!pass || bytes == 0)
        return;
    pass->bytes -= bytes;
    pass->user->bytes -= bytes;
    pass->gate->bytes -= bytes;
    event_wake_all(&pass->gate->given);
}
