/*
 * corset status: sets and clusters, what is applied where, since when, and why not.
 *
 * Objects come from status_source, status_model judges them, status_render makes text. This file
 * chooses among the outputs. With --watch on a terminal it paints frames on the alternate screen:
 * at most one per FRAME_MIN, and at least one per FRAME_MAX, because ages grow. Elsewhere --watch
 * prints the whole output again after every change.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/signals.h"
#include "base/log.h"
#include "cmd/management_client.h"
#include "cmd/status_filter.h"
#include "cmd/status_render.h"
#include "cmd/status_source.h"
#include "cmd/until_signal.h"
#include "json/yaml/yaml_write.h"
#include "status/status_json.h"

#define FRAME_MIN    (250 * MILLISECOND) /* between two frames */
#define FRAME_MAX    SECOND              /* ages grow */
#define CLUSTER_WORD STR("cluster/")
#define SET_WORD     STR("set/")

enum format { FORMAT_TABLE, FORMAT_WIDE, FORMAT_JSON, FORMAT_YAML, FORMATS };

static const char *const format_names[] = {"table", "wide", "json", "yaml"};

struct settings {
    struct flag_list subjects;
    const char *output;
    bool all_namespaces, watch;
    struct status_filter filter;
    struct global_flags globals;

    enum format format;
    struct str set, cluster; /* the subject; both empty: everything */
    bool is_applied;         /* the answer */
};

/*
 * is_frame: the output is a frame of --watch and may fill the terminal. Otherwise one line is left
 * for the prompt. Without a terminal, and with -o wide, nothing is cut.
 */
static struct status_view make_view(const struct settings *settings, bool is_frame)
{
    struct status_view view = {
        .is_wide = settings->format == FORMAT_WIDE,
        .has_color = terminal_has_color(STDOUT_FILENO, global_flags_color(&settings->globals)),
        .all_namespaces = settings->all_namespaces,
        .now = loop_wall(loop_current()),
    };
    const bool is_live = isatty(STDOUT_FILENO);
    terminal_size(STDOUT_FILENO, &view.width, &view.height);
    if (is_frame) {
        view.width -= view.width > 1; /* clearing to the end of a full line takes its last column */
        return view;
    }
    if (!is_live || view.is_wide)
        view.height = 0;
    else if (view.height > 1)
        view.height--; /* for the prompt */
    if (!is_live || view.is_wide)
        view.width = 0;
    return view;
}

/* Without -A the subject may be in another namespace, so the message says how to look there. */
static struct error *not_found(const char *kind, struct str name, const struct settings *settings,
                               struct str namespace)
{
    if (settings->all_namespaces)
        return error_new(ERROR_NOT_FOUND, "there is no %s %.*s", kind, STR_ARG(name));
    return error_new(ERROR_NOT_FOUND, "there is no %s %.*s in namespace %.*s; -A looks everywhere",
                     kind, STR_ARG(name), STR_ARG(namespace));
}

/* JSON and YAML hold the whole model of the subject. */
static struct error *render_data(const struct settings *settings, const struct status_model *model,
                                 struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    TRY(status_json_render(model, &doc));
    if (settings->format == FORMAT_YAML) {
        yaml_write(out, json_doc_root(doc));
    } else {
        json_write_pretty(out, json_doc_root(doc));
        buf_add_char(out, '\n');
    }
    return buf_check(out);
}

/* Appends the text for the subject of the command, and sets settings->is_applied. */
static struct error *render_status(struct settings *settings, const struct status_model *model,
                                   const struct status_view *view, struct str namespace,
                                   struct buf *out)
{
    struct status_set *set = status_model_find_set(model, settings->set);
    struct status_cluster *cluster = status_model_find_cluster(model, settings->cluster);
    settings->is_applied = status_model_is_applied(model);
    if (settings->set.len && !set)
        return not_found("ClusterResourceSet", settings->set, settings, namespace);
    if (settings->cluster.len && !cluster)
        return not_found("Cluster", settings->cluster, settings, namespace);
    if (settings->set.len)
        settings->is_applied = selector_is_empty(&model->selector)
                                   ? status_state_is_fine(set->state)
                                   : status_model_is_applied(model);
    if (settings->cluster.len)
        settings->is_applied = status_state_is_fine(cluster->state);
    if (settings->format == FORMAT_JSON || settings->format == FORMAT_YAML)
        return render_data(settings, model, out);
    if (settings->set.len)
        status_render_set(model, set, view, out);
    else if (settings->cluster.len)
        status_render_cluster(model, cluster, view, out);
    else
        status_render_all(model, view, out);
    return buf_check(out);
}

