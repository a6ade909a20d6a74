#include "apiserver/credentials.h"

#include <string.h>
#include <unistd.h>

#include "apiserver/secret_file.h"
#include "base/duration.h"
#include "testing/folder_fixture.h"
#include "testing/sim.h"

#define DAY (24 * HOUR)

static struct error *open_at(const char *folder, int64_t now, struct credentials **ret_credentials)
{
    static const struct str names[] = {STR_INIT("localhost"), STR_INIT("127.0.0.1")};
    SCOPED(credential_files) files = {.folder = folder};
    const struct credentials_options options = {
        .files = &files, .names = names, .name_count = COUNT(names), .now = now};
    return credentials_open(&options, ret_credentials);
}

static struct error *open_in(const char *folder, struct credentials **ret_credentials)
{
    return open_at(folder, SIM_EPOCH, ret_credentials);
}

static void admin_token(const struct credentials *credentials, struct buf *out)
{
    auth_admin_token(credentials->keys, STR("vc-0001"), out);
}

TEST(credentials_outlast_a_restart)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) first_token = {.limit = 0};
    SCOPED(buf) second_token = {.limit = 0};
    OWNED(credentials) first = NULL;
    OWNED(credentials) second = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    CHECK_EQ(folder_fixture_mode(&folder, "pki"), 0700);
    CHECK_EQ(folder_fixture_mode(&folder, "pki/ca.key"), 0600);
    CHECK_EQ(folder_fixture_mode(&folder, "pki/ca.crt"), 0600);
    CHECK_EQ(folder_fixture_mode(&folder, "pki/tokens.key"), 0600);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &second));
    CHECK_EQ(buf_str(&second->authority), buf_str(&first->authority));
    CHECK_EQ(buf_str(&second->admin.key), buf_str(&first->admin.key));
    admin_token(first, &first_token);
    admin_token(second, &second_token);
    CHECK_EQ(buf_str(&second_token), buf_str(&first_token));
}

TEST(credentials_without_a_folder_are_new_each_time)
{
    OWNED(credentials) first = NULL;
    OWNED(credentials) second = NULL;
    CHECK_OK(open_in(NULL, &first));
    CHECK_OK(open_in(NULL, &second));
    CHECK(!str_eq(buf_str(&second->authority), buf_str(&first->authority)));
}

/* fabric8, the client of Java programs, reads keys of this form only. */
TEST(the_key_of_the_administrator_is_written_as_sec1)
{
    OWNED(credentials) credentials = NULL;
    CHECK_OK(open_in(NULL, &credentials));
    CHECK(
        str_starts_with(buf_str(&credentials->admin.key), STR("-----BEGIN EC PRIVATE KEY-----\n")));
}

TEST(credentials_do_not_make_up_half_an_authority)
{
    static const char *const files[] = {"pki/ca.key", "pki/ca.crt"};
    for (size_t i = 0; i < COUNT(files); i++) {
        SCOPED(folder_fixture) folder;
        OWNED(credentials) first = NULL;
        struct credentials *second = NULL;
        TEST_CASE("without %s", files[i]);
        folder_fixture_init(&folder);
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
        CHECK_EQ(unlink(folder_fixture_file(&folder, files[i])), 0);
        CHECK_FAILS(open_in(folder_fixture_file(&folder, "pki"), &second), ERROR_IO,
                    "holds only one of ca.crt and ca.key");
        CHECK_EQ(folder_fixture_mode(&folder, files[i]), -1);
    }
}

/* What a first start leaves that is killed after each of its files. */
TEST(credentials_of_an_unfinished_first_start_are_finished)
{
    static const char *const files[] = {"pki/tokens.key", "pki/ca.crt", "pki/ca.key"};
    SCOPED(folder_fixture) folder;
    OWNED(credentials) first = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    for (size_t left = COUNT(files); left-- > 0;) {
        OWNED(credentials) second = NULL;
        OWNED(credentials) third = NULL;
        TEST_CASE("%zu files are there", left);
        for (size_t i = 0; i < COUNT(files) - left; i++)
            CHECK_EQ(unlink(folder_fixture_file(&folder, files[i])), 0);
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &second));
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &third));
        CHECK_EQ(buf_str(&third->authority), buf_str(&second->authority));
    }
}

