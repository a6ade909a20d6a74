#include "http/conn_table.h"

#include "async/cpu_share.h"
#include "async/loop.h"
#include "base/error.h"
#include "base/map.h"
#include "http/conn.h"

/*
 * A connection without a request for as long is idle. A client that has just connected is about to
 * send its first one.
 */
#define IDLE_MIN (250 * MILLISECOND)
/* So many are looked at for one that can go; the others come later. */
#define LOOKS_MAX 64
/* Of the largest owner, since counting looks at every connection. */
#define DROPS_MAX 16

void conn_table_init(struct conn_table *table)
{
    list_init(&table->strangers);
    list_init(&table->known);
    table->stranger_count = table->known_count = 0;
}

void conn_table_add(struct conn_table *table, struct http_conn *conn)
{
    conn->is_known = false;
    list_append(&table->strangers, &conn->link);
    table->stranger_count++;
}

void conn_table_remove(struct conn_table *table, struct http_conn *conn)
{
    list_remove(&conn->link);
    *(conn->is_known ? &table->known_count : &table->stranger_count) -= 1;
}

void conn_table_vouch(struct conn_table *table, struct http_conn *conn)
{
    if (conn->is_known)
        return;
    conn_table_remove(table, conn);
    conn->is_known = true;
    list_append(&table->known, &conn->link);
    table->known_count++;
}

void conn_table_each(struct conn_table *table, void (*fn)(struct http_conn *conn))
{
    LIST_FOREACH (struct http_conn, conn, &table->strangers, link)
        fn(conn);
    LIST_FOREACH (struct http_conn, conn, &table->known, link)
        fn(conn);
}

static bool may_be_dropped(const struct http_conn *conn, int64_t now)
{
    return conn->call_count == 0 && !conn->lost && !conn->retired && conn->idle_since &&
           now - conn->idle_since >= IDLE_MIN;
}

static void drop_conn(struct http_conn *conn)
{
    http_conn_retire(conn);
    http_conn_close(conn, error_new(ERROR_CONNECTION, "the connection made room for another"));
}

/* Those that stay for now are put behind the others, so that the next search does not meet them. */
bool conn_table_drop_stranger(struct conn_table *table, int64_t now)
{
    for (size_t i = 0; i < LOOKS_MAX && i < table->stranger_count; i++) {
        struct list_link *link = list_take_first(&table->strangers);
        if (!link)
            break;
        struct http_conn *conn = LIST_ENTRY(link, struct http_conn, link);
        list_append(&table->strangers, link);
        if (may_be_dropped(conn, now)) {
            drop_conn(conn);
            return true;
        }
    }
    return false;
}

/* Requests of administrators are exempt; a connection that several share is nobody's. */
static bool is_exempt(const struct http_conn *conn)
{
    return conn->share && conn->share->is_exempt;
}

static struct str owner_key(const struct http_conn *conn)
{
    return str_from((const char *)&conn->share, sizeof(conn->share));
}

/* The owner with the most connections, idle or not. False: all are exempt. */
static bool find_largest_owner(struct conn_table *table, struct cpu_share **ret_owner)
{
    SCOPED(map) counts = {0};
    uintptr_t most = 0;
    LIST_FOREACH (struct http_conn, conn, &table->known, link) {
        if (is_exempt(conn))
            continue;
        const uintptr_t count = (uintptr_t)map_find(&counts, owner_key(conn)) + 1;
        map_put(&counts, owner_key(conn), (void *)count);
        if (count > most) {
            most = count;
            *ret_owner = conn->share;
        }
    }
    return most > 0;
}

bool conn_table_drop_known(struct conn_table *table, int64_t now)
{
    struct cpu_share *owner;
    size_t drops = 0;
    if (!find_largest_owner(table, &owner))
        return false;
    LIST_FOREACH (struct http_conn, conn, &table->known, link) {
        if (conn->share != owner || !may_be_dropped(conn, now))
            continue;
        drop_conn(conn);
        if (++drops == DROPS_MAX)
            break;
    }
    return drops > 0;
}
