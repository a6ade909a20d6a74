/*
 * How a run goes: exec_plugin_get() finds no valid credential and calls wait_plugin_run(), which
 * starts run_plugin_for_waiters() on a fiber of the plugin's own scope unless it is running
 * already. That fiber starts the program with KUBERNETES_EXEC_INFO in its environment, reads its
 * output and stores the credential or the error for all waiting fibers. Because the run has its own
 * fiber, it survives the cancellation of the fiber that caused it.
 */
#include "client/auth/exec_plugin.h"

#include <assert.h>
#include <stdint.h>
#include <unistd.h>

#include "async/event.h"
#include "async/fiber.h"
#include "async/process.h"
#include "async/scope.h"
#include "base/memory.h"
#include "base/quote.h"
#include "client/auth/exec_credential.h"
#include "client/kubeconfig/kubeconfig.h"
#include "net/tls.h"

#define TIMEOUT_DEFAULT MINUTE
#define OUTPUT_MAX      MEGABYTE

/* Bytes of standard error that an error message quotes. */
#define STDERR_SHOWN_MAX (2 * KILOBYTE)

struct exec_plugin {
    const struct rest_config *config;
    struct exec_plugin_options options;
    struct exec_credential credential;
    bool is_usable; /* there is a credential that no server has rejected; it may have expired */

    struct scope scope; /* of the fiber that runs the program */
    bool is_running;
    uint64_t runs;     /* number of runs that have ended */
    struct error *err; /* of the last run, NULL if it succeeded */
    struct event ended;
};

struct exec_plugin *exec_plugin_new(const struct rest_config *config,
                                    const struct exec_plugin_options *options)
{
    struct exec_plugin *plugin = NEW(struct exec_plugin);
    plugin->config = config;
    if (options)
        plugin->options = *options;
    if (!plugin->options.timeout)
        plugin->options.timeout = TIMEOUT_DEFAULT;
    if (!plugin->options.run)
        plugin->options.run = process_run;
    return plugin;
}

void exec_plugin_free(struct exec_plugin *plugin)
{
    if (!plugin)
        return;
    assert(!event_has_waiters(&plugin->ended));
    scope_done(&plugin->scope);
    exec_credential_done(&plugin->credential);
    error_free(plugin->err);
    mem_free(plugin);
}

/* The argv or envp of a program: C strings and a final NULL. */
struct words {
    struct arena *arena;
    const char **items;
    size_t count;
};

static struct words words_new(struct arena *arena, size_t capacity)
{
    return (struct words){arena, arena_alloc_array(arena, capacity + 1, sizeof(char *)), 0};
}

static const char *const *make_command_line(struct arena *arena, const struct rest_exec *exec)
{
    struct words words = words_new(arena, exec->arg_count + 1);
    words.items[words.count++] = arena_c(arena, exec->command);
    for (size_t i = 0; i < exec->arg_count; i++)
        words.items[words.count++] = arena_c(arena, exec->args[i]);
    return words.items;
}

/* True for variables of this process that the plugin gets with another value. */
static bool is_overridden(const struct rest_exec *exec, const char *variable)
{
    struct str rest = str_from_c(variable), name;
    str_cut(&rest, '=', &name);
    if (str_eq(name, STR("KUBERNETES_EXEC_INFO")))
        return true;
    for (size_t i = 0; i < exec->env_count; i++)
        if (str_eq(name, exec->env[i].name))
            return true;
    return false;
}

static void wipe_word(void *data)
{
    mem_wipe(data, strlen(data));
}

/* Adds "name=value", which is wiped with the arena because the value may be a secret. */
static void add_variable(struct words *words, struct str name, struct str value)
{
    char *word = arena_alloc(words->arena, name.len + 1 + value.len + 1);
    memcpy(word, name.ptr, name.len);
    word[name.len] = '=';
    if (value.len)
        memcpy(word + name.len + 1, value.ptr, value.len);
    arena_hold(words->arena, wipe_word, word);
    words->items[words->count++] = word;
}

/* The environment of this process, with the variables of the plugin and KUBERNETES_EXEC_INFO. */
static struct error *make_environment(struct arena *arena, const struct rest_config *config,
                                      const char *const **ret_env)
{
    const struct rest_exec *exec = &config->auth.exec;
    SCOPED(buf) info = {.secret = true};
    size_t inherited = 0;
    TRY(exec_credential_write_info(&info, config));
    while (environ[inherited])
        inherited++;
    struct words words = words_new(arena, inherited + exec->env_count + 1);
    for (size_t i = 0; i < inherited; i++)
        if (!is_overridden(exec, environ[i]))
            words.items[words.count++] = environ[i];
    for (size_t i = 0; i < exec->env_count; i++)
        if (!str_eq(exec->env[i].name, STR("KUBERNETES_EXEC_INFO")))
            add_variable(&words, exec->env[i].name, exec->env[i].value);
    add_variable(&words, STR("KUBERNETES_EXEC_INFO"), buf_str(&info));
    *ret_env = words.items;
    return NULL;
}