TEST(credentials_keep_a_key_without_its_certificate)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) before = {.secret = true};
    SCOPED(buf) after = {.secret = true};
    OWNED(credentials) first = NULL;
    OWNED(credentials) second = NULL;
    bool is_there;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    CHECK_OK(secret_file_read(folder_fixture_file(&folder, "pki"), "ca.key", &before, &is_there));
    CHECK_EQ(unlink(folder_fixture_file(&folder, "pki/tokens.key")), 0);
    CHECK_EQ(unlink(folder_fixture_file(&folder, "pki/ca.crt")), 0);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &second));
    CHECK_OK(secret_file_read(folder_fixture_file(&folder, "pki"), "ca.key", &after, &is_there));
    CHECK_EQ(buf_str(&after), buf_str(&before));
}

TEST(credentials_that_are_broken_are_named)
{
    static const struct {
        const char *file, *part;
    } cases[] = {
        {"pki/ca.key",     "ca.key"    },
        {"pki/ca.crt",     "ca.crt"    },
        {"pki/tokens.key", "tokens.key"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(folder_fixture) folder;
        OWNED(credentials) first = NULL;
        struct credentials *second = NULL;
        TEST_CASE("%s", cases[i].file);
        folder_fixture_init(&folder);
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
        folder_fixture_write(&folder, cases[i].file, "nonsense\n", 0600);
        struct error *err = open_in(folder_fixture_file(&folder, "pki"), &second);
        CHECK(err != NULL);
        CHECK_CONTAINS(str_from_c(err->message), str_from_c(cases[i].part));
        error_free(err);
    }
}

TEST(credentials_of_another_authority_do_not_fit)
{
    SCOPED(folder_fixture) folder;
    OWNED(credentials) first = NULL;
    OWNED(credentials) other = NULL;
    struct credentials *mixed = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "a"), &first));
    CHECK_OK(open_in(folder_fixture_file(&folder, "b"), &other));
    CHECK_EQ(
        rename(folder_fixture_file(&folder, "b/ca.key"), folder_fixture_file(&folder, "a/ca.key")),
        0);
    struct error *err = open_in(folder_fixture_file(&folder, "a"), &mixed);
    CHECK(err != NULL);
    error_free(err);
}

TEST(credentials_say_when_the_clock_or_the_authority_is_wrong)
{
    SCOPED(folder_fixture) folder;
    OWNED(credentials) first = NULL;
    struct credentials *second = NULL;
    folder_fixture_init(&folder);
    CHECK_FAILS(open_at(folder_fixture_file(&folder, "pki"), 0, &second), ERROR_IO,
                "the clock of this machine says 1970-01-01T00:00:00Z; set the clock");
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    CHECK_FAILS(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH - DAY, &second), ERROR_IO,
                "pki/ca.crt is valid from ");
    CHECK_FAILS(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH + 3650 * DAY, &second),
                ERROR_IO, "pki/ca.crt has expired on ");
    CHECK_OK(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH + 3649 * DAY, &second));
    credentials_free(second);
}

TEST(certificates_are_renewed_in_the_last_third)
{
    static const struct {
        const char *name;
        int64_t from, until, authority_end, renewal;
    } cases[] = {
        {"a long way from the authority's end", 0,   300, 1000, 200      },
        {"later in its life",                   100, 400, 1000, 300      },
        {"as long as the authority",            0,   300, 300,  INT64_MAX},
        {"longer than the authority",           0,   300, 200,  INT64_MAX},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(kept_certificate_renewal(cases[i].from, cases[i].until, cases[i].authority_end),
                 cases[i].renewal);
    }
}

TEST(credentials_are_renewed_by_a_start_when_they_are_due)
{
    static const struct {
        const char *name;
        int day; /* of the start */
        bool is_new;
        int until; /* day */
    } cases[] = {
        {"the next day",                    1,    false, 365 },
        {"just before the last third",      243,  false, 365 },
        {"in the last third",               244,  true,  609 },
        {"again, late in the last third",   605,  true,  970 },
        {"long after the end",              2000, true,  2365},
        {"within a year of the authority",  3500, true,  3650},
        {"nothing newer would last longer", 3648, false, 3650},
    };
    SCOPED(folder_fixture) folder;
    SCOPED(buf) admin = {.limit = 0};
    SCOPED(buf) server = {.limit = 0};
    OWNED(credentials) first = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    CHECK_EQ(folder_fixture_mode(&folder, "pki/admin.key"), 0600);
    CHECK_EQ(folder_fixture_mode(&folder, "pki/server.key"), 0600);
    buf_add(&admin, buf_str(&first->admin.certificate));
    buf_add(&server, buf_str(&first->server.certificate));
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(credentials) next = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(
            open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH + cases[i].day * DAY, &next));
        CHECK_EQ(str_eq(buf_str(&next->admin.certificate), buf_str(&admin)), !cases[i].is_new);
        CHECK_EQ(str_eq(buf_str(&next->server.certificate), buf_str(&server)), !cases[i].is_new);
        CHECK_EQ(next->admin.not_after, SIM_EPOCH + cases[i].until * DAY);
        CHECK_EQ(next->server.not_after, SIM_EPOCH + cases[i].until * DAY);
        buf_clear(&admin);
        buf_clear(&server);
        buf_add(&admin, buf_str(&next->admin.certificate));
        buf_add(&server, buf_str(&next->server.certificate));
    }
}

