/*
 * The bearer token of a WebSocket; see AUTH_WEBSOCKET_TOKEN in auth.h. The rules are those of
 * k8s.io/apiserver/pkg/authentication/request/websocket.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/auth_internal.h"
#include "base/base64.h"
#include "http/headers.h"

/* What the lists of protocols hold. */
struct protocols {
    struct str token; /* encoded */
    size_t tokens, others;
};

static void read_protocols(struct str list, struct protocols *protocols)
{
    const struct str prefix = STR(AUTH_WEBSOCKET_TOKEN);
    for (bool has_more = true; has_more;) {
        struct str protocol;
        has_more = str_cut(&list, ',', &protocol);
        protocol = str_trim(protocol);
        if (str_starts_with(protocol, prefix)) {
            protocols->token = str_skip(protocol, prefix.len);
            protocols->tokens++;
        } else {
            protocols->others++;
        }
    }
}

/* The server has to repeat one of the protocols, and must not repeat the token. */
static bool is_list_allowed(const struct protocols *protocols)
{
    return protocols->tokens <= 1 && (protocols->tokens == 0 || protocols->others > 0);
}

struct error *auth_websocket_token(struct arena *arena, const struct http_headers *headers,
                                   struct str *ret_token)
{
    struct protocols protocols = {0};
    SCOPED(buf) token = {.secret = true};
    HTTP_HEADERS_FOREACH (header, headers)
        if (str_eq(header.name, STR("sec-websocket-protocol")))
            read_protocols(header.value, &protocols);
    OWNED(error) malformed = base64_decode_url(&token, protocols.token);
    if (malformed || !is_list_allowed(&protocols) || !str_is_utf8(buf_str(&token)))
        return status_unauthorized();
    *ret_token = arena_str(arena, buf_str(&token));
    return NULL;
}
