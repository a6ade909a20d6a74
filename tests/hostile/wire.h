/*
 * Bytes as no well-behaved client would send them: connections without a client, HTTP/2 frames by
 * hand.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "hostile/hostile_fixture.h"
#include "net/transport.h"

/* For answers that are not to show what they are about. */
#define WIRE_METADATA "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

/* Suspends. TCP alone. */
MUST_USE struct error *wire_open(const struct hostile_fixture *fixture,
                                 struct transport **ret_transport);

/* Suspends. With TLS; HTTP/2 if asked for, else HTTP/1.1. The identity may be NULL. */
MUST_USE struct error *wire_open_tls(const struct hostile_fixture *fixture,
                                     struct tls_identity *identity, bool http2,
                                     struct transport **ret_transport);

/*
 * Suspends. Sends bytes over HTTP/1.1 as the administrator and collects what comes back until the
 * server closes, or for a while. That it closes before everything is sent is no error.
 */
MUST_USE struct error *wire_talk(const struct hostile_fixture *fixture, struct str bytes,
                                 duration most, struct buf *answer);

/* The first words of a TLS client: what a handshake begins with, and ends with if nothing follows.
 */
MUST_USE struct error *wire_client_hello(const struct hostile_fixture *fixture, struct buf *out);

/* Suspends while the server takes nothing, but no longer than this; true when all was taken. */
bool wire_write(struct transport *transport, struct str bytes, duration most);

/* The status of an HTTP/1.1 answer; 0 when there is none. */
int wire_status(struct str answer);

/* Suspends until the server has closed, reading what it says; *ret_closed is false when it has not.
 */
MUST_USE struct error *wire_wait_closed(struct transport *transport, duration most,
                                        bool *ret_closed);

enum {
    WIRE_DATA = 0,
    WIRE_HEADERS = 1,
    WIRE_PRIORITY = 2,
    WIRE_RST_STREAM = 3,
    WIRE_SETTINGS = 4,
    WIRE_PING = 6,
    WIRE_WINDOW_UPDATE = 8,
    WIRE_CONTINUATION = 9,
};
enum {
    WIRE_END_STREAM = 1,
    WIRE_END_HEADERS = 4,
};

void wire_frame(struct buf *out, int type, int flags, uint32_t stream, struct str payload);

/* The client's preface with SETTINGS; window is the one of each stream, UINT32_MAX: the default. */
void wire_preface(struct buf *out, uint32_t window);

/* A field as HPACK's plainest literal. */
void wire_field(struct buf *out, struct str name, struct str value);

/* A whole request without a body, of a token that may be empty. */
void wire_request(struct buf *out, uint32_t stream, const char *method, const char *path,
                  struct str token, bool end);
