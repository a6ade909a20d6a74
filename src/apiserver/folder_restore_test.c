#include "apiserver/folder_restore.h"

#include <string.h>
#include <unistd.h>

#include "apiserver/apiserver.h"
#include "apiserver/data_folder_fixture_test.h"
#include "apiserver/folder_backup.h"
#include "apiserver/storage/store_backup.h"
#include "apiserver/storage/store_mark.h"
#include "async/loop.h"

/* A backup of one folder, and another folder to restore it into. */
struct restore_fixture {
    struct folder_fixture from, to;
    char backup[64];
};

static void restore_fixture_init(struct restore_fixture *fixture)
{
    int64_t revision;
    data_folder_init(&fixture->from);
    folder_fixture_init(&fixture->to);
    OWNED(store) store = data_folder_open(&fixture->from);
    snprintf(fixture->backup, sizeof(fixture->backup), "%s/x.backup", fixture->from.path);
    CHECK_OK(folder_backup_write(store, fixture->from.path, fixture->backup, &revision));
}

static void restore_fixture_done(struct restore_fixture *fixture)
{
    folder_fixture_done(&fixture->from);
    folder_fixture_done(&fixture->to);
}

MUST_USE static struct error *restore(const struct restore_fixture *fixture, int64_t *ret_revision)
{
    return folder_restore_from(fixture->to.path, fixture->backup, ret_revision);
}

static const char *in_target(const struct restore_fixture *fixture, const char *name)
{
    return folder_fixture_file(&fixture->to, name);
}

static bool is_there(const struct restore_fixture *fixture, const char *name)
{
    return folder_fixture_mode(&fixture->to, name) >= 0;
}

LOOP_TEST(a_restored_folder_is_complete)
{
    SCOPED(restore_fixture) fixture;
    int64_t revision;
    restore_fixture_init(&fixture);
    CHECK_EQ(mkdir(in_target(&fixture, "pki"), 0700), 0);
    CHECK_EQ(mkdir(in_target(&fixture, "pki/next"), 0700), 0);
    folder_fixture_write(&fixture.to, "pki/next/ca.key", "of a rotation", 0600);
    CHECK_OK(restore(&fixture, &revision));
    CHECK_OK(folder_restore_check(fixture.to.path));
    for (size_t i = 0; i < COUNT(data_folder_keys); i++)
        CHECK(is_there(&fixture, data_folder_keys[i]));
    CHECK(!is_there(&fixture, "pki/next"));
    CHECK(!is_there(&fixture, "corset.db.restored"));
    CHECK(!is_there(&fixture, "corset.db.restored.reserve"));
    store_free(data_folder_open(&fixture.to));
    CHECK_ERROR(restore(&fixture, &revision), ERROR_CONFLICT);
}

/* Something in the way of each step of a restore: what was begun is refused until it is repeated.
 */
LOOP_TEST(a_restore_that_failed_is_refused_by_a_server_until_it_is_repeated)
{
    static const char *const obstacles[] = {"corset.db.restored", "corset.db.restored.mark.new",
                                            "pki/ca.crt", "corset.db.mark"};
    for (size_t i = 0; i < COUNT(obstacles); i++) {
        SCOPED(restore_fixture) fixture;
        struct apiserver *server = NULL;
        int64_t revision;
        TEST_CASE("%s is in the way", obstacles[i]);
        restore_fixture_init(&fixture);
        CHECK_EQ(mkdir(in_target(&fixture, "pki"), 0700), 0);
        CHECK_EQ(mkdir(in_target(&fixture, obstacles[i]), 0700), 0);
        CHECK_ERROR(restore(&fixture, &revision), ERROR_IO);
        CHECK_FAILS(folder_restore_check(fixture.to.path), ERROR_IO, "run 'corset restore' again");
        const struct apiserver_options options = {.folder = fixture.to.path, .host = STR("a.test")};
        CHECK_FAILS(apiserver_new(loop_current(), &options, &server), ERROR_IO,
                    "corset.db.restoring");
        folder_backup_clean(fixture.to.path);
        CHECK_ERROR(folder_restore_check(fixture.to.path), ERROR_IO);
        CHECK_EQ(rmdir(in_target(&fixture, obstacles[i])), 0);
        CHECK_OK(restore(&fixture, &revision));
        CHECK_OK(folder_restore_check(fixture.to.path));
        store_free(data_folder_open(&fixture.to));
    }
}

