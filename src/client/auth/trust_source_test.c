#include "client/auth/trust_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apimachinery/wellknown.h"
#include "base/log.h"
#include "client/client_fixture_test.h"

/* The file; workers of a simulated loop run on its thread. */
struct file {
    const char *text; /* NULL: not there */
    size_t reads;
};

static struct error *read_it(void *data, struct str path, struct buf *out)
{
    struct file *file = data;
    file->reads++;
    if (!file->text)
        return error_new(ERROR_NOT_FOUND, "open %.*s: not there", STR_ARG(path));
    buf_add(out, str_from_c(file->text));
    return NULL;
}

/* Two authorities, the first of which the config has. */
struct trust_source_fixture {
    struct test_certs first, second;
    struct rest_config config;
    struct file file;
    struct trust_source *source;
};

static void trust_source_fixture_init(struct trust_source_fixture *fixture)
{
    *fixture = (struct trust_source_fixture){0};
    test_certs_init(&fixture->first, SIM_EPOCH);
    test_certs_init(&fixture->second, SIM_EPOCH);
    fixture->config.tls.trust = tls_trust_ref(fixture->first.trust);
    fixture->config.tls.trust_file = STR("/ca.crt");
    fixture->file.text = buf_c(&fixture->first.authority_pem);
    fixture->source = trust_source_new(
        loop_current(), &fixture->config,
        &(struct trust_source_options){.read_file = read_it, .read_data = &fixture->file});
}

static void trust_source_fixture_done(struct trust_source_fixture *fixture)
{
    trust_source_free(fixture->source);
    rest_config_done(&fixture->config);
    test_certs_done(&fixture->first);
    test_certs_done(&fixture->second);
}

static bool is_believed(struct trust_source_fixture *fixture, const struct test_certs *certs)
{
    OWNED(tls_trust) trust = NULL;
    CHECK_OK(trust_source_get(fixture->source, &trust));
    return tls_trust_eq(trust, certs->trust);
}

SIM_TEST(authorities_without_a_file_stay_what_they_are)
{
    SCOPED(trust_source_fixture) fixture;
    trust_source_fixture_init(&fixture);
    fixture.config.tls.trust_file = STR("");
    OWNED(trust_source) source = trust_source_new(loop_current(), &fixture.config, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    OWNED(tls_trust) trust = NULL;
    CHECK_OK(trust_source_get(source, &trust));
    CHECK(trust == fixture.first.trust);
    CHECK_EQ(sim_jobs_done(loop_current()), 0);
}

SIM_TEST(authorities_are_read_again_every_five_minutes)
{
    SCOPED(trust_source_fixture) fixture;
    trust_source_fixture_init(&fixture);
    fixture.file.text = buf_c(&fixture.second.authority_pem);
    CHECK_OK(fiber_sleep(299 * SECOND));
    CHECK(is_believed(&fixture, &fixture.first));
    CHECK_EQ(fixture.file.reads, (size_t)0);
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK(is_believed(&fixture, &fixture.second));
    CHECK(is_believed(&fixture, &fixture.second));
    CHECK_EQ(fixture.file.reads, (size_t)1);
}

SIM_TEST(the_same_authorities_are_the_same_reference)
{
    SCOPED(trust_source_fixture) fixture;
    trust_source_fixture_init(&fixture);
    CHECK_OK(fiber_sleep(6 * MINUTE));
    OWNED(tls_trust) trust = NULL;
    CHECK_OK(trust_source_get(fixture.source, &trust));
    CHECK_EQ(fixture.file.reads, (size_t)1);
    CHECK(trust == fixture.first.trust);
}

static void count_lines(void *data, struct str line)
{
    *(size_t *)data += str_contains(line, STR("could not be read again"));
}

SIM_TEST(authorities_that_cannot_be_read_change_nothing)
{
    static const char *const bad[] = {NULL, "", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        TEST_CASE("bad content %zu", i);
        size_t lines = 0;
        SCOPED(trust_source_fixture) fixture;
        trust_source_fixture_init(&fixture);
        log_set_sink(count_lines, &lines);
        fixture.file.text = bad[i];
        CHECK_OK(fiber_sleep(6 * MINUTE));
        CHECK(is_believed(&fixture, &fixture.first));
        CHECK(is_believed(&fixture, &fixture.first));
        log_set_sink(NULL, NULL);
        CHECK_EQ(lines, (size_t)1);
        CHECK_EQ(fixture.file.reads, (size_t)1); /* not at every request */
        fixture.file.text = buf_c(&fixture.second.authority_pem);
        CHECK_OK(fiber_sleep(MINUTE));
        CHECK(is_believed(&fixture, &fixture.second));
    }
}

TORTURE_TEST(trust_source_survives)
{
    SCOPED(trust_source_fixture) fixture;
    trust_source_fixture_init(&fixture);
    fixture.file.text = buf_c(&fixture.second.authority_pem);
    TRY(fiber_sleep(6 * MINUTE));
    OWNED(tls_trust) trust = NULL;
    OWNED(tls_trust) again = NULL;
    TRY(trust_source_get(fixture.source, &trust));
    TRY(trust_source_get(fixture.source, &again));
    CHECK(trust == again);
    return NULL;
}

static void write_file(const char *path, struct str text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(text.ptr, 1, text.len, file), text.len);
    CHECK_EQ(fclose(file), 0);
}

#define OBJECT "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"

/* A client goes on with its connection, and believes the new authorities when it makes the next. */
SIM_TEST(new_authorities_are_for_new_connections)
{
    char path[] = "/tmp/trust_source_test.XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    struct test_certs others;
    test_certs_init(&others, SIM_EPOCH);
    SCOPED(client_fixture) api;
    client_fixture_init(&api, false);
    api.config.tls.trust_file = str_from_c(path);
    client_fixture_start(&api);
    SCRIPT(&api, {200, NULL, NULL, OBJECT});
    const struct key key = KEY("ns", "a");
    write_file(path, buf_str(&api.certs.authority_pem));
    CHECK_OK(fiber_sleep(6 * MINUTE));
    CHECK_OK(client_get(api.client, GVR_CONFIG_MAPS, key, NULL, NULL));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(sim_network_connections(api.network), (size_t)1);
    write_file(path, buf_str(&others.authority_pem));
    CHECK_OK(fiber_sleep(6 * MINUTE));
    CHECK_ERROR(client_get(api.client, GVR_CONFIG_MAPS, key, NULL, NULL), ERROR_TLS);
    write_file(path, buf_str(&api.certs.authority_pem));
    CHECK_OK(fiber_sleep(6 * MINUTE));
    CHECK_OK(client_get(api.client, GVR_CONFIG_MAPS, key, NULL, NULL));
    remove(path);
    test_certs_done(&others);
}
