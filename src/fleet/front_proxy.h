/*
 * Users who come through kube-apiserver: the front proxy of Kubernetes' API aggregation.
 *
 * kube-apiserver has authenticated the user. It shows a client certificate of the front proxy's
 * authority and names the user in headers. Which authority, which names of certificates and which
 * headers these are says the ConfigMap kube-system/extension-apiserver-authentication, in its keys
 * requestheader-*. Whoever shows another certificate is nobody, whatever the headers say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "client/kubeconfig/kubeconfig.h"

struct http_headers;
struct object;
struct tls_peer;

#define FRONT_PROXY_NAMESPACE "kube-system"
#define FRONT_PROXY_NAME      "extension-apiserver-authentication"

struct front_proxy_texts {
    struct str *items;
    size_t count, capacity;
};

/* Zero: no front proxy is known, and every request is refused. */
struct front_proxy {
    struct str authority;           /* PEM */
    struct front_proxy_texts names; /* of certificates; none: any that the authority has signed */
    struct front_proxy_texts user_headers, group_headers, extra_prefixes;
    struct arena arena;
};
void front_proxy_done(struct front_proxy *proxy);

/* ERROR_INVALID if the ConfigMap does not say what is needed: an authority and a user header. */
MUST_USE struct error *front_proxy_read(const struct object *config_map,
                                        struct front_proxy *ret_proxy);

/* False: nobody. Texts live in the arena or in the headers. */
bool front_proxy_identify(const struct front_proxy *proxy, const struct tls_peer *peer,
                          const struct http_headers *headers, struct arena *arena,
                          struct rest_impersonation *ret_user);
