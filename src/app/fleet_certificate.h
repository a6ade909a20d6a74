/*
 * The certificate that the fleet's server shows to kube-apiserver: from files, which are read again
 * when they change, or issued by an authority that the replicas of a Deployment share in a Secret.
 *
 * The Secret has the keys ca.crt and ca.key. It must be there; the first process that finds it
 * without an authority makes one. The certificate is for the Service with the name and the
 * namespace of the Secret.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "base/buf.h"
#include "base/error.h"

struct client;
struct loop;

struct fleet_certificate_options {
    struct client *client; /* of the management cluster */
    struct str folder;     /* with tls.crt and tls.key; empty: a certificate is issued */
    struct key secret;     /* of the authority; no name: an authority that is thrown away */
    struct str host;       /* that the server listens on */
};

struct fleet_certificate {
    struct buf certificate, key; /* PEM; the key is secret */
    struct buf authority;        /* PEM; empty: it came from files */
    int64_t renew_at;            /* wall-clock nanoseconds; of issued ones */
};
void fleet_certificate_done(struct fleet_certificate *certificate);

/*
 * Reads or issues it. *ret_is_new: it is not the one that was there, which is kept otherwise, and
 * when this fails. Suspends.
 */
MUST_USE struct error *fleet_certificate_renew(struct loop *loop,
                                               const struct fleet_certificate_options *options,
                                               struct fleet_certificate *certificate,
                                               bool *ret_is_new);
