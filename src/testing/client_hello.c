/* tls_connect() over a transport that notes what is sent and never answers. */
#include "testing/client_hello.h"

#include "async/fiber.h"
#include "base/memory.h"
#include "net/transport.h"

#define HELLO_WAIT (20 * MILLISECOND)

struct recorder {
    struct transport base;
    struct buf *out;
};

/* NOLINTBEGIN(readability-non-const-parameter): the interface has it so */
static enum transport_result recorder_receive(struct transport *transport, char *ptr,
                                              size_t capacity, size_t *ret_len)
{
    (void)transport, (void)ptr, (void)capacity, (void)ret_len;
    return TRANSPORT_WAIT;
}
/* NOLINTEND(readability-non-const-parameter) */

static enum transport_result recorder_send(struct transport *transport, struct str bytes,
                                           size_t *ret_len)
{
    buf_add(CONTAINER_OF(transport, struct recorder, base)->out, bytes);
    *ret_len = bytes.len;
    return TRANSPORT_OK;
}

static void recorder_want(struct transport *transport, unsigned events)
{
    (void)transport, (void)events;
}

static void recorder_free(struct transport *transport)
{
    mem_free(CONTAINER_OF(transport, struct recorder, base));
}

static const struct transport_ops recorder_ops = {
    .receive = recorder_receive,
    .send = recorder_send,
    .want = recorder_want,
    .free = recorder_free,
};

struct error *client_hello_write(struct loop *loop, struct tls_context *tls,
                                 const struct tls_client_options *options, struct buf *out)
{
    struct recorder *recorder = NEW(struct recorder);
    *recorder = (struct recorder){
        .base = {.ops = &recorder_ops, .loop = loop},
          .out = out
    };
    struct transport *transport;
    FIBER_TIMEOUT(HELLO_WAIT);
    struct error *err = tls_connect(tls, &recorder->base, options, &transport);
    TRY(error_ignore(err, ERROR_DEADLINE));
    return out->len ? NULL : error_new(ERROR_INVALID, "there is no ClientHello");
}
