/*
 * Authorities that are equal to the current ones do not replace them: a new object would make the
 * client open new connections (client_transport.c).
 */
#include "client/auth/trust_source.h"

#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/kubeconfig/file_text.h"
#include "net/tls.h"

#define REREAD_DEFAULT (5 * MINUTE)

/* After a failed read the file is read again sooner than usual. */
#define RETRY_AFTER MINUTE

#define FILE_MAX (4 * MEGABYTE)

struct trust_source {
    struct loop *loop;
    const struct rest_config *config;
    struct trust_source_options options;

    struct tls_trust *trust; /* the last good authorities */
    int64_t due;             /* when the file must be read again; FOREVER without a file */
    bool is_reading;
};

struct trust_source *trust_source_new(struct loop *loop, const struct rest_config *config,
                                      const struct trust_source_options *options)
{
    struct trust_source *source = NEW(struct trust_source);
    source->loop = loop;
    source->config = config;
    if (options)
        source->options = *options;
    if (!source->options.reread)
        source->options.reread = REREAD_DEFAULT;
    source->trust = tls_trust_ref(config->tls.trust);
    source->due = config->tls.trust_file.len ? loop_now(loop) + source->options.reread : FOREVER;
    return source;
}

void trust_source_free(struct trust_source *source)
{
    if (!source)
        return;
    tls_trust_free(source->trust);
    mem_free(source);
}

/* The new authorities replace the old ones only if the whole file is valid. */
static struct error *read_trust(struct trust_source *source)
{
    SCOPED(buf) pem = {0};
    OWNED(tls_trust) trust = NULL;
    const struct file_text_options file = {.path = source->config->tls.trust_file,
                                           .limit = FILE_MAX,
                                           .read_file = source->options.read_file,
                                           .read_data = source->options.read_data};
    TRY(file_text_read(&file, &pem));
    TRY(tls_trust_read(buf_str(&pem), &trust));
    if (tls_trust_eq(trust, source->trust))
        return NULL;
    tls_trust_free(source->trust);
    source->trust = TAKE(trust);
    return NULL;
}

/* One fiber reads; the others continue with the last good authorities. */
static struct error *refresh_trust(struct trust_source *source)
{
    source->is_reading = true;
    OWNED(error) err = read_trust(source);
    source->is_reading = false;
    if (file_text_was_interrupted(err))
        return TAKE(err); /* the result says nothing about the file */
    source->due = loop_now(source->loop) + (err ? RETRY_AFTER : source->options.reread);
    if (err)
        log_error("Certificate authorities could not be read again", LOG_ERROR(err),
                  LOG_STR("file", source->config->tls.trust_file));
    return NULL;
}

struct error *trust_source_get(struct trust_source *source, struct tls_trust **ret_trust)
{
    if (!source->is_reading && loop_now(source->loop) >= source->due)
        TRY(refresh_trust(source));
    *ret_trust = tls_trust_ref(source->config->tls.trust_file.len ? source->trust
                                                                  : source->config->tls.trust);
    return NULL;
}