TEST(credentials_that_do_not_fit_are_issued_anew)
{
    static const struct {
        const char *file, *content; /* NULL: the file is removed */
    } cases[] = {
        {"pki/admin.crt",  NULL        },
        {"pki/admin.key",  NULL        },
        {"pki/admin.crt",  "nonsense\n"},
        {"pki/server.key", "nonsense\n"},
        {"pki/server.crt", NULL        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(folder_fixture) folder;
        OWNED(credentials) first = NULL;
        OWNED(credentials) second = NULL;
        OWNED(credentials) third = NULL;
        const bool is_admin = strstr(cases[i].file, "admin") != NULL;
        TEST_CASE("%s %s", cases[i].content ? "a broken" : "no", cases[i].file);
        folder_fixture_init(&folder);
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
        if (cases[i].content)
            folder_fixture_write(&folder, cases[i].file, cases[i].content, 0600);
        else
            CHECK_EQ(unlink(folder_fixture_file(&folder, cases[i].file)), 0);
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &second));
        CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &third));
        CHECK_EQ(str_eq(buf_str(&second->admin.key), buf_str(&first->admin.key)), !is_admin);
        CHECK_EQ(str_eq(buf_str(&second->server.key), buf_str(&first->server.key)), is_admin);
        CHECK_EQ(buf_str(&third->admin.key), buf_str(&second->admin.key));
        CHECK_EQ(buf_str(&third->server.key), buf_str(&second->server.key));
    }
}

TEST(the_certificate_of_a_server_follows_its_names)
{
    static const struct str others[] = {STR_INIT("localhost"), STR_INIT("192.0.2.1")};
    SCOPED(folder_fixture) folder;
    OWNED(credentials) first = NULL;
    OWNED(credentials) second = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    SCOPED(credential_files) files = {.folder = folder_fixture_file(&folder, "pki")};
    const struct credentials_options options = {
        .files = &files, .names = others, .name_count = COUNT(others), .now = SIM_EPOCH};
    CHECK_OK(credentials_open(&options, &second));
    CHECK_EQ(buf_str(&second->admin.key), buf_str(&first->admin.key));
    CHECK(!str_eq(buf_str(&second->server.key), buf_str(&first->server.key)));
}

TEST(credentials_are_due_when_one_is_not_valid)
{
    static const struct {
        const char *name;
        int64_t now;
        bool is_due;
    } cases[] = {
        {"at once",                            SIM_EPOCH,              false},
        {"the clock was set back a little",    SIM_EPOCH - HOUR / 2,   false},
        {"the clock was set back by hours",    SIM_EPOCH - 2 * HOUR,   true },
        {"in the last third of a certificate", SIM_EPOCH + 250 * DAY,  true },
        {"after the end of the authority",     SIM_EPOCH + 3650 * DAY, true },
    };
    SCOPED(folder_fixture) folder;
    OWNED(credentials) first = NULL;
    OWNED(credentials) last = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(credentials_are_due(first, cases[i].now), cases[i].is_due);
    }
    /* Nothing newer would last longer, so there is no renewal. */
    CHECK_OK(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH + 3500 * DAY, &last));
    CHECK(!credentials_are_due(last, SIM_EPOCH + 3649 * DAY));
    CHECK(credentials_are_due(last, SIM_EPOCH + 3650 * DAY));
    CHECK(credentials_are_due(last, SIM_EPOCH + 3400 * DAY));
}

TEST(credentials_in_memory_are_renewed_too)
{
    SCOPED(credential_files) files = {.folder = NULL};
    struct credentials_options options = {.files = &files, .now = SIM_EPOCH};
    OWNED(credentials) first = NULL;
    OWNED(credentials) second = NULL;
    OWNED(credentials) third = NULL;
    CHECK_OK(credentials_open(&options, &first));
    options.now += 200 * DAY;
    CHECK_OK(credentials_open(&options, &second));
    CHECK_EQ(buf_str(&second->admin.key), buf_str(&first->admin.key));
    options.now += 200 * DAY;
    CHECK_OK(credentials_open(&options, &third));
    CHECK_EQ(buf_str(&third->authority), buf_str(&first->authority));
    CHECK(!str_eq(buf_str(&third->admin.key), buf_str(&first->admin.key)));
}
