/*
 * Three sources behind one function: a plugin if the config has one, else a file, else the text of
 * the config. Only the file needs care: one fiber reads it while the others continue with the last
 * good token, and a failed read does not replace that token.
 */
#include "client/auth/token_source.h"

#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "client/auth/token_text.h"
#include "client/kubeconfig/file_text.h"

#define REREAD_DEFAULT MINUTE

/* After a failed read the file is read again sooner than usual. */
#define RETRY_AFTER (10 * SECOND)

#define TOKEN_MAX (64 * KILOBYTE)

struct token_source {
    const struct rest_config *config;
    struct token_source_options options;
    struct exec_plugin *plugin; /* NULL: none */

    struct buf token; /* the last good token; empty: none yet */
    int64_t due;      /* when the file must be read again, on the clock of the loop */
    bool is_reading;
    struct event read;
};

struct token_source *token_source_new(const struct rest_config *config,
                                      const struct token_source_options *options)
{
    struct token_source *source = NEW(struct token_source);
    source->config = config;
    if (options)
        source->options = *options;
    if (!source->options.reread)
        source->options.reread = REREAD_DEFAULT;
    if (!str_is_empty(config->auth.exec.command))
        source->plugin = exec_plugin_new(config, &source->options.exec);
    source->token.secret = true;
    buf_add(&source->token, config->auth.token);
    /* The age of the token in the config is unknown, so the file is read at the first request. */
    source->due = INT64_MIN;
    return source;
}

void token_source_free(struct token_source *source)
{
    if (!source)
        return;
    exec_plugin_free(source->plugin);
    buf_done(&source->token);
    mem_free(source);
}

static struct error *use_token(struct token_source *source, struct str text)
{
    const struct str token = str_trim(text);
    if (!token_text_is_sendable(token))
        return error_new(ERROR_INVALID, "no token in it");
    buf_done(&source->token); /* wipes the old token completely */
    source->token = (struct buf){.secret = true};
    buf_add(&source->token, token);
    return NULL;
}

static struct error *read_token(struct token_source *source)
{
    SCOPED(buf) text = {.secret = true};
    const struct file_text_options file = {.path = source->config->auth.token_file,
                                           .limit = TOKEN_MAX,
                                           .secret = true,
                                           .read_file = source->options.read_file,
                                           .read_data = source->options.read_data};
    TRY(file_text_read(&file, &text));
    return use_token(source, buf_str(&text));
}

/*
 * Reads the file if that is due. One fiber reads; the others continue with the last good token, or
 * wait if there is none. An error is returned only if there is no token at all.
 */
static struct error *refresh_token(struct token_source *source)
{
    while (source->is_reading && !source->token.len)
        TRY(event_wait(&source->read, "a token file"));
    if (source->is_reading || loop_now(loop_current()) < source->due)
        return NULL;
    source->is_reading = true;
    struct error *err = read_token(source);
    source->is_reading = false;
    event_wake_all(&source->read);
    if (file_text_was_interrupted(err))
        return err; /* the result says nothing about the file */
    source->due = loop_now(loop_current()) + (err ? RETRY_AFTER : source->options.reread);
    if (!err || source->token.len) {
        error_free(err);
        return NULL;
    }
    source->due = INT64_MIN; /* without a token every caller tries again */
    err->code = ERROR_IO;    /* a missing file must not look like a missing object */
    return error_wrap(err, "token file");
}

/* A certificate comes from plugins only; that of the kubeconfig is part of the transport. */
struct error *token_source_get(struct token_source *source, struct buf *token,
                               struct tls_identity **ret_identity)
{
    if (ret_identity)
        *ret_identity = NULL;
    if (source->plugin)
        return exec_plugin_get(source->plugin, token, ret_identity);
    if (!str_is_empty(source->config->auth.token_file))
        TRY(refresh_token(source));
    buf_add(token, buf_str(&source->token));
    return NULL;
}

void token_source_reject(struct token_source *source, struct str token)
{
    if (source->plugin)
        exec_plugin_invalidate(source->plugin, token);
    else if (str_eq(token, buf_str(&source->token)))
        source->due = INT64_MIN;
}
