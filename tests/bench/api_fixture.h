/*
 * A `corset apiserver` in its own process, and what its measurements share: clients, load of many
 * workers at once, memory and processor time of the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/client.h"

struct network;
struct tls_context;

#define API_FIXTURE_PATH 512

struct api_fixture {
    pid_t pid;
    char folder[API_FIXTURE_PATH]; /* of its data */
    double ready;                  /* seconds from exec to its word that it listens */
    struct rest_config config;     /* the admin's */
    struct network *network;
    struct tls_context *tls;
};

/* Ends the bench with a message; a failed preparation leaves nothing to measure. */
void api_fixture_must(struct error *err);

/* "<where the bench program is>/name". */
const char *api_fixture_path(char path[static API_FIXTURE_PATH], const char *name);

/* An empty folder of this name beside the program: on the disk the build is on. */
void api_fixture_make_folder(char path[static API_FIXTURE_PATH], const char *name);
void api_fixture_remove_folder(const char *path);

/* Starts a program with its output in a file; ended with this process. */
pid_t api_fixture_spawn(const char *log, const char *const argv[]);
void api_fixture_kill(pid_t pid, int signal);

/* Starts the server on fixture->folder; "more" are further arguments, NULL-terminated, or NULL. */
void api_fixture_start(struct api_fixture *fixture, const char *const *more);

/* Lets it end by itself, as at a shutdown. */
void api_fixture_stop(struct api_fixture *fixture);

/* What the server process has used: bytes of memory, seconds of processor time. */
size_t api_fixture_resident(const struct api_fixture *fixture);
double api_fixture_cpu(const struct api_fixture *fixture);

/* A client as the admin, with at most so many connections. HTTP/1.1 keeps them all. */
struct http_client *api_fixture_client(const struct api_fixture *fixture, size_t connections,
                                       bool http2);

/* One request; any answer that is no success is an error. The answer may be NULL. Suspends. */
struct api_fixture_request {
    struct str method, target, type, token, body;
};
MUST_USE struct error *api_fixture_send(struct http_client *client,
                                        const struct api_fixture_request *request,
                                        struct buf *answer);

/*
 * Load: workers that send one request after the other. "make" fills in the texts of request number
 * so and so; target and body begin empty.
 */
struct api_load {
    struct http_client **clients; /* worker i uses number i modulo count */
    size_t client_count;
    size_t workers;
    size_t requests; /* at most */
    double seconds;  /* at most; 0: until all are sent */
    void (*make)(void *data, size_t worker, size_t number, struct api_fixture_request *request,
                 struct buf *target, struct buf *body);
    void *data;

    /* Results. */
    size_t done, failed, bytes;
    double took;

    /* The run's own. */
    size_t next, joined;
    double end;
};

/* Suspends. The first failure is printed. */
void api_load_run(struct api_load *load);

/* Done per second. */
double api_load_rate(const struct api_load *load);

/* A ConfigMap of about so many bytes; the stamp makes its content differ. */
void api_fixture_write_config_map(struct buf *out, struct str name, size_t bytes, size_t stamp);
