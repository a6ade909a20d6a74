/*
 * TLS as a transport over another transport, and the client's side of the handshake.
 *
 * The layers: transport_send() on a TLS transport calls SSL_write_ex(), OpenSSL encrypts and calls
 * bio_write(), and that calls transport_send() on the transport below (tls->lower). Receiving is
 * the same the other way round. No layer blocks: WAIT from below becomes a retry flag of the BIO,
 * which OpenSSL reports as SSL_ERROR_WANT_READ or _WRITE, which becomes WAIT again.
 *
 * OpenSSL keeps errors in a queue of the thread. The queue is cleared before each call and read
 * before the next suspension, since other fibers use it meanwhile. Errors of this file say what the
 * peer did where OpenSSL's words would not (tls_describe_failure()).
 */
#include "net/tls.h"

#include <arpa/inet.h>
#include <assert.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "async/loop.h"
#include "base/memory.h"
#include "net/tls_internal.h"

#define NAME_MAX_LEN 255

struct tls_context {
    SSL_CTX *ctx;
};

static const struct transport_ops tls_ops;

/*
 * The BIO below an SSL hands bytes to the transport below and keeps none. During the handshake they
 * wait in buffers instead, see tls_handshake.c.
 */
static int bio_write(BIO *bio, const char *ptr, int len)
{
    const struct tls *tls = BIO_get_data(bio);
    size_t n = 0;
    BIO_clear_retry_flags(bio);
    if (tls->handshake)
        return tls_handshake_write(tls->handshake, str_from(ptr, (size_t)len));
    switch (transport_send(tls->lower, str_from(ptr, (size_t)len), &n)) {
    case TRANSPORT_OK:
        return (int)n;
    case TRANSPORT_WAIT:
        BIO_set_retry_write(bio);
        return -1;
    default:
        return -1;
    }
}

static int read_unread(struct tls *tls, char *ptr, size_t capacity)
{
    const size_t n = tls->unread.len < capacity ? tls->unread.len : capacity;
    memcpy(ptr, tls->unread.ptr, n);
    buf_consume(&tls->unread, n);
    if (!tls->unread.len)
        buf_done(&tls->unread);
    return (int)n;
}

/*
 * OpenSSL reads as much as there is at once (read-ahead). A transport that returned fewer bytes
 * than asked for has no more for now and is not asked again before it is ready. This takes one
 * system call for a small request instead of five.
 */
static int bio_read(BIO *bio, char *ptr, int len)
{
    struct tls *tls = BIO_get_data(bio);
    size_t n = 0;
    BIO_clear_retry_flags(bio);
    if (tls->handshake) {
        const int got = tls_handshake_read(tls->handshake, ptr, (size_t)len);
        if (got < 0)
            BIO_set_retry_read(bio);
        return got;
    }
    if (tls->unread.len)
        return read_unread(tls, ptr, (size_t)len);
    switch (tls->is_drained ? TRANSPORT_WAIT
                            : transport_receive(tls->lower, ptr, (size_t)len, &n)) {
    case TRANSPORT_OK:
        tls->is_drained = tls->lower->short_means_drained && n < (size_t)len;
        return (int)n;
    case TRANSPORT_WAIT:
        BIO_set_retry_read(bio);
        return -1;
    case TRANSPORT_END:
        return 0;
    default:
        return -1;
    }
}

/* OpenSSL flushes the BIO; there is nothing to flush. All other commands are refused. */
static long bio_control(BIO *bio, int command, long number, void *ptr)
{
    (void)bio;
    (void)number;
    (void)ptr;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static int bio_created(BIO *bio)
{
    BIO_set_init(bio, 1);
    return 1;
}

/* Made once and kept for the life of the process. */
static const BIO_METHOD *bio_method(void)
{
    static BIO_METHOD *method;
    if (!method) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "transport");
        BIO_meth_set_write(method, bio_write);
        BIO_meth_set_read(method, bio_read);
        BIO_meth_set_ctrl(method, bio_control);
        BIO_meth_set_create(method, bio_created);
    }
    return method;
}

