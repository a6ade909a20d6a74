/*
 * A call of a webhook: one POST over HTTPS to the server that a clientConfig names.
 *
 * The server is a stranger. It gets a deadline, an answer has a limit, and redirects are not
 * followed. Each call makes a connection of its own. How many requests may wait for webhooks at a
 * time is limited, for one API and for all that share a caller, so that a slow webhook leaves room
 * for requests that need none.
 */
#pragma once

#include "apiserver/webhooks/webhook_service.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "json/json.h"

struct api;
struct inflight_limits_pass;
struct loop;
struct network;
struct tls_context;

/* Requests that wait for webhooks at a time: of one API, and of all that share a caller. */
#define WEBHOOK_WAITING_PER_API 100
#define WEBHOOK_WAITING_MAX     400

/* What calls are made with. The network says which addresses are allowed. */
struct webhook_caller {
    struct loop *loop;
    struct network *network;
    struct tls_context *tls;
    size_t waiting;
};

/* A request waits for webhooks. A zeroed one does not. */
struct webhook_wait {
    struct api *api;
};

/* ERROR_TOO_MANY_REQUESTS when too many wait already. */
MUST_USE struct error *webhook_wait_begin(struct webhook_wait *wait, struct api *api);
void webhook_wait_done(struct webhook_wait *wait);

struct webhook_request {
    const struct json_value *client_config; /* url or service, caBundle */
    duration timeout;
    struct str body;
    size_t answer_max;
    struct inflight_limits_pass *pass; /* counts large answers; NULL: no limits */
    const char *context;               /* in front of what went wrong with the call */
};

/*
 * The answer is appended to the buffer. The error says what kube-apiserver says behind "failed
 * calling webhook" or "conversion webhook for ... failed"; a deadline is ERROR_DEADLINE only if the
 * fiber's own has passed. Suspends.
 */
MUST_USE struct error *webhook_call(struct api *api, const struct webhook_request *request,
                                    struct buf *answer);
