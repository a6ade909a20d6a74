/*
 * The entry points: reading one text or several files, and the steps from entries to a rest_config
 * in make_config(). Where a later step would only repeat an earlier problem, the earlier problems
 * are returned first.
 */
#include "client/kubeconfig/kubeconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/kubeconfig/kubeconfig_internal.h"
#include "net/tls.h"

/* Kubeconfigs, tokens and certificates are small. A larger file is the wrong one. */
#define FILE_MAX  (16 * MEGABYTE)
#define READ_SIZE (4 * KILOBYTE)

void rest_config_done(struct rest_config *config)
{
    tls_trust_free(config->tls.trust);
    tls_identity_free(config->tls.identity);
    arena_done(&config->arena);
    *config = (struct rest_config){0};
}

/* The texts stay: they are in the arena and were read for the credentials alone. */
void rest_config_take_tls(struct rest_config *config, struct rest_config *newer)
{
    tls_trust_free(config->tls.trust);
    tls_identity_free(config->tls.identity);
    config->tls.trust = TAKE(newer->tls.trust);
    config->tls.identity = TAKE(newer->tls.identity);
}

/* Reads until the end. The size of a file is not asked for: it may be a pipe. */
static struct error *read_descriptor(int fd, struct buf *out)
{
    const size_t limit = out->limit ? out->limit : FILE_MAX;
    for (;;) {
        char *room = out->len < FILE_MAX ? buf_reserve(out, READ_SIZE) : NULL;
        if (!room)
            return error_new(ERROR_TOO_LARGE, "larger than %zu bytes", limit);
        const ssize_t len = read(fd, room, READ_SIZE);
        if (len > 0)
            buf_grow(out, (size_t)len);
        else if (len == 0)
            return NULL;
        else if (errno != EINTR)
            return error_from_errno(errno, "read");
    }
}

struct error *kubeconfig_read_file(kubeconfig_read_fn *read_file, void *data, struct str path,
                                   struct buf *out)
{
    if (read_file)
        return read_file(data, path, out);
    SCOPED(arena) arena = {0};
    if (str_find_char(path, '\0') != STR_NONE)
        return error_new(ERROR_INVALID, "a path with a NUL in it");
    const char *name = arena_c(&arena, path);
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_from_errno(errno, "open %s", name);
    struct error *err = read_descriptor(fd, out);
    close(fd);
    return error_wrap(err, "%s", name);
}

/*
 * Makes the rest_config of the chosen context. exec and auth-provider of an untrusted kubeconfig
 * are refused last, so that ERROR_FORBIDDEN means that nothing else is wrong with it.
 */
static struct error *make_config(struct kubeconfig *kubeconfig,
                                 const struct kubeconfig_options *options,
                                 struct rest_config *ret_config)
{
    TRY(problems_take(&kubeconfig->problems)); /* later problems would follow from them */
    SCOPED(kubeconfig_choice) choice = {0};
    SCOPED(rest_config) config = {0};
    SCOPED(problems) problems = {0};
    kubeconfig_choose(kubeconfig, options, &problems, &choice);
    TRY(problems_take(&problems));
    kubeconfig_check(&choice, options, &problems);
    kubeconfig_collect(&choice, options, &problems);
    kubeconfig_fill(&choice, options->keep_pem, &problems, &config);
    TRY(problems_take(&problems));
    if (options->untrusted && !str_is_empty(options->refused_in))
        TRY(kubeconfig_refuse_programs(&choice, options->refused_in));
    TRY(arena_check(&config.arena));
    *ret_config = config;
    config = (struct rest_config){0};
    return NULL;
}

struct error *kubeconfig_read(struct str text, struct str directory,
                              const struct kubeconfig_options *options,
                              struct rest_config *ret_config)
{
    static const struct kubeconfig_options none = {0};
    SCOPED(kubeconfig) kubeconfig = {0};
    kubeconfig_add(&kubeconfig, text, directory, STR(""));
    return make_config(&kubeconfig, options ? options : &none, ret_config);
}

static struct str read_variable(const char *name)
{
    return str_from_c(getenv(name)); /* NOLINT(concurrency-mt-unsafe): never set */
}

struct kubeconfig_paths kubeconfig_paths_from_environment(void)
{
    return (struct kubeconfig_paths){
        .list = read_variable("KUBECONFIG"),
        .home = read_variable("HOME"),
    };
}

/* The part in front of the last slash; empty for a name without a slash. */
static struct str directory_of(struct str path)
{
    const size_t slash = str_find_last_char(path, '/');
    if (slash == STR_NONE)
        return STR("");
    return str_slice(path, 0, slash ? slash : 1);
}

/* The path is the label of problems, and its directory the base of relative paths. */
static struct error *add_file(struct kubeconfig *kubeconfig,
                              const struct kubeconfig_options *options, struct str path)
{
    SCOPED(buf) text = {.secret = true};
    TRY(kubeconfig_read_file(options->read_file, options->read_data, path, &text));
    kubeconfig_add(kubeconfig, buf_str(&text), directory_of(path), path);
    return NULL;
}

/* Adds the files of a list with ":" between them. Missing files and empty names are skipped. */
static void add_files(struct kubeconfig *kubeconfig, const struct kubeconfig_options *options,
                      struct str list)
{
    struct str path;
    bool more = true;
    while (more) {
        more = str_cut(&list, ':', &path);
        if (!str_is_empty(path))
            problems_add(&kubeconfig->problems,
                         error_ignore(add_file(kubeconfig, options, path), ERROR_NOT_FOUND));
    }
}

/* A file that was named explicitly must exist; the files of a list may be missing. */
static struct error *add_paths(struct kubeconfig *kubeconfig, const struct kubeconfig_paths *paths,
                               const struct kubeconfig_options *options)
{
    if (!str_is_empty(paths->file))
        return error_wrap(add_file(kubeconfig, options, paths->file), "read kubeconfig");
    struct str list = paths->list;
    if (str_is_empty(list) && !str_is_empty(paths->home))
        list = kubeconfig_resolve(&kubeconfig->arena, paths->home, STR(".kube/config"));
    add_files(kubeconfig, options, list);
    if (!kubeconfig->files && !kubeconfig->problems.count)
        return error_new(ERROR_NOT_FOUND, "no kubeconfig: no such file in \"%.*s\"", STR_ARG(list));
    return NULL;
}

struct error *kubeconfig_load(const struct kubeconfig_paths *paths,
                              const struct kubeconfig_options *options,
                              struct rest_config *ret_config)
{
    static const struct kubeconfig_options none = {0};
    SCOPED(kubeconfig) kubeconfig = {0};
    options = options ? options : &none;
    TRY(add_paths(&kubeconfig, paths, options));
    return make_config(&kubeconfig, options, ret_config);
}

struct error *kubeconfig_contexts(const struct kubeconfig_paths *paths, struct buf *out)
{
    static const struct kubeconfig_options none = {0};
    SCOPED(kubeconfig) kubeconfig = {0};
    TRY(add_paths(&kubeconfig, paths, &none));
    MAP_FOREACH (entry, &kubeconfig.contexts) {
        buf_add(out, map_key(entry));
        buf_add_char(out, '\n');
    }
    return problems_take(&kubeconfig.problems);
}