static void attach_bio(struct tls *tls)
{
    BIO *bio = BIO_new(bio_method());
    BIO_set_data(bio, tls);
    SSL_set_bio(tls->ssl, bio, bio);
}

struct tls *tls_of(SSL *ssl)
{
    return SSL_get_app_data(ssl);
}

void tls_of_set(SSL *ssl, struct tls *tls)
{
    SSL_set_app_data(ssl, tls);
}

static struct tls *of(struct transport *transport)
{
    return CONTAINER_OF(transport, struct tls, transport);
}

/*
 * Why SSL_read_ex(), SSL_write_ex() or SSL_do_handshake() failed. The cause that is nearest to the
 * user comes first: the verification of the certificate, then the transport below, then OpenSSL.
 */
struct error *tls_describe_failure(struct tls *tls, int ssl_error)
{
    if (tls->verify_err) {
        ERR_clear_error();
        return TAKE(tls->verify_err);
    }
    if (tls->lower->err) {
        ERR_clear_error();
        return transport_take_error(tls->lower);
    }
    const int reason = ERR_GET_REASON(ERR_peek_error());
    if (ssl_error == SSL_ERROR_SYSCALL || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        ERR_clear_error();
        return error_new(ERROR_CONNECTION,
                         "the peer closed the connection without a TLS close_notify");
    }
    if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
        reason == SSL_R_PACKET_LENGTH_TOO_LONG) {
        ERR_clear_error();
        return error_new(ERROR_TLS, "the peer does not speak TLS");
    }
    return tls_error("TLS");
}

static enum transport_result tls_receive(struct transport *transport, char *ptr, size_t capacity,
                                         size_t *ret_len)
{
    struct tls *tls = of(transport);
    if (tls->is_drained && !SSL_has_pending(tls->ssl))
        return TRANSPORT_WAIT;
    ERR_clear_error();
    if (SSL_read_ex(tls->ssl, ptr, capacity, ret_len) == 1) {
        tls->may_have_more = SSL_has_pending(tls->ssl);
        return TRANSPORT_OK;
    }
    tls->may_have_more = false;
    const int reason = SSL_get_error(tls->ssl, 0);
    tls->receive_needs_write = reason == SSL_ERROR_WANT_WRITE;
    switch (reason) {
    case SSL_ERROR_WANT_READ:
        /* No record is half read: its buffer is freed until the peer sends again. */
        SSL_free_buffers(tls->ssl);
        return TRANSPORT_WAIT;
    case SSL_ERROR_WANT_WRITE:
        return TRANSPORT_WAIT;
    case SSL_ERROR_ZERO_RETURN:
        return TRANSPORT_END;
    default:
        return transport_fail(transport, tls_describe_failure(tls, reason));
    }
}

static enum transport_result tls_send(struct transport *transport, struct str bytes,
                                      size_t *ret_len)
{
    struct tls *tls = of(transport);
    tls->is_drained = false; /* a peer that closes may have sent an alert, so reading is tried */
    ERR_clear_error();
    if (SSL_write_ex(tls->ssl, bytes.ptr, bytes.len, ret_len) == 1)
        return TRANSPORT_OK;
    const int reason = SSL_get_error(tls->ssl, 0);
    tls->send_needs_read = reason == SSL_ERROR_WANT_READ;
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE)
        return TRANSPORT_WAIT;
    return transport_fail(transport, tls_describe_failure(tls, reason));
}

static void pass_ready(void *data)
{
    struct tls *tls = data;
    if (tls->transport.ready)
        tls->transport.ready(tls->transport.ready_data);
}

/* The transport below has something again. */
static void on_lower_ready(void *data)
{
    struct tls *tls = data;
    tls->is_drained = false;
    pass_ready(tls);
}

/*
 * Reading may need to write and writing to read, because TLS exchanges messages of its own. Bytes
 * that OpenSSL has decrypted already make no socket readable, so a task reports readiness for them.
 */