/* is_shown false: only checks that the objects can be read and the subject exists. */
static struct error *show_once(struct settings *settings,
                               const struct management_client *management, struct str namespace,
                               bool is_shown)
{
    SCOPED(status_model) model = {.only_set = settings->set, .only_cluster = settings->cluster};
    status_filter_use(&settings->filter, &model);
    SCOPED(buf) out = {.limit = 0};
    TRY(status_source_list(management->client, namespace, &model));
    const struct status_view view = make_view(settings, false);
    TRY(render_status(settings, &model, &view, namespace, &out));
    return is_shown ? command_write(buf_str(&out)) : NULL;
}

/*
 * Overwrites the last frame: every line is cleared behind its text, and the rest of the screen
 * below.
 */
static void add_frame(struct buf *out, struct str text, size_t height)
{
    struct str line;
    buf_add(out, STR("\x1b[H"));
    for (size_t lines = 0; text.len && lines < height; lines++) {
        str_cut(&text, '\n', &line);
        if (lines)
            buf_add(out, STR("\r\n"));
        buf_add(out, line);
        buf_add(out, STR("\x1b[K"));
    }
    buf_add(out, STR("\x1b[J"));
}

/* The state of --watch. */
struct screen {
    struct settings *settings;
    struct status_watch watch;
    struct str namespace;
    struct signals *signals;
    bool is_live;
};

static void screen_done(struct screen *screen)
{
    status_watch_done(&screen->watch);
    signals_free(screen->signals);
}

/* A subject that has been deleted meanwhile is reported in the frame and does not end the watch. */
static struct error *paint_screen(struct screen *screen)
{
    struct settings *settings = screen->settings;
    SCOPED(status_model) model = {.only_set = settings->set, .only_cluster = settings->cluster};
    status_filter_use(&settings->filter, &model);
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) frame = {.limit = 0};
    status_watch_read(&screen->watch, &model);
    const struct status_view view = make_view(settings, screen->is_live);
    const struct str problem = status_watch_problem(&screen->watch);
    if (screen->is_live && problem.len) {
        buf_add(&text, STR("Not current: "));
        terminal_add_cut(&text, problem, view.width > 13 ? view.width - 13 : 1);
        buf_add_char(&text, '\n');
    }
    OWNED(error) gone = render_status(settings, &model, &view, screen->namespace, &text);
    if (gone)
        buf_print(&text, "%s\n", gone->message);
    if (screen->is_live) {
        add_frame(&frame, buf_str(&text), view.height);
        return command_write(buf_str(&frame));
    }
    return command_write(buf_str(&text));
}

/* Runs until the fiber is cancelled or standard output fails. */
static struct error *keep_painting(void *data)
{
    struct screen *screen = data;
    for (;;) {
        TRY(paint_screen(screen));
        TRY(fiber_sleep(FRAME_MIN));
        TRY(status_watch_wait(&screen->watch, screen->is_live ? FRAME_MAX : FOREVER));
    }
}

/* The log would break the frame, which shows connection problems itself. */
static void drop_line(void *data, struct str line)
{
    (void)data;
    (void)line;
}

/*
 * The escape sequences switch to the alternate screen, hide the cursor and turn off wrapping; at
 * the end they undo that in the opposite order.
 */
static struct error *show_always(struct settings *settings,
                                 const struct management_client *management, struct str namespace)
{
    SCOPED(screen) screen = {.settings = settings, .namespace = namespace};
    screen.is_live = terminal_is_live(STDOUT_FILENO) && settings->format <= FORMAT_WIDE;
    TRY(signals_new(loop_current(), &screen.signals));
    {
        FIBER_TIMEOUT(30 * SECOND);
        TRY(status_watch_open(&screen.watch, management->client, namespace));
    }
    if (screen.is_live) {
        log_set_sink(drop_line, NULL);
        TRY(command_write(STR("\x1b[?1049h\x1b[?25l\x1b[?7l")));
    }
    struct error *err = until_signal(screen.signals, keep_painting, &screen, NULL);
    if (screen.is_live)
        err = error_join(err, command_write(STR("\x1b[?7h\x1b[?25h\x1b[?1049l")));
    return err;
}

