#include "app/fleet_page.h"

#include "apiserver/secret_file.h"
#include "async/loop.h"
#include "base/buf.h"
#include "base/memory.h"
#include "clustercache/clustercache.h"
#include "controller/cache/cache.h"
#include "net/pki.h"
#include "net/tls.h"
#include "web/web_access.h"
#include "web/web_server.h"
#include "web/web_source.h"

#define CERTIFICATE_VALIDITY (HOUR * 24 * 365)

/* Members are made in this order and released in the opposite order. */
struct fleet_page {
    struct loop *loop;
    struct cache_set *own; /* of kinds that the process does not wait for, or of all */
    struct web_source *source;
    struct web_access *access;
    struct tls_server *tls;
    struct web_server *server;
    struct buf address;
};

void fleet_page_free(struct fleet_page *page)
{
    if (!page)
        return;
    web_server_free(page->server);
    tls_server_free(page->tls);
    web_access_free(page->access);
    web_source_free(page->source);
    cache_set_free(page->own);
    buf_done(&page->address);
    mem_free(page);
}

struct str fleet_page_address(const struct fleet_page *page)
{
    return buf_str(&page->address);
}

/* A certificate of an authority that is thrown away. */
static struct error *make_certificate(struct loop *loop, struct str host, struct buf *certificate,
                                      struct buf *key)
{
    OWNED(pki_authority) authority = NULL;
    const int64_t now = loop_wall(loop);
    const struct str names[] = {STR("localhost"), STR("127.0.0.1"), host};
    TRY(pki_authority_new(STR("corset-web-ca"), now - HOUR, now + CERTIFICATE_VALIDITY,
                          &authority));
    return pki_issue(authority,
                     &(struct pki_request){.common_name = STR("corset-web"),
                                           .names = names,
                                           .name_count = COUNT(names),
                                           .server = true,
                                           .not_before = now - HOUR,
                                           .not_after = now + CERTIFICATE_VALIDITY},
                     certificate, key);
}

/* Blocks on files. */
static struct error *read_certificate(struct str folder, struct buf *certificate, struct buf *key)
{
    SCOPED(arena) arena = {0};
    const char *path = arena_c(&arena, folder);
    bool has_certificate = false, has_key = false;
    TRY(secret_file_read(path, "tls.crt", certificate, &has_certificate));
    TRY(secret_file_read(path, "tls.key", key, &has_key));
    return has_certificate && has_key
               ? NULL
               : error_new(ERROR_NOT_FOUND, "there is no tls.crt or no tls.key in %s", path);
}

static struct error *open_tls(struct fleet_page *page, const struct fleet_page_options *options)
{
    OWNED(tls_identity) identity = NULL;
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    if (options->cert_dir.len)
        TRY(read_certificate(options->cert_dir, &certificate, &key), "--web-cert-dir");
    else
        TRY(make_certificate(page->loop, options->host, &certificate, &key));
    TRY(tls_identity_read(buf_str(&certificate), buf_str(&key), &identity));
    return tls_server_new(&(struct tls_server_options){.identity = identity, .http2 = true},
                          &page->tls);
}

/* "[::1]" for an IPv6 address; for all addresses, the name of this machine for itself. */
static void write_address(struct fleet_page *page, const struct fleet_page_options *options,
                          const char *key)
{
    const bool is_any = str_eq(options->host, STR("0.0.0.0")) || str_eq(options->host, STR("::"));
    const bool is_ipv6 = !is_any && str_find_char(options->host, ':') != STR_NONE;
    buf_print(&page->address, "%s://%s%.*s%s:%u/", options->has_tokens ? "https" : "http",
              is_ipv6 ? "[" : "", STR_ARG(is_any ? STR("localhost") : options->host),
              is_ipv6 ? "]" : "", (unsigned)web_server_port(page->server));
    if (*key)
        buf_print(&page->address, "?key=%s", key);
}

/* The web_connection_fn of a ClusterCache. */
static bool find_connection(void *data, struct key cluster, struct web_connection *ret_connection)
{
    const struct clustercache *cache = data;
    if (!clustercache_knows(cache, cluster))
        return false;
    const struct clustercache_health health = clustercache_get_health(cache, cluster);
    *ret_connection = (struct web_connection){
        .is_connected = health.is_connected,
        .last_probe = health.last_probe_wall,
        .failures = health.failures,
        .problem = health.problem,
        .next_try = health.is_connected ? 0 : clustercache_next_try(cache, cluster),
    };
    return true;
}

static struct error *open_page(struct fleet_page *page, const struct fleet_page_options *options)
{
    char key[WEB_KEY_LEN + 1] = "";
    page->address.secret = true;
    page->own = cache_set_new(page->loop, options->client);
    page->source = web_source_new(
        page->loop,
        &(struct web_source_options){.caches = options->caches ? options->caches : page->own,
                                     .optional_caches = page->own,
                                     .namespace = options->namespace,
                                     .client = options->client,
                                     .connection = options->clustercache ? find_connection : NULL,
                                     .connection_data = options->clustercache});
    page->access = options->has_tokens ? web_access_new_tokens(page->loop, options->client)
                                       : web_access_new_local(page->loop, key);
    if (options->has_tokens)
        TRY(open_tls(page, options), "certificate of the page");
    TRY(web_server_new(page->loop,
                       &(struct web_server_options){.network = options->network,
                                                    .host = options->host,
                                                    .port = options->port,
                                                    .tls = page->tls,
                                                    .source = page->source,
                                                    .access = page->access},
                       &page->server));
    write_address(page, options, key);
    mem_wipe(key, sizeof(key));
    return NULL;
}

struct error *fleet_page_new(struct loop *loop, const struct fleet_page_options *options,
                             struct fleet_page **ret_page)
{
    OWNED(fleet_page) page = NEW(struct fleet_page);
    page->loop = loop;
    TRY(open_page(page, options));
    *ret_page = TAKE(page);
    return NULL;
}