static void tls_want(struct transport *transport, unsigned events)
{
    struct tls *tls = of(transport);
    unsigned lower = 0;
    if (events & TRANSPORT_READABLE)
        lower |= tls->receive_needs_write ? TRANSPORT_WRITABLE : TRANSPORT_READABLE;
    if (events & TRANSPORT_WRITABLE)
        lower |= tls->send_needs_read ? TRANSPORT_READABLE : TRANSPORT_WRITABLE;
    if ((events & TRANSPORT_READABLE) && tls->may_have_more)
        loop_post(transport->loop, &tls->ready_task);
    else
        loop_withdraw(&tls->ready_task);
    transport_set_ready(tls->lower, on_lower_ready, tls);
    transport_want(tls->lower, lower);
}

static void tls_finish(struct transport *transport)
{
    struct tls *tls = of(transport);
    ERR_clear_error();
    (void)SSL_shutdown(tls->ssl); /* sends the alert; the answer is not waited for */
    ERR_clear_error();
    transport_finish(tls->lower);
}

/* What OpenSSL holds of the input is dropped with the rest, so only the transport below matters. */
static enum transport_result tls_discard(struct transport *transport, size_t capacity,
                                         size_t *ret_len)
{
    struct tls *tls = of(transport);
    tls->may_have_more = false;
    tls->receive_needs_write = false;
    const enum transport_result result = transport_discard(tls->lower, capacity, ret_len);
    return result == TRANSPORT_FAILED ? transport_fail(transport, transport_take_error(tls->lower))
                                      : result;
}

static void tls_peer_address(struct transport *transport,
                             char ret_address[static TRANSPORT_PEER_MAX])
{
    transport_peer(of(transport)->lower, ret_address);
}

static void tls_limit_unsent(struct transport *transport, size_t bytes)
{
    transport_limit_unsent(of(transport)->lower, bytes);
}