/*
 * With --watch the objects are read once before, so that a mistake or a missing permission is
 * reported before the screen is taken over.
 */
static struct error *show_status(void *data)
{
    struct settings *settings = data;
    SCOPED(management_client) management = {0};
    TRY(management_client_open(&management, &settings->globals));
    const struct str namespace = settings->all_namespaces ? STR("") : management.config.namespace;
    /* Of a watch, too: what is wrong is said before anything is drawn. */
    TRY(show_once(settings, &management, namespace, !settings->watch));
    if (!settings->watch)
        return NULL;
    return show_always(settings, &management, namespace);
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"",                 FLAG_LIST, AT(subjects),       FLAG_SUBJECT          },
    {"all-namespaces|A", FLAG_BOOL, AT(all_namespaces), FLAG_ANY              },
    {"output|o",         FLAG_TEXT, AT(output),         "table wide json yaml"},
    {"watch|w",          FLAG_BOOL, AT(watch),          FLAG_ANY              },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    STATUS_FILTER_GROUP(struct settings),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static bool read_format(struct settings *settings)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(settings->output, format_names[i]) != 0)
            continue;
        settings->format = (enum format)i;
        return true;
    }
    return false;
}

/* "cluster/NAME", "set/NAME" or "NAME", which is a set. */
static void read_subject(struct settings *settings)
{
    const struct str subject =
        settings->subjects.count ? str_from_c(settings->subjects.items[0]) : STR("");
    if (str_starts_with(subject, CLUSTER_WORD))
        settings->cluster = str_skip(subject, CLUSTER_WORD.len);
    else if (str_starts_with(subject, SET_WORD))
        settings->set = str_skip(subject, SET_WORD.len);
    else
        settings->set = subject;
}

static int complete_settings(struct settings *settings)
{
    if (settings->subjects.count > 1)
        return command_misused(&command_status, "give one set, one cluster/NAME, or nothing");
    if (!read_format(settings))
        return command_misused(&command_status, "-o is table, wide, json or yaml, not '%s'",
                               settings->output);
    read_subject(settings);
    const int misused = status_filter_read(&settings->filter, &command_status);
    return misused ? misused : global_flags_use(&settings->globals, &command_status);
}

/* The exit code is COMMAND_NO if something is not applied. */
static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_status, argc, argv, settings))
        return COMMAND_USAGE;
    int code = complete_settings(settings);
    if (!code)
        code = command_run(show_status, settings);
    return code || settings->is_applied ? code : COMMAND_NO;
}

static int run_status(int argc, char **argv)
{
    struct settings settings = {.output = "table", .globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.subjects);
    status_filter_done(&settings.filter);
    return code;
}

const struct command command_status = {
    .name = "status",
    .summary = "show what is applied where, since when, and why not",
    .help =
        "Shows ClusterResourceSets and clusters: what is applied where, since when, and why not.\n"
        "Problems come first; rows that do not fit on the terminal are counted.\n\n"
        "Usage: corset status [SET | cluster/NAME] [FLAGS]\n\n"
        "  -n, --namespace NS    namespace of sets and clusters (default: that of the context)\n"
        "  -A, --all-namespaces  sets and clusters of all namespaces\n"
        "  -o, --output FORMAT   table (default); wide: all columns and all rows; json; yaml\n"
        "  -w, --watch           update until Ctrl-C, in place on a terminal\n" STATUS_FILTER_HELP
        "\n" GLOBAL_FLAGS_HELP "\n"
        "Exits with 0 when everything is applied, and with 1 when something is not or a cluster\n"
        "cannot be reached; with -l the selected clusters decide. Piped, nothing is cut.\n\n"
        "Try it:\n"
        "  corset status -A\n"
        "  corset status cni -w\n"
        "  corset status -l env=prod --failed\n"
        "  corset status cluster/vc-0001 -o yaml\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_status,
};
