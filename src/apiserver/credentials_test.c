#include "apiserver/credentials.h"

#include <unistd.h>

#include "apiserver/secret_file.h"
#include "base/duration.h"
#include "testing/folder_fixture.h"
#include "testing/sim.h"

static struct error *open_at(const char *folder, int64_t now, struct credentials **ret_credentials)
{
    static const struct str names[] = {STR_INIT("localhost"), STR_INIT("127.0.0.1")};
    const struct credentials_options options = {
        .folder = folder, .names = names, .name_count = COUNT(names), .now = now};
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
    CHECK(!str_eq(buf_str(&second->admin_key), buf_str(&first->admin_key))); /* issued anew */
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
    const int64_t day = 24 * HOUR;
    folder_fixture_init(&folder);
    CHECK_FAILS(open_at(folder_fixture_file(&folder, "pki"), 0, &second), ERROR_IO,
                "the clock of this machine says 1970-01-01T00:00:00Z; set the clock");
    CHECK_OK(open_in(folder_fixture_file(&folder, "pki"), &first));
    CHECK_FAILS(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH - day, &second), ERROR_IO,
                "pki/ca.crt is valid from ");
    CHECK_FAILS(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH + 3650 * day, &second),
                ERROR_IO, "pki/ca.crt has expired on ");
    CHECK_OK(open_at(folder_fixture_file(&folder, "pki"), SIM_EPOCH + 3649 * day, &second));
    credentials_free(second);
}