static void tls_free(struct transport *transport)
{
    struct tls *tls = of(transport);
    loop_withdraw(&tls->ready_task);
    /* Otherwise OpenSSL marks the session of an unfinished shutdown as not resumable. */
    SSL_set_shutdown(tls->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(tls->ssl);
    ERR_clear_error();
    tls_handshake_free(tls->handshake);
    buf_done(&tls->unread);
    transport_free(tls->lower);
    error_free(tls->verify_err);
    mem_free(tls);
}

static const struct transport_ops tls_ops = {
    .receive = tls_receive,
    .send = tls_send,
    .discard = tls_discard,
    .want = tls_want,
    .finish = tls_finish,
    .peer = tls_peer_address,
    .limit_unsent = tls_limit_unsent,
    .free = tls_free,
};

/* Owns lower from now on. */
struct tls *tls_new(SSL_CTX *ctx, struct transport *lower)
{
    struct tls *tls = NEW(struct tls);
    tls->transport.ops = &tls_ops;
    tls->transport.loop = lower->loop;
    tls->lower = lower;
    tls->may_have_more = true; /* what came with the last of the handshake */
    tls->ready_task = (struct task){.run = pass_ready, .data = tls, .name = "tls"};
    tls->ssl = SSL_new(ctx);
    if (!tls->ssl)
        mem_exhausted(0);
    attach_bio(tls);
    tls_of_set(tls->ssl, tls);
    return tls;
}

/*
 * Options of clients and servers: TLS 1.2 or newer, no renegotiation, no compression, small idle
 * connections.
 */
void tls_set_common_options(SSL_CTX *ctx)
{
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    /* Chains are sent as given. Completing them would read the system's folder each time. */
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN |
                              SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(ctx, 1);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

/*
 * Called by OpenSSL when the server asks for a certificate, which it does not do in a resumed
 * handshake.
 */
static int show_identity(SSL *ssl, void *arg)
{
    (void)arg;
    struct tls *tls = tls_of(ssl);
    if (!tls->options || !tls->options->identity)
        return 1;
    tls->verify_err = tls_identity_use(tls->options->identity, ssl);
    return tls->verify_err ? 0 : 1;
}

/*
 * The system's authorities are loaded once and used by clients without a trust of their own.
 * Sessions are kept in struct tls_resumption and not in OpenSSL's cache.
 */
struct tls_context *tls_context_new(void)
{
    struct tls_context *context = NEW(struct tls_context);
    context->ctx = SSL_CTX_new(TLS_client_method());
    if (!context->ctx)
        mem_exhausted(0);
    tls_set_common_options(context->ctx);
    SSL_CTX_set_default_verify_paths(context->ctx);
    SSL_CTX_set_verify(context->ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(context->ctx, tls_verify, NULL);
    SSL_CTX_set_cert_cb(context->ctx, show_identity, NULL);
    SSL_CTX_set_session_cache_mode(context->ctx,
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context->ctx, tls_session_arrived);
    return context;
}

void tls_context_free(struct tls_context *context)
{
    if (!context)
        return;
    SSL_CTX_free(context->ctx);
    mem_free(context);
}

static bool is_address(const char *name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/*
 * Sets the name that the certificate must be for and the time at which it must be valid. The time
 * is that of the loop, which tests set. An address is checked against IP names and is not sent as
 * SNI (RFC 6066).
 */
static struct error *expect_server(struct tls *tls, const struct tls_client_options *options)
{
    char name[NAME_MAX_LEN + 1];
    if (options->server_name.len == 0 || options->server_name.len > NAME_MAX_LEN ||
        str_find_char(options->server_name, '\0') != STR_NONE)
        return error_new(ERROR_INVALID, "\"%.*s\" is not a server name",
                         STR_ARG(options->server_name));
    memcpy(name, options->server_name.ptr, options->server_name.len);
    name[options->server_name.len] = '\0';

    X509_VERIFY_PARAM *param = SSL_get0_param(tls->ssl);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
    X509_VERIFY_PARAM_set_time(param, (time_t)(loop_wall(tls->transport.loop) / SECOND));
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT |
                                               X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_address(name)) {
        X509_VERIFY_PARAM_set1_ip_asc(param, name);
    } else {
        X509_VERIFY_PARAM_set1_host(param, name, 0);
        SSL_set_tlsext_host_name(tls->ssl, name);
    }
    return NULL;
}

static void hold_credentials(const struct tls_client_options *options)
{
    if (options->identity)
        tls_identity_hold(options->identity);
    if (options->trust)
        tls_trust_hold(options->trust);
}

static void settle_credentials(const struct tls_client_options *options)
{
    if (options->identity)
        tls_identity_settle(options->identity);
    if (options->trust)
        tls_trust_settle(options->trust);
}

/* options is borrowed until the handshake has ended; tls_verify() and show_identity() read it. */
struct error *tls_connect(struct tls_context *context, struct transport *lower,
                          const struct tls_client_options *options,
                          struct transport **ret_transport)
{
    struct tls *tls = tls_new(context->ctx, lower);
    OWNED(transport) owner = &tls->transport;
    tls->options = options;
    tls->resumption = options->resumption;
    TRY(expect_server(tls, options));
    if (options->http2)
        SSL_set_alpn_protos(tls->ssl, tls_alpn_both, sizeof(tls_alpn_both) - 1);
    else
        SSL_set_alpn_protos(tls->ssl, tls_alpn_http, sizeof(tls_alpn_http) - 1);
    tls_resumption_offer(options->resumption, tls->ssl);
    SSL_set_connect_state(tls->ssl);
    hold_credentials(options);
    struct error *err = tls_handshake(tls, STR(""));
    /* Only the handshake needed the certificates. The next connection parses them again. */
    SSL_certs_clear(tls->ssl);
    settle_credentials(options);
    tls->options = NULL;
    TRY(err, "TLS handshake");
    *ret_transport = TAKE(owner);
    return NULL;
}

struct str tls_protocol(struct transport *transport)
{
    if (transport->ops != &tls_ops)
        return (struct str){0};
    const unsigned char *name = NULL;
    unsigned len = 0;
    SSL_get0_alpn_selected(of(transport)->ssl, &name, &len);
    return str_from((const char *)name, len);
}

SSL *tls_ssl(struct transport *transport)
{
    return transport->ops == &tls_ops ? of(transport)->ssl : NULL;
}
