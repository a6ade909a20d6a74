#include "apiserver/folder_backup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apiserver/data_folder_fixture_test.h"

/* What is in the folder of that name. */
static struct str content_of(const struct folder_fixture *folder, const char *name)
{
    static char text[1024];
    FILE *file = fopen(folder_fixture_file(folder, name), "r");
    CHECK(file != NULL);
    const size_t len = fread(text, 1, sizeof(text), file);
    CHECK_EQ(fclose(file), 0);
    return str_from(text, len);
}

static bool is_there(const struct folder_fixture *folder, const char *name)
{
    return folder_fixture_mode(folder, name) >= 0;
}

static const char *target(const struct folder_fixture *folder)
{
    return folder_fixture_file(folder, "taken");
}

LOOP_TEST(a_backup_is_asked_for_made_and_taken)
{
    SCOPED(folder_fixture) folder;
    data_folder_init(&folder);
    OWNED(store) store = data_folder_open(&folder);
    folder_fixture_write(&folder, "backup.failed", "the failure of last week", 0600);
    CHECK_OK(folder_backup_ask(folder.path));
    CHECK(folder_backup_is_wanted(folder.path));
    CHECK_ERROR(folder_backup_ask(folder.path), ERROR_CONFLICT);
    CHECK_OK(folder_backup_serve(store, folder.path));
    CHECK(!folder_backup_is_wanted(folder.path));
    CHECK_OK(folder_backup_take(folder.path, target(&folder)));
    CHECK_EQ(folder_fixture_mode(&folder, "taken"), 0600);
    CHECK(!is_there(&folder, "backup.failed"));
    CHECK(!is_there(&folder, "backup.db"));
}

/* On a full disk the answer may have no room either. */
LOOP_TEST(a_request_is_answered_when_neither_backup_nor_reason_can_be_written)
{
    for (int can_write = 0; can_write < 2; can_write++) {
        SCOPED(folder_fixture) folder;
        TEST_CASE("%s", can_write ? "a reason" : "no reason");
        data_folder_init(&folder);
        OWNED(store) store = data_folder_open(&folder);
        CHECK_EQ(mkdir(folder_fixture_file(&folder, "backup.db.part"), 0700), 0);
        if (!can_write)
            CHECK_EQ(mkdir(folder_fixture_file(&folder, ".backup.failed.new"), 0700), 0);
        CHECK_OK(folder_backup_ask(folder.path));
        CHECK_ERROR(folder_backup_serve(store, folder.path), ERROR_IO);
        CHECK(!folder_backup_is_wanted(folder.path));
        CHECK_FAILS(folder_backup_take(folder.path, target(&folder)), ERROR_IO,
                    can_write ? "File exists" : "has no space for one");
        CHECK(!is_there(&folder, "backup.failed"));
        CHECK(!is_there(&folder, "taken"));
    }
}

LOOP_TEST(a_folder_is_no_request_for_a_backup)
{
    SCOPED(folder_fixture) folder;
    data_folder_init(&folder);
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "backup.wanted"), 0700), 0);
    CHECK(!folder_backup_is_wanted(folder.path));
    CHECK_FAILS(folder_backup_ask(folder.path), ERROR_IO, "backup.wanted is not a file; remove it");
}

LOOP_TEST(a_backup_that_nobody_can_take_does_not_stay_in_the_folder)
{
    SCOPED(folder_fixture) folder;
    data_folder_init(&folder);
    OWNED(store) store = data_folder_open(&folder);
    CHECK_OK(folder_backup_ask(folder.path));
    CHECK_OK(folder_backup_serve(store, folder.path));
    CHECK(is_there(&folder, "backup.db"));
    CHECK_FAILS(folder_backup_take(folder.path, "/nowhere/at/all"), ERROR_IO, "/nowhere/at/all");
    CHECK(!is_there(&folder, "backup.db"));
}

/* Withdraws the request, or makes another one of it, while the backup is made. */
struct change_of_mind {
    const char *folder;
    bool asks_again;
};

static struct error *change_mind(void *data)
{
    const struct change_of_mind *change = data;
    folder_backup_withdraw(change->folder);
    return change->asks_again ? folder_backup_ask(change->folder) : NULL;
}

