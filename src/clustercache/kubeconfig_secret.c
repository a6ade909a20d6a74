/*
 * Secrets are read from the cache of the management cluster. A changed Secret is noticed by its
 * resourceVersion first and by the digest of the kubeconfig second, so that a new label does not
 * cost a connection. Buffers with credentials are wiped when they are released.
 */
#include "clustercache/kubeconfig_secret.h"

#include "apimachinery/object_text.h"
#include "async/cpu_turn.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/memory.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache_internal.h"
#include "json/json.h"

#define KUBECONFIG_MAX MEGABYTE

bool kubeconfig_secret_cluster(struct key secret, struct key *ret_cluster)
{
    const struct str suffix = STR(KUBECONFIG_SECRET_SUFFIX);
    if (!str_ends_with(secret.name, suffix) || secret.name.len == suffix.len)
        return false;
    *ret_cluster =
        (struct key){secret.namespace, str_slice(secret.name, 0, secret.name.len - suffix.len)};
    return true;
}

static struct object_text *find_secret(const struct accessor *accessor)
{
    SCOPED(buf) name = {0};
    buf_add(&name, accessor->key.name);
    buf_add(&name, STR(KUBECONFIG_SECRET_SUFFIX));
    const struct key key = {accessor->key.namespace, buf_str(&name)};
    return cache_get_text(accessor->cache->config->options.secrets, key);
}

/* Appends the kubeconfig: data.value of the Secret. */
static struct error *read_data(const struct object *secret, struct buf *value)
{
    const struct json_value *data = object_path(secret, "data");
    const struct json_value *found = json_get(data, STR("value"));
    if (json_type(found) != JSON_STRING)
        return error_new(ERROR_INVALID, "missing key \"value\" in secret data");
    TRY(base64_decode(value, json_to_str(found)));
    return buf_check(value);
}

static struct error *read_value(const struct object_text *text, struct buf *value)
{
    OWNED(object) secret = NULL;
    TRY(object_text_read(text, &secret));
    return read_data(secret, value);
}

static struct error *parse_value(struct str value, bool keep_pem, struct rest_config *ret_config)
{
    const struct kubeconfig_options options = {
        .untrusted = true,
        .refused_in = STR("ClusterCache"),
        .keep_pem = keep_pem,
    };
    struct error *err = kubeconfig_read(value, STR(""), &options, ret_config);
    return error_is(err, ERROR_FORBIDDEN)
               ? error_wrap(err, "error creating REST config")
               : error_wrap(err, "error creating REST config: error parsing kubeconfig");
}

struct error *kubeconfig_secret_parse(const struct object *secret, struct rest_config *ret_config)
{
    SCOPED(buf) value = {.secret = true, .limit = KUBECONFIG_MAX};
    TRY(read_data(secret, &value), "error creating REST config: error getting kubeconfig secret");
    return parse_value(buf_str(&value), false, ret_config);
}

void kubeconfig_secret_mark_done(struct kubeconfig_secret_mark *mark)
{
    mem_free(mark->version);
    *mark = (struct kubeconfig_secret_mark){0};
}

static void note_secret(struct kubeconfig_secret_mark *mark, const struct object_text *text,
                        struct str value)
{
    const struct str version = object_text_resource_version(text);
    mem_free(mark->version);
    mark->version = mem_dup(version.ptr, version.len);
    sha256_of(value, mark->digest);
}

struct parse_job {
    struct str value;
    bool keep_pem;
    struct rest_config *ret_config;
    struct error *err;
};

static void run_parse(void *data)
{
    struct parse_job *job = data;
    job->err = parse_value(job->value, job->keep_pem, job->ret_config);
}

/* YAML and certificates take about as long as a TLS handshake. */
struct error *kubeconfig_secret_read(const struct accessor *accessor,
                                     struct kubeconfig_secret_mark *mark,
                                     struct rest_config *ret_config)
{
    static const char failed[] = "error creating REST config: error getting kubeconfig secret";
    OWNED(object_text) text = find_secret(accessor);
    SCOPED(buf) value = {.secret = true, .limit = KUBECONFIG_MAX};
    if (!text)
        return error_new(ERROR_NOT_FOUND,
                         "%s: Secret \"%.*s" KUBECONFIG_SECRET_SUFFIX "\" not found", failed,
                         STR_ARG(accessor->key.name));
    TRY(read_value(text, &value), "%s", failed);
    note_secret(mark, text, buf_str(&value));
    struct parse_job job = {.value = buf_str(&value),
                            .keep_pem = accessor->cache->config->options.keep_pem,
                            .ret_config = ret_config};
    TRY(cpu_turn_run(false, run_parse, &job));
    return job.err;
}

bool kubeconfig_secret_has_changed(struct accessor *accessor)
{
    OWNED(object_text) text = find_secret(accessor);
    SCOPED(buf) value = {.secret = true, .limit = KUBECONFIG_MAX};
    uint8_t digest[SHA256_LEN];
    struct kubeconfig_secret_mark *used = &accessor->secret;
    if (!text ||
        (used->version && str_eq(object_text_resource_version(text), str_from_c(used->version))))
        return false;
    OWNED(error) err = read_value(text, &value);
    if (err)
        return false; /* keep the connection: there is no other kubeconfig */
    if (!used->version)
        return true;
    sha256_of(buf_str(&value), digest);
    const bool is_same = memcmp(digest, used->digest, sizeof(digest)) == 0;
    if (is_same) /* only metadata changed: this version needs no second look */
        note_secret(used, text, buf_str(&value));
    return !is_same;
}
