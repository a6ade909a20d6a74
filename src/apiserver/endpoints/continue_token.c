#include "apiserver/endpoints/continue_token.h"

#include "apimachinery/status.h"
#include "base/base64.h"
#include "json/builder.h"
#include "json/path.h"

#define TOKEN_VERSION STR("meta.k8s.io/v1")

/* "/name" in a namespace, "/namespace/name" over all of them, and the byte behind every name. */
struct str continue_token_write(struct arena *arena, int64_t revision, struct str namespace,
                                struct key last)
{
    SCOPED(buf) start = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    if (namespace.len == 0 && last.namespace.len)
        buf_print(&start, "/%.*s", STR_ARG(last.namespace));
    buf_print(&start, "/%.*s", STR_ARG(last.name));
    buf_add_char(&start, '\0');
    buf_print(&text, "{\"v\":\"%.*s\",\"rv\":%lld,\"start\":", STR_ARG(TOKEN_VERSION),
              (long long)revision);
    buf_add_json_string(&text, buf_str(&start));
    buf_add_char(&text, '}');
    base64_encode_url(&token, buf_str(&text));
    return arena_str(arena, buf_str(&token));
}

static struct error *invalid(const char *why)
{
    return status_bad_request("invalid continue token: continue key is not valid: %s", why);
}

static bool read_start(struct arena *arena, struct str start, struct str namespace,
                       struct key *ret_after)
{
    if (start.len < 3 || start.ptr[0] != '/' || start.ptr[start.len - 1] != '\0')
        return false;
    struct str name = arena_str(arena, str_slice(start, 1, start.len - 1));
    *ret_after = (struct key){.namespace = namespace};
    const size_t slash = str_find_char(name, '/');
    if (slash != STR_NONE) {
        if (namespace.len)
            return false;
        ret_after->namespace = str_slice(name, 0, slash);
        name = str_skip(name, slash + 1);
    }
    ret_after->name = name;
    return name.len > 0 && str_find_char(name, '/') == STR_NONE &&
           str_find_char(name, '\0') == STR_NONE &&
           str_find_char(ret_after->namespace, '\0') == STR_NONE;
}

struct error *continue_token_read(struct arena *arena, struct str token, struct str namespace,
                                  int64_t *ret_revision, struct key *ret_after)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    OWNED(error) undecoded = base64_decode_url(&text, token);
    if (undecoded)
        return invalid(undecoded->message);
    OWNED(error) unread = json_read(buf_str(&text), &doc);
    if (unread)
        return invalid(unread->message);
    const struct json_value *root = json_doc_root(doc);
    int64_t revision;
    if (!str_eq(json_path_str(root, "v"), TOKEN_VERSION) ||
        !json_to_int64(json_get(root, STR("rv")), &revision) || revision < -1 || revision == 0 ||
        !read_start(arena, json_path_str(root, "start"), namespace, ret_after))
        return invalid("it was not made by this server");
    *ret_revision = revision < 0 ? 0 : revision;
    return NULL;
}
