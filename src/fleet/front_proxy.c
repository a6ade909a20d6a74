#include "fleet/front_proxy.h"

#include "apimachinery/object.h"
#include "base/array.h"
#include "base/ascii.h"
#include "http/headers.h"
#include "http/url.h"
#include "json/json.h"
#include "net/tls.h"

void front_proxy_done(struct front_proxy *proxy)
{
    arena_done(&proxy->arena);
}

/* The values are lists of strings, written as JSON. An absent one is an empty list. */
static struct error *read_texts(struct front_proxy *proxy, const struct json_value *data,
                                const char *key, struct front_proxy_texts *texts)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *value;
    const struct str text = json_to_str(json_get(data, str_from_c(key)));
    if (!text.len)
        return NULL;
    TRY(json_read(text, &doc), "%s", key);
    if (json_type(json_doc_root(doc)) != JSON_ARRAY)
        return error_new(ERROR_INVALID, "%s is no list", key);
    JSON_FOREACH (index, value, json_doc_root(doc)) {
        if (!json_to_str(value).len)
            continue;
        ARENA_ARRAY_PUSH(&proxy->arena, texts->items, texts->count, texts->capacity,
                         arena_str(&proxy->arena, json_to_str(value)));
    }
    return NULL;
}

static struct error *read_all(const struct json_value *data, struct front_proxy *proxy)
{
    proxy->authority =
        arena_str(&proxy->arena, json_to_str(json_get(data, STR("requestheader-client-ca-file"))));
    TRY(read_texts(proxy, data, "requestheader-allowed-names", &proxy->names));
    TRY(read_texts(proxy, data, "requestheader-username-headers", &proxy->user_headers));
    TRY(read_texts(proxy, data, "requestheader-group-headers", &proxy->group_headers));
    TRY(read_texts(proxy, data, "requestheader-extra-headers-prefix", &proxy->extra_prefixes));
    if (!proxy->authority.len || !proxy->user_headers.count)
        return error_new(ERROR_INVALID,
                         "it has no requestheader-client-ca-file or no "
                         "requestheader-username-headers: kube-apiserver was started without the "
                         "flags of API aggregation");
    return NULL;
}

struct error *front_proxy_read(const struct object *config_map, struct front_proxy *ret_proxy)
{
    SCOPED(front_proxy) proxy = {0};
    TRY(read_all(object_path(config_map, "data"), &proxy),
        "ConfigMap " FRONT_PROXY_NAMESPACE "/" FRONT_PROXY_NAME);
    *ret_proxy = proxy;
    proxy = (struct front_proxy){0};
    return NULL;
}

static bool is_allowed(const struct front_proxy *proxy, const struct tls_peer *peer)
{
    if (!proxy->authority.len || !peer->verified)
        return false;
    for (size_t i = 0; i < proxy->names.count; i++)
        if (str_eq(proxy->names.items[i], peer->common_name))
            return true;
    return !proxy->names.count;
}

static struct str find_user(const struct front_proxy *proxy, const struct http_headers *headers)
{
    for (size_t i = 0; i < proxy->user_headers.count; i++) {
        const struct str user = http_headers_find(headers, proxy->user_headers.items[i]);
        if (user.len)
            return user;
    }
    return (struct str){0};
}

static struct front_proxy_texts find_groups(const struct front_proxy *proxy,
                                            const struct http_headers *headers, struct arena *arena)
{
    struct front_proxy_texts groups = {0};
    for (size_t i = 0; i < proxy->group_headers.count; i++)
        HTTP_HEADERS_FOREACH (header, headers)
            if (str_eq_nocase(header.name, proxy->group_headers.items[i]) && header.value.len)
                ARENA_ARRAY_PUSH(arena, groups.items, groups.count, groups.capacity, header.value);
    return groups;
}

/* Keys are lower case; names of headers cannot say more. */
static bool read_extra_key(struct arena *arena, struct str escaped, struct str *ret_key)
{
    OWNED(error) wrong = url_unescape(arena, escaped, ret_key);
    if (wrong || !ret_key->len)
        return false;
    char *lower = arena_alloc(arena, ret_key->len);
    for (size_t i = 0; i < ret_key->len; i++)
        lower[i] = ascii_to_lower(ret_key->ptr[i]);
    *ret_key = str_from(lower, ret_key->len);
    return true;
}

struct extras {
    struct rest_extra *items;
    size_t count, capacity;
};

/* A key comes once for each of its values. */
static void add_extra(struct arena *arena, struct extras *extras, struct str key, struct str value)
{
    struct rest_extra *extra = NULL;
    for (size_t i = 0; i < extras->count && !extra; i++)
        extra = str_eq(extras->items[i].key, key) ? &extras->items[i] : NULL;
    if (!extra) {
        ARENA_ARRAY_PUSH(arena, extras->items, extras->count, extras->capacity,
                         (struct rest_extra){.key = key});
        extra = &extras->items[extras->count - 1];
    }
    struct str *values = arena_alloc_array(arena, extra->value_count + 1, sizeof(*values));
    for (size_t i = 0; i < extra->value_count; i++)
        values[i] = extra->values[i];
    values[extra->value_count] = value;
    extra->values = values;
    extra->value_count++;
}

static struct extras find_extras(const struct front_proxy *proxy,
                                 const struct http_headers *headers, struct arena *arena)
{
    struct extras extras = {0};
    for (size_t i = 0; i < proxy->extra_prefixes.count; i++) {
        const struct str prefix = proxy->extra_prefixes.items[i];
        HTTP_HEADERS_FOREACH (header, headers) {
            struct str key;
            if (header.name.len > prefix.len &&
                str_eq_nocase(str_slice(header.name, 0, prefix.len), prefix) &&
                read_extra_key(arena, str_skip(header.name, prefix.len), &key))
                add_extra(arena, &extras, key, header.value);
        }
    }
    return extras;
}

bool front_proxy_identify(const struct front_proxy *proxy, const struct tls_peer *peer,
                          const struct http_headers *headers, struct arena *arena,
                          struct rest_impersonation *ret_user)
{
    const struct str user = find_user(proxy, headers);
    if (!is_allowed(proxy, peer) || !user.len)
        return false;
    const struct front_proxy_texts groups = find_groups(proxy, headers, arena);
    const struct extras extras = find_extras(proxy, headers, arena);
    *ret_user = (struct rest_impersonation){
        .user = user,
        .groups = groups.items,
        .group_count = groups.count,
        .extra = extras.items,
        .extra_count = extras.count,
    };
    return true;
}