/* The exit code and the beginning of standard error, quoted and without the token. */
static struct error *program_error(const struct process_result *result)
{
    SCOPED(buf) text = {.secret = true};
    SCOPED(buf) quoted = {.secret = true};
    buf_add(&text, buf_str(&result->errors));
    exec_credential_redact(buf_str(&result->out), &text);
    const struct str shown = str_slice(str_trim(buf_str(&text)), 0, STDERR_SHOWN_MAX);
    if (!str_is_empty(shown)) {
        buf_add(&quoted, STR(": "));
        str_quote_go(&quoted, shown);
    }
    if (result->signal)
        return error_new(ERROR_IO, "ended by signal %d%.*s", result->signal,
                         STR_ARG(buf_str(&quoted)));
    return error_new(ERROR_IO, "exit code %d%.*s", result->exit_code, STR_ARG(buf_str(&quoted)));
}

/* The hint of the kubeconfig tells users how to get a program that does not exist. */
static struct error *add_install_hint(const struct rest_exec *exec, struct error *err)
{
    if (!error_is(err, ERROR_NOT_FOUND) || str_is_empty(exec->install_hint))
        return err;
    return error_join(err, error_new(ERROR_NOT_FOUND, "%.*s", STR_ARG(exec->install_hint)));
}

/* A credential that has expired already would be asked for again at once, without end. */
static struct error *check_fresh(const struct exec_credential *credential)
{
    char text[TIMESTAMP_TEXT_MAX];
    if (credential->expiration > loop_wall(loop_current()))
        return NULL;
    return error_new(ERROR_IO, "printed a credential that expired at %.*s",
                     STR_ARG(timestamp_write(credential->expiration, text)));
}

/* The timeout of the program is an error of the program, not a deadline of the caller. */
static struct error *run_program(const struct exec_plugin *plugin,
                                 const struct process_options *options,
                                 struct process_result *ret_result)
{
    char text[DURATION_TEXT_MAX];
    FIBER_TIMEOUT(plugin->options.timeout);
    struct error *err = plugin->options.run(options, ret_result);
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return error_new(ERROR_IO, "did not end within %.*s",
                     STR_ARG(duration_write(plugin->options.timeout, text)));
}

/* One run. *ret_credential is set only on success. Suspends. */
static struct error *run_plugin(const struct exec_plugin *plugin,
                                struct exec_credential *ret_credential)
{
    const struct rest_exec *exec = &plugin->config->auth.exec;
    SCOPED(arena) arena = {0};
    SCOPED(process_result) result = {0};
    SCOPED(exec_credential) credential = {0};
    struct process_options options = {.output_max = OUTPUT_MAX};
    if (exec->mode == REST_EXEC_ALWAYS)
        return error_new(ERROR_INVALID, "needs a terminal (interactiveMode is Always)");
    options.argv = make_command_line(&arena, exec);
    TRY(make_environment(&arena, plugin->config, &options.env));
    TRY(add_install_hint(exec, run_program(plugin, &options, &result)));
    if (result.signal || result.exit_code)
        return program_error(&result);
    TRY(exec_credential_read(buf_str(&result.out), exec->api_version, &credential),
        "printed no usable ExecCredential");
    TRY(check_fresh(&credential));
    *ret_credential = credential;
    credential = (struct exec_credential){0};
    return NULL;
}

/* The fiber of a run. Its error goes to the waiting fibers through plugin->err. */
static struct error *run_plugin_for_waiters(void *data)
{
    struct exec_plugin *plugin = data;
    SCOPED(buf) command = {0};
    struct exec_credential credential = {0};
    str_quote_go(&command, plugin->config->auth.exec.command);
    struct error *err =
        error_wrap(run_plugin(plugin, &credential), "exec plugin %.*s", STR_ARG(buf_str(&command)));
    /* The error becomes that of a request: a missing program must not look like a missing object.
     */
    if (err)
        err->code = ERROR_IO;
    if (!err) {
        exec_credential_done(&plugin->credential);
        plugin->credential = credential;
    }
    plugin->is_usable = err == NULL;
    error_free(plugin->err);
    plugin->err = err;
    plugin->is_running = false;
    plugin->runs++;
    event_wake_all(&plugin->ended);
    return NULL;
}

/*
 * Suspends until a run has ended that was in progress, or until a new run has ended. Counting runs,
 * rather than looking at is_running, makes sure that a waiter does not miss a short run.
 */
static struct error *wait_plugin_run(struct exec_plugin *plugin)
{
    if (!plugin->is_running) {
        plugin->is_running = true;
        scope_start(&plugin->scope, "exec plugin", run_plugin_for_waiters, plugin);
    }
    const uint64_t ended = plugin->runs;
    while (plugin->runs == ended)
        TRY(event_wait(&plugin->ended, "an exec plugin"));
    return error_copy(plugin->err);
}

/* The loop ends: a run either fails or gives a credential that is still valid; see check_fresh().
 */
struct error *exec_plugin_get(struct exec_plugin *plugin, struct buf *token,
                              struct tls_identity **ret_identity)
{
    const struct exec_credential *credential = &plugin->credential;
    while (!plugin->is_usable || credential->expiration <= loop_wall(loop_current()))
        TRY(wait_plugin_run(plugin));
    buf_add(token, buf_str(&credential->token));
    if (ret_identity)
        *ret_identity = tls_identity_ref(credential->identity);
    return NULL;
}

void exec_plugin_invalidate(struct exec_plugin *plugin, struct str token)
{
    if (str_eq(token, buf_str(&plugin->credential.token)))
        plugin->is_usable = false;
}
