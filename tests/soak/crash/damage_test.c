/*
 * Damage to the folder of a server, as a bad disk does it. The folder is copied while the server
 * runs, which is what kill -9 leaves; one bit of one file of the copy is flipped, or a file is
 * taken away; and a server is started on it. The server is refused, with a message that names the
 * file, or nothing is missing: objects, their revisions, and all credentials that were handed out.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "apiserver/apiserver_fixture_test.h"
#include "base/random.h"
#include "http/headers.h"
#include "testing/folder_fixture.h"

#define MAPS        "/api/v1/namespaces/default/configmaps"
#define OBJECTS     30
#define FLIPS       200
#define OBJECT_PADS 600

/* What the first server has handed out. */
struct handed_out {
    struct tls_trust *trust;
    struct tls_identity *admin;
    struct buf account_token, cluster_token;
    int64_t revision;
};

static void handed_out_done(struct handed_out *handed)
{
    tls_trust_free(handed->trust);
    tls_identity_free(handed->admin);
    buf_done(&handed->account_token);
    buf_done(&handed->cluster_token);
}

static const char *const names[] = {"corset.db",      "corset.db-wal", "corset.db.mark",
                                    "lock",           "pki/ca.crt",    "pki/ca.key",
                                    "pki/tokens.key", "pki/admin.crt", "pki/admin.key",
                                    "pki/server.crt", "pki/server.key"};

static void copy_folder(const struct folder_fixture *from, struct folder_fixture *to)
{
    (void)mkdir(folder_fixture_file(to, "pki"), 0700);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)unlink(folder_fixture_file(to, names[i]));
        folder_fixture_copy(folder_fixture_file(from, names[i]), folder_fixture_file(to, names[i]));
    }
}

/* Every file that a server leaves is in the table above. */
static void check_names(const struct folder_fixture *folder, const char *sub)
{
    DIR *dir = opendir(folder_fixture_file(folder, sub));
    CHECK(dir != NULL);
    const struct dirent *entry;
    while ((entry = readdir(dir))) { /* NOLINT(concurrency-mt-unsafe): one thread */
        char name[300];
        snprintf(name, sizeof(name), "%s%s%s", sub, *sub ? "/" : "", entry->d_name);
        /* The reserve has no content. */
        bool known = entry->d_type == DT_DIR || strcmp(name, "corset.db.reserve") == 0;
        for (size_t i = 0; i < COUNT(names); i++)
            known |= strcmp(name, names[i]) == 0;
        TEST_CASE("%s", name);
        CHECK(known);
    }
    closedir(dir);
}

static void write_map(struct apiserver_fixture *fixture, int number)
{
    char body[OBJECT_PADS + 200], target[100];
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%d\"},"
             "\"data\":{\"n\":\"%d\",\"pad\":\"%0*d\"}}",
             number, number, OBJECT_PADS, number);
    apiserver_fixture_create(fixture, MAPS, body);
    snprintf(target, sizeof(target), MAPS "/m%d", number);
    if (number % 10 == 7)
        CHECK_EQ(apiserver_fixture_call(fixture, "DELETE", target, ""), 200);
}

/* Fills the server and notes what it has promised. */
static void fill_server(struct apiserver_fixture *fixture, struct handed_out *handed)
{
    for (int i = 0; i < OBJECTS; i++)
        write_map(fixture, i);
    apiserver_fixture_create(
        fixture, "/api/v1/namespaces/default/serviceaccounts",
        "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"robot\"}}");
    apiserver_fixture_create(
        fixture, "/api/v1/namespaces/default/serviceaccounts/robot/token",
        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}");
    buf_add(&handed->account_token, apiserver_fixture_text(fixture, "status.token"));
    apiserver_cluster_token(fixture->server, 0, &handed->cluster_token);
    CHECK_EQ(apiserver_fixture_get(fixture, MAPS), 200);
    CHECK(str_to_int64(apiserver_fixture_text(fixture, "metadata.resourceVersion"),
                       &handed->revision));
    CHECK_OK(tls_trust_read(apiserver_authority(fixture->server), &handed->trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(fixture->server),
                               apiserver_admin_key(fixture->server), &handed->admin));
}

/* The status of a GET with a token, or 0 when there is no connection. */
static int get_with_token(struct http_client *client, const char *target, const struct buf *token)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) value = {.secret = true};
    OWNED(http_response) response = NULL;
    buf_print(&value, "Bearer %.*s", STR_ARG(buf_str(token)));
    CHECK_OK(http_headers_add(&headers, STR("authorization"), buf_str(&value)));
    const struct http_client_request request = {.target = str_from_c(target), .headers = &headers};
    OWNED(error) err = http_client_send(client, &request, &response);
    return err ? 0 : http_response_status(response);
}

static struct http_client *connect_to(const struct apiserver_fixture *fixture,
                                      const struct handed_out *handed,
                                      struct tls_identity *identity)
{
    const struct http_client_options options = {
        .endpoint = {.network = fixture->network,
                     .host = APISERVER_FIXTURE_HOST,
                     .port = apiserver_port(fixture->server),
                     .tls = fixture->tls,
                     .identity = identity,
                     .trust = handed->trust},
        .connections = 4,
    };
    return http_client_new(loop_current(), &options);
}

