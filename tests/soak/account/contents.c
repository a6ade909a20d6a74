/* What ConfigMaps hold, and which objects clusters have of it. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "http/server.h"
#include "json/path.h"
#include "soak/account/account.h"

/* A place of its own for each object, so that the target of a request tells which one it is. */
static const struct {
    const char *namespace, *kind, *resource;
} places[PLACES] = {
    {"default",         "ConfigMap", "configmaps"},
    {"default",         "Secret",    "secrets"   },
    {"kube-public",     "ConfigMap", "configmaps"},
    {"kube-public",     "Secret",    "secrets"   },
    {"kube-node-lease", "ConfigMap", "configmaps"},
    {"kube-node-lease", "Secret",    "secrets"   },
};

static void write_object(struct buf *out, size_t place, const char *namespace, unsigned number)
{
    buf_print(out,
              "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"o%zu\","
              "\"namespace\":\"%s\",\"labels\":{\"v\":\"%u\"}}}",
              places[place].kind, place, namespace, number);
}

static void write_manifest(struct buf *out, const struct content_version *version)
{
    const size_t first = version->resource * OBJECTS;
    if (version->quality == BROKEN) {
        buf_print(out, "kind: [%u\n", version->number);
        return;
    }
    write_object(out, first, places[first].namespace, version->number);
    buf_print(out, "\n---\n");
    write_object(out, first + 1,
                 version->quality == PARTIAL ? "nowhere" : places[first + 1].namespace,
                 version->number);
}

static void note_hash(struct content_version *version, struct str manifest)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    sha256_of(manifest, digest);
    sha256_hex(digest, hex);
    snprintf(version->hash, sizeof(version->hash), "sha256:%s", hex);
}

static struct content_version *add_version(struct account *account, size_t resource,
                                           enum quality quality)
{
    account->versions = mem_realloc_array(account->versions, account->version_count + 1,
                                          sizeof(struct content_version));
    struct content_version *version = &account->versions[account->version_count++];
    *version = (struct content_version){
        .resource = resource, .quality = quality, .number = (unsigned)account->version_count};
    return version;
}

void contents_write(struct account *account, size_t resource, enum quality quality)
{
    SCOPED(buf) manifest = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    char target[TEXT_MAX];
    const bool is_known = contents_current(account, resource) != NULL;
    struct content_version *version = add_version(account, resource, quality);
    write_manifest(&manifest, version);
    note_hash(version, buf_str(&manifest));
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"r%zu\"},"
              "\"data\":{\"m\":",
              resource);
    buf_add_json_string(&body, buf_str(&manifest));
    buf_print(&body, "}}");
    snprintf(target, sizeof(target), "/api/v1/namespaces/default/configmaps");
    if (is_known)
        snprintf(target, sizeof(target), "/api/v1/namespaces/default/configmaps/r%zu", resource);
    (void)front_call(&account->management, is_known ? "PATCH" : "POST", target, buf_c(&body));
}

const struct content_version *contents_current(const struct account *account, size_t resource)
{
    for (size_t i = account->version_count; i-- > 0;)
        if (account->versions[i].resource == resource)
            return &account->versions[i];
    return NULL;
}

const struct content_version *contents_find(const struct account *account, size_t resource,
                                            struct str hash)
{
    for (size_t i = 0; i < account->version_count; i++)
        if (account->versions[i].resource == resource &&
            str_eq(str_from_c(account->versions[i].hash), hash))
            return &account->versions[i];
    return NULL;
}

unsigned contents_look(struct account *account, size_t cluster, size_t place)
{
    char name[32];
    uint64_t number = 0;
    snprintf(name, sizeof(name), "o%zu", place);
    OWNED(json_doc)
    doc = front_find(&account->fronts[cluster], place % OBJECTS ? GVR_SECRETS : GVR_CONFIG_MAPS,
                     (struct key){str_from_c(places[place].namespace), str_from_c(name)});
    if (doc)
        CHECK(str_to_uint64(json_path_str(json_doc_root(doc), "metadata.labels.v"), &number));
    return (unsigned)number;
}

static void write_target(char target[static TEXT_MAX], size_t place)
{
    snprintf(target, TEXT_MAX, "/api/v1/namespaces/%s/%s", places[place].namespace,
             places[place].resource);
}

void contents_put(struct account *account, size_t cluster, size_t place, unsigned number)
{
    SCOPED(buf) body = {.limit = 0};
    char target[TEXT_MAX];
    write_target(target, place);
    write_object(&body, place, places[place].namespace, number);
    CHECK_EQ(front_call(&account->fronts[cluster], "POST", target, buf_c(&body)), 201);
}

void contents_remove(struct account *account, size_t cluster, size_t place)
{
    char target[TEXT_MAX], whole[TEXT_MAX + 16];
    write_target(target, place);
    snprintf(whole, sizeof(whole), "%s/o%zu", target, place);
    CHECK_EQ(front_call(&account->fronts[cluster], "DELETE", whole, ""), 200);
}

/* A request for the collection is one that creates the only object there. */
void contents_touched(struct front *front, struct http_request *http)
{
    struct account *account = front->options.data;
    struct workload *workload = &account->workloads[front - account->fronts];
    const struct str target = http_request_target(http);
    for (size_t i = 0; i < PLACES; i++) {
        char place[TEXT_MAX];
        write_target(place, i);
        if (str_starts_with(target, str_from_c(place)))
            workload->losses[i].touched = ++account->clock;
    }
}
