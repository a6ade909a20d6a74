/*
 * The handshake. Its arithmetic takes about a millisecond, so that a client's steps run on worker
 * threads where the loop has some for it (cpu_turn_run()).
 *
 * A thread must not touch a transport. Each step therefore reads from and writes to buffers; before
 * it the loop has received what there is, after it the loop sends what was written. What the
 * callbacks of OpenSSL read meanwhile does not change: the options, and what
 * tls_identity_hold() and tls_trust_hold() hold. A server's steps run on the loop, because its
 * trust may be replaced at any time.
 *
 * OpenSSL reads ahead, so that all input is usually read when the handshake ends. What was not read
 * is kept for later calls (tls->unread).
 */
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "async/cpu_turn.h"
#include "base/buf.h"
#include "base/memory.h"
#include "net/tls_internal.h"

#define PIECE     (16 * KILOBYTE)
#define INPUT_MAX (64 * KILOBYTE) /* in one step */

struct tls_handshake {
    struct tls *tls;
    struct buf in, out;
    bool is_ended;        /* the peer sends no more */
    SSL_SESSION *session; /* that has arrived, or NULL */

    /* Of the last step. */
    int reason; /* of SSL_get_error() */
    struct error *err;
};

int tls_handshake_write(struct tls_handshake *handshake, struct str bytes)
{
    buf_add(&handshake->out, bytes);
    return handshake->out.overflowed ? 0 : (int)bytes.len;
}

int tls_handshake_read(struct tls_handshake *handshake, char *ptr, size_t capacity)
{
    const size_t n = handshake->in.len < capacity ? handshake->in.len : capacity;
    if (n == 0)
        return handshake->is_ended ? 0 : -1;
    memcpy(ptr, handshake->in.ptr, n);
    buf_consume(&handshake->in, n);
    return (int)n;
}

void tls_handshake_keep_session(struct tls_handshake *handshake, SSL_SESSION *session)
{
    SSL_SESSION_free(handshake->session);
    handshake->session = session;
}

void tls_handshake_free(struct tls_handshake *handshake)
{
    if (!handshake)
        return;
    buf_done(&handshake->in);
    buf_done(&handshake->out);
    SSL_SESSION_free(handshake->session);
    error_free(handshake->err);
    mem_free(handshake);
}

/* On a thread or on the loop. The queue of errors belongs to the thread. */
static void run_handshake_step(void *data)
{
    struct tls_handshake *handshake = data;
    SSL *ssl = handshake->tls->ssl;
    ERR_clear_error();
    const int status = SSL_do_handshake(ssl);
    handshake->reason = status == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, status);
    if (handshake->reason != SSL_ERROR_NONE && handshake->reason != SSL_ERROR_WANT_READ)
        handshake->err = tls_describe_failure(handshake->tls, handshake->reason);
}

static struct error *take_handshake_step(struct tls_handshake *handshake, bool has_begun)
{
    if (!handshake->tls->server)
        return cpu_turn_run(has_begun, run_handshake_step, handshake);
    TRY(has_begun ? cpu_turn_take_next() : cpu_turn_take());
    run_handshake_step(handshake);
    return NULL;
}

static struct error *send_handshake_output(struct tls_handshake *handshake)
{
    TRY(transport_write(handshake->tls->lower, buf_str(&handshake->out)));
    buf_clear(&handshake->out);
    return NULL;
}

/* Waits for input and takes all there is. */
static struct error *receive_handshake_input(struct tls_handshake *handshake)
{
    struct transport *lower = handshake->tls->lower;
    while (handshake->in.len + PIECE <= INPUT_MAX) {
        size_t len = 0;
        char *room = buf_reserve(&handshake->in, PIECE);
        switch (transport_receive(lower, room, PIECE, &len)) {
        case TRANSPORT_OK:
            buf_grow(&handshake->in, len);
            if (lower->short_means_drained && len < PIECE)
                return NULL;
            break;
        case TRANSPORT_WAIT:
            if (handshake->in.len)
                return NULL;
            TRY(transport_wait(lower, TRANSPORT_READABLE, "the TLS handshake"));
            break;
        case TRANSPORT_END:
            handshake->is_ended = true;
            return NULL;
        default:
            return transport_take_error(lower);
        }
    }
    return NULL;
}

static struct error *run_handshake(struct tls_handshake *handshake)
{
    for (bool has_begun = false;; has_begun = true) {
        TRY(take_handshake_step(handshake, has_begun));
        /* After a failure this is the alert that tells the peer, which it may not want any more. */
        struct error *unsent = send_handshake_output(handshake);
        if (handshake->err) {
            error_free(unsent);
            return TAKE(handshake->err);
        }
        TRY(unsent);
        if (handshake->reason == SSL_ERROR_NONE)
            return NULL;
        TRY(receive_handshake_input(handshake));
    }
}

struct error *tls_handshake(struct tls *tls, struct str first)
{
    struct tls_handshake *handshake = NEW(struct tls_handshake);
    handshake->tls = tls;
    handshake->in.limit = INPUT_MAX;
    handshake->out.limit = INPUT_MAX;
    buf_add(&handshake->in, first);
    tls->handshake = handshake;
    TRY(run_handshake(handshake));
    if (handshake->session)
        tls_resumption_keep(tls->resumption, TAKE(handshake->session));
    if (handshake->in.len)
        buf_add(&tls->unread, buf_str(&handshake->in));
    tls_handshake_free(TAKE(tls->handshake));
    return NULL;
}
