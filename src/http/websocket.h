/*
 * The server's end of a WebSocket (RFC 6455) for a handler that sends messages and expects none.
 *
 *     SCOPED(websocket) socket = {0};
 *     TRY(websocket_accept(&socket, request, hidden));
 *     if (!websocket_is_open(&socket))
 *         return NULL; // refused, and answered
 *     while (…)
 *         TRY(websocket_send_text(&socket, text));
 *
 * Pings are answered and messages of the client are skipped by a task of the loop; there is no
 * second fiber. When the client closes the WebSocket or breaks its rules, the task answers with a
 * close frame, the WebSocket is no longer open, and the handler is cancelled. The handler then
 * returns NULL, so that the close frame is sent.
 *
 * A refused request gets the answer of golang.org/x/net/websocket, which kube-apiserver uses.
 */
#pragma once

#include "async/loop.h"
#include "base/error.h"
#include "base/owned.h"
#include "http/websocket_frame.h"

struct http_call;
struct http_request;

struct websocket {
    struct http_call *call; /* NULL: not accepted */
    struct task arrived;
    struct websocket_reader reader;
    char pong[WEBSOCKET_CONTROL_MAX]; /* the payload of the last ping that has no answer yet */
    uint8_t pong_len;
    bool has_pong;
    bool is_sending; /* a part of a message is sent: no other frame may begin */
    bool is_closing; /* a close frame follows the message that is being sent */
    bool is_closed;  /* no frame may follow */
    enum websocket_status status;
};

/*
 * Answers a request for which http_request_wants_websocket() holds: with 101, or with the status
 * that says what is wrong with it. The WebSocket must stay where it is. Protocols of the client
 * that begin with the text hidden carry credentials: they are neither counted nor repeated.
 */
MUST_USE struct error *websocket_accept(struct websocket *socket, struct http_request *request,
                                        struct str hidden);

/* Stops the task. Does not close: websocket_close() does, or the handler's error cuts it off. */
void websocket_done(struct websocket *socket);

/* Whether it was accepted and messages can still be sent. */
bool websocket_is_open(const struct websocket *socket);

/* Suspends until all bytes are queued. A message that fails leaves a WebSocket that is of no use.
 */
MUST_USE struct error *websocket_send_text(struct websocket *socket, struct str text);

/* Ends an open WebSocket in good order. Does not suspend. The handler returns NULL afterwards. */
void websocket_close(struct websocket *socket);