/* With the credentials of the first server. */
static void check_complete(struct apiserver_fixture *fixture, const struct handed_out *handed)
{
    http_client_free(fixture->client);
    fixture->client = connect_to(fixture, handed, handed->admin);
    int64_t revision = 0;
    CHECK_EQ(apiserver_fixture_get(fixture, MAPS), 200);
    CHECK(str_to_int64(apiserver_fixture_text(fixture, "metadata.resourceVersion"), &revision));
    CHECK(revision >= handed->revision);
    for (int i = 0; i < OBJECTS; i++) {
        char target[100], number[16];
        snprintf(target, sizeof(target), MAPS "/m%d", i);
        snprintf(number, sizeof(number), "%d", i);
        CHECK_EQ(apiserver_fixture_get(fixture, target), i % 10 == 7 ? 404 : 200);
        if (i % 10 != 7)
            CHECK_EQ(apiserver_fixture_text(fixture, "data.n"), str_from_c(number));
    }
    OWNED(http_client) nobody = connect_to(fixture, handed, NULL);
    CHECK_EQ(get_with_token(nobody, "/api", &handed->account_token), 200);
    CHECK_EQ(get_with_token(nobody, "/clusters/vc-0001/api", &handed->cluster_token), 200);
}

/* True when the server was refused. */
static bool start_and_check(const struct folder_fixture *victim, const struct handed_out *handed)
{
    struct apiserver_fixture fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.folder = victim->path;
    fixture.options.virtual_clusters = 1;
    struct error *err = apiserver_fixture_start(&fixture);
    const bool refused = err != NULL;
    if (refused)
        CHECK_CONTAINS(str_from_c(err->message), str_from_c(victim->path));
    else
        check_complete(&fixture, handed);
    error_free(err);
    fixture.options.folder = NULL; /* the folder is the caller's */
    apiserver_fixture_done(&fixture);
    return refused;
}

/* In memory where that is possible: hundreds of starts would wait for the disk most of the time. */
static void make_folder(struct folder_fixture *folder)
{
    snprintf(folder->path, sizeof(folder->path), "/dev/shm/corset-folder-XXXXXX");
    if (!mkdtemp(folder->path))
        folder_fixture_init(folder);
}

/* A server with a full log, and the copy of its folder. */
static void make_victim(struct apiserver_fixture *fixture, struct handed_out *handed,
                        struct folder_fixture *ret_copy, duration idle)
{
    apiserver_fixture_init(fixture);
    make_folder(&fixture->folder);
    fixture->options.folder = fixture->folder.path;
    fixture->options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(fixture));
    fill_server(fixture, handed);
    CHECK_OK(fiber_sleep(idle));
    check_names(&fixture->folder, "");
    check_names(&fixture->folder, "pki");
    make_folder(ret_copy);
    copy_folder(&fixture->folder, ret_copy);
}

static void flip_bit(const struct folder_fixture *folder, struct random *random)
{
    struct stat status = {0};
    const char *name = names[random_below(random, COUNT(names))];
    if (stat(folder_fixture_file(folder, name), &status) != 0 || status.st_size == 0)
        return;
    const off_t offset = (off_t)random_below(random, (uint64_t)status.st_size);
    const int bit = (int)random_below(random, 8);
    TEST_CASE("bit %d of byte %d of %s", bit, (int)offset, name);
    unsigned char byte;
    const int fd = open(folder_fixture_file(folder, name), O_RDWR | O_CLOEXEC);
    CHECK_EQ(pread(fd, &byte, 1, offset), (ssize_t)1);
    byte ^= (unsigned char)(1 << bit);
    CHECK_EQ(pwrite(fd, &byte, 1, offset), (ssize_t)1);
    close(fd);
}

static void flip_bits(duration idle)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(handed_out) handed = {.account_token.secret = true, .cluster_token.secret = true};
    SCOPED(folder_fixture) copy;
    SCOPED(folder_fixture) victim;
    make_victim(&fixture, &handed, &copy, idle);
    make_folder(&victim);
    copy_folder(&copy, &victim);
    CHECK(!start_and_check(&victim, &handed)); /* undamaged */
    size_t refused = 0;
    for (size_t i = 0; i < FLIPS / 2; i++) {
        copy_folder(&copy, &victim);
        flip_bit(&victim, loop_random(loop_current()));
        refused += start_and_check(&victim, &handed);
    }
    CHECK(refused > FLIPS / 8);
}

SIM_TEST(flipped_bits_beside_a_full_log_are_never_silent)
{
    flip_bits(0);
}

SIM_TEST(flipped_bits_of_an_idle_server_are_never_silent)
{
    flip_bits(10 * SECOND);
}

SIM_TEST(files_that_are_taken_away_are_never_silent)
{
    const struct {
        const char *name;
        bool is_refused;
    } cases[] = {
        {"corset.db",      true },
        {"corset.db-wal",  true },
        {"corset.db.mark", true },
        {"lock",           false},
        {"pki/ca.crt",     true },
        {"pki/ca.key",     true },
        {"pki/tokens.key", true },
    };
    SCOPED(apiserver_fixture) fixture;
    SCOPED(handed_out) handed = {.account_token.secret = true, .cluster_token.secret = true};
    SCOPED(folder_fixture) copy;
    SCOPED(folder_fixture) victim;
    make_victim(&fixture, &handed, &copy, 0);
    make_folder(&victim);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s is missing", cases[i].name);
        copy_folder(&copy, &victim);
        CHECK_EQ(unlink(folder_fixture_file(&victim, cases[i].name)), 0);
        CHECK_EQ(start_and_check(&victim, &handed), cases[i].is_refused);
        TEST_CASE("%s is empty", cases[i].name);
        copy_folder(&copy, &victim);
        CHECK_EQ(truncate(folder_fixture_file(&victim, cases[i].name), 0), 0);
        CHECK_EQ(start_and_check(&victim, &handed), cases[i].is_refused);
    }
}