LOOP_TEST(a_backup_is_for_the_command_that_asked)
{
    for (int asks_again = 0; asks_again < 2; asks_again++) {
        SCOPED(folder_fixture) folder;
        SCOPED(scope) scope = {0};
        TEST_CASE("%s", asks_again ? "another one asks" : "it has gone");
        data_folder_init(&folder);
        OWNED(store) store = data_folder_open(&folder);
        struct change_of_mind change = {folder.path, asks_again};
        CHECK_OK(folder_backup_ask(folder.path));
        scope_start(&scope, "change of mind", change_mind, &change);
        CHECK_OK(folder_backup_serve(store, folder.path));
        CHECK_OK(scope_wait(&scope));
        CHECK(!is_there(&folder, "backup.db"));
        CHECK_EQ(folder_backup_is_wanted(folder.path), (bool)asks_again);
        CHECK_EQ(is_there(&folder, "backup.failed"), (bool)asks_again);
    }
}

LOOP_TEST(a_backup_without_the_authority_is_not_made)
{
    static const char *const names[] = {"ca.crt", "ca.key", "tokens.key"};
    for (size_t i = 0; i < COUNT(names); i++) {
        SCOPED(folder_fixture) folder;
        char name[32];
        int64_t revision;
        data_folder_init(&folder);
        OWNED(store) store = data_folder_open(&folder);
        snprintf(name, sizeof(name), "pki/%s", names[i]);
        CHECK_EQ(unlink(folder_fixture_file(&folder, name)), 0);
        CHECK_FAILS(folder_backup_write(store, folder.path, target(&folder), &revision), ERROR_IO,
                    names[i]);
    }
}

/* As root for a server of another user, who may have put anything into his folder. */
LOOP_TEST(root_does_not_follow_the_links_of_the_owner)
{
    static const char *const names[] = {"pki/server.key", "pki/ca.key", "backup.failed",
                                        "backup.db"};
    if (geteuid() != 0)
        return; /* Only root can act for others. */
    for (size_t i = 0; i < COUNT(names); i++) {
        for (int is_hard = 0; is_hard < 2; is_hard++) {
            SCOPED(folder_fixture) folder;
            SCOPED(folder_fixture) others;
            int64_t revision;
            TEST_CASE("%s, %s", names[i], is_hard ? "a second name" : "a link");
            folder_fixture_init(&others);
            folder_fixture_write(&others, "secret", "of root", 0600);
            data_folder_init(&folder);
            data_folder_give(&folder, 1234);
            const char *secret = folder_fixture_file(&others, "secret");
            const char *name = folder_fixture_file(&folder, names[i]);
            (void)unlink(name);
            CHECK_EQ(is_hard ? link(secret, name) : symlink(secret, name), 0);
            OWNED(error) err = NULL;
            if (i < 2) {
                OWNED(store) store = data_folder_open(&folder);
                err = folder_backup_write(store, folder.path, target(&folder), &revision);
            } else {
                err = folder_backup_take(folder.path, target(&folder));
            }
            CHECK(error_is(err, ERROR_IO));
            CHECK(strstr(err->message, is_hard ? "belongs to user 0" : "is a link") != NULL);
            CHECK(!is_there(&folder, "taken"));
            CHECK_EQ(content_of(&others, "secret"), STR("of root"));
        }
    }
}

/* What root makes must not be a way to files of root's. */
LOOP_TEST(root_gives_nothing_away_but_files_of_the_folder)
{
    SCOPED(folder_fixture) folder;
    SCOPED(folder_fixture) others;
    struct stat status;
    if (geteuid() != 0)
        return; /* Only root can act for others. */
    folder_fixture_init(&others);
    folder_fixture_write(&others, "secret", "of root", 0600);
    data_folder_init(&folder);
    data_folder_give(&folder, 1234);
    folder_fixture_write(&folder, "lock", "", 0600);
    CHECK_OK(folder_backup_give_to_owner(folder.path));
    CHECK_EQ(stat(folder_fixture_file(&folder, "lock"), &status), 0);
    CHECK_EQ((int)status.st_uid, 1234);
    const char *secret = folder_fixture_file(&others, "secret");
    CHECK_EQ(link(secret, folder_fixture_file(&folder, "corset.db.reserve")), 0);
    CHECK_FAILS(folder_backup_give_to_owner(folder.path), ERROR_IO, "is not a file of its own");
    CHECK_EQ(stat(secret, &status), 0);
    CHECK_EQ((int)status.st_uid, 0);
}