/* Acknowledged writes may be in the log alone. */
LOOP_TEST(a_restore_leaves_the_log_of_another_database_alone)
{
    SCOPED(restore_fixture) fixture;
    int64_t revision;
    restore_fixture_init(&fixture);
    folder_fixture_write(&fixture.to, "corset.db-wal", "writes", 0600);
    CHECK_FAILS(restore(&fixture, &revision), ERROR_CONFLICT, "corset.db-wal has writes");
    CHECK(is_there(&fixture, "corset.db-wal"));
    CHECK_OK(folder_restore_check(fixture.to.path));
    folder_fixture_write(&fixture.to, "corset.db-wal", "", 0600);
    CHECK_OK(restore(&fixture, &revision));
}

LOOP_TEST(what_is_no_whole_backup_leaves_the_folder_as_it_is)
{
    SCOPED(restore_fixture) fixture;
    int64_t revision;
    restore_fixture_init(&fixture);
    folder_fixture_write(&fixture.from, "x.backup", "no database", 0600);
    CHECK_ERROR(restore(&fixture, &revision), ERROR_IO);
    CHECK_OK(folder_restore_check(fixture.to.path));
    CHECK(!is_there(&fixture, "pki"));
}

/* The necessary ones, not all of them: a server makes the others. */
LOOP_TEST(a_backup_without_the_authority_is_not_restored)
{
    static const struct store_backup_file files[] = {
        {"ca.crt",     STR("a")},
        {"ca.key",     STR("a")},
        {"tokens.key", STR("a")},
    };
    for (size_t missing = 0; missing <= COUNT(files); missing++) {
        SCOPED(restore_fixture) fixture;
        struct store_backup_file some[COUNT(files)];
        int64_t revision;
        size_t count = 0;
        restore_fixture_init(&fixture);
        for (size_t i = 0; i < COUNT(files); i++)
            if (i != missing)
                some[count++] = files[i];
        {
            OWNED(store) store = data_folder_open(&fixture.from);
            const struct store_backup_options options = {fixture.backup, some, count};
            CHECK_EQ(unlink(fixture.backup), 0);
            CHECK_OK(store_backup(store, &options, &revision));
        }
        if (missing == COUNT(files)) {
            CHECK_OK(restore(&fixture, &revision));
            continue;
        }
        CHECK_FAILS(restore(&fixture, &revision), ERROR_IO, files[missing].name);
        CHECK_OK(folder_restore_check(fixture.to.path));
    }
}

/* The mark that stays in the folder tells what was given, whatever the clock says. */
LOOP_TEST(a_restore_goes_on_above_the_mark_of_the_folder_and_above_the_clock)
{
    const int64_t now = loop_wall(loop_current()) / MILLISECOND;
    const int64_t marks[] = {0, 5, now + 3600000, 4 * now};
    for (size_t i = 0; i < COUNT(marks); i++) {
        SCOPED(restore_fixture) fixture;
        int64_t revision = 0;
        int fd;
        TEST_CASE("mark %zu", i);
        restore_fixture_init(&fixture);
        if (marks[i]) {
            CHECK_OK(store_mark_open(in_target(&fixture, "corset.db.mark"),
                                     (struct store_mark){1, marks[i]}, &fd));
            close(fd);
        }
        CHECK_OK(restore(&fixture, &revision));
        CHECK(revision >= now);
        CHECK(revision >= marks[i] + 1000000);
        store_free(data_folder_open(&fixture.to));
    }
}

LOOP_TEST(root_restores_for_the_owner_of_the_folder_and_into_no_other)
{
    static const char *const names[] = {"corset.db", "corset.db.mark", "pki", "pki/ca.key"};
    SCOPED(restore_fixture) fixture;
    SCOPED(folder_fixture) others;
    struct stat status;
    int64_t revision;
    if (geteuid() != 0)
        return; /* Only root can act for others. */
    restore_fixture_init(&fixture);
    folder_fixture_init(&others);
    CHECK_EQ(chown(fixture.to.path, 1234, 1234), 0);
    CHECK_EQ(symlink(others.path, in_target(&fixture, "pki")), 0);
    CHECK_FAILS(restore(&fixture, &revision), ERROR_IO, "is no folder, or a link");
    CHECK_EQ(folder_fixture_mode(&others, "ca.key"), -1);
    CHECK_EQ(unlink(in_target(&fixture, "pki")), 0);
    CHECK_OK(restore(&fixture, &revision));
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK_EQ(lstat(in_target(&fixture, names[i]), &status), 0);
        CHECK_EQ((int)status.st_uid, 1234);
    }
}
