/*
 * corset web: the fleet's page for one user of this machine, with that user's own kubeconfig.
 *
 * The address that is printed has the key that opens the page once; see web_access.h.
 */
#include <stdio.h>

#include "app/fleet_page.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/process.h"
#include "async/scope.h"
#include "async/signals.h"
#include "cmd/address.h"
#include "cmd/management_client.h"
#include "cmd/until_signal.h"

#define OPEN_TIMEOUT (30 * SECOND)

struct settings {
    const char *listen;
    bool opens, insecure_listen;
    struct global_flags globals;
    struct address address;
};

/* The function that until_signal() runs: the server serves by itself. */
static struct error *serve_forever(void *data)
{
    (void)data;
    return fiber_sleep(FOREVER);
}

/* A browser that cannot be started is no failure: the address is printed. */
static struct error *open_browser(void *data)
{
    const char *const argv[] = {"xdg-open", data, NULL};
    SCOPED(process_result) result = {0};
    FIBER_TIMEOUT(OPEN_TIMEOUT);
    OWNED(error) err = process_run(&(struct process_options){.argv = argv}, &result);
    if (err)
        fprintf(stderr, "corset: cannot open a browser: %s\n", err->message);
    return NULL;
}

/* Scripts read the one line. */
static struct error *announce(struct str address)
{
    SCOPED(buf) line = {.secret = true};
    buf_print(&line, "%.*s\n", STR_ARG(address));
    return command_write(buf_str(&line));
}

static struct error *serve_page(void *data)
{
    const struct settings *settings = data;
    struct loop *loop = loop_current();
    OWNED(signals) signals = NULL;
    SCOPED(management_client) management = {0};
    OWNED(fleet_page) page = NULL;
    SCOPED(arena) arena = {0};
    SCOPED(scope) browser = {0};
    TRY(signals_new(loop, &signals));
    TRY(management_client_open(&management, &settings->globals));
    const struct fleet_page_options options = {
        .network = management.network,
        .host = settings->address.host,
        .port = settings->address.port,
        .client = management.client,
        .namespace = settings->globals.namespace ? management.config.namespace : STR(""),
    };
    TRY(address_explain(fleet_page_new(loop, &options, &page), "--listen"));
    TRY(announce(fleet_page_address(page)));
    if (settings->opens)
        scope_start(&browser, "browser", open_browser,
                    (void *)arena_c(&arena, fleet_page_address(page)));
    return until_signal(signals, serve_forever, NULL, NULL);
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"listen",          FLAG_TEXT, AT(listen),          FLAG_ANY},
    {"insecure-listen", FLAG_BOOL, AT(insecure_listen), FLAG_ANY},
    {"open",            FLAG_BOOL, AT(opens),           FLAG_ANY},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int complete_settings(struct settings *settings)
{
    if (!address_read(settings->listen, &settings->address))
        return command_misused(&command_web, "--listen is HOST:PORT, not '%s'", settings->listen);
    if (!settings->insecure_listen && !address_is_local(&settings->address))
        return command_misused(&command_web,
                               "--listen %s could be reached by other machines, without TLS; "
                               "--insecure-listen allows it",
                               settings->listen);
    return global_flags_use(&settings->globals, &command_web);
}

static int run_web(int argc, char **argv)
{
    struct settings settings = {.listen = "127.0.0.1:0", .globals = GLOBAL_FLAGS_DEFAULT};
    if (!flags_read(&command_web, argc, argv, &settings))
        return COMMAND_USAGE;
    const int misused = complete_settings(&settings);
    return misused ? misused : command_run(serve_page, &settings);
}

const struct command command_web = {
    .name = "web",
    .summary = "show the fleet on a page in a browser",
    .help =
        "Serves a page that shows what 'corset status' and 'corset why' know, until Ctrl-C. It\n"
        "stays current by itself, works without JavaScript, and changes nothing: it reads with\n"
        "your kubeconfig and shows what you may read.\n\n"
        "Usage: corset web [FLAGS]\n\n"
        "  --listen HOST:PORT    where to listen (default 127.0.0.1:0; port 0: any)\n"
        "  --insecure-listen     allow an address that other machines can reach, without TLS\n"
        "  --open                open the page in a browser (xdg-open)\n"
        "  -n, --namespace NS    only sets and clusters of one namespace (default: all)\n\n" GLOBAL_FLAGS_HELP
        "\n"
        "It prints one line, the address with a key. The key works once; for another browser start\n"
        "the command again. Programs get the same facts as JSON: Accept: application/json.\n\n"
        "Try it:\n"
        "  corset web --open\n"
        "  corset web --listen 127.0.0.1:8080 -n fleet\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_web,
};
