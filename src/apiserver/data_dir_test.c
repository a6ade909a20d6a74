#include "apiserver/data_dir.h"

#include <unistd.h>

#include "testing/folder_fixture.h"

TEST(data_dir_is_made_with_all_its_parents)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    OWNED(data_dir) dir = NULL;
    CHECK_OK(data_dir_open(folder_fixture_file(&folder, "a/b/c/"), &dir));
    CHECK_EQ(folder_fixture_mode(&folder, "a"), 0700);
    CHECK_EQ(folder_fixture_mode(&folder, "a/b/c"), 0700);
    CHECK_EQ(folder_fixture_mode(&folder, "a/b/c/lock"), 0600);
}

TEST(data_dir_belongs_to_one_at_a_time)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    char holder[32];
    snprintf(holder, sizeof(holder), "in use by process %ld;", (long)getpid());
    struct data_dir *first = NULL, *second = NULL;
    CHECK_OK(data_dir_open(folder.path, &first));
    CHECK_FAILS(data_dir_open(folder.path, &second), ERROR_IO, holder);
    CHECK(second == NULL);
    data_dir_free(first);
    CHECK_OK(data_dir_open(folder.path, &second));
    data_dir_free(second);
}

TEST(data_dir_keeps_the_modes_of_what_is_there)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    OWNED(data_dir) dir = NULL;
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "mine"), 0750), 0);
    CHECK_EQ(chmod(folder_fixture_file(&folder, "mine"), 0750), 0);
    CHECK_OK(data_dir_open(folder_fixture_file(&folder, "mine"), &dir));
    CHECK_EQ(folder_fixture_mode(&folder, "mine"), 0750);
}

TEST(data_dir_that_cannot_be_is_refused)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    struct data_dir *dir = NULL;
    folder_fixture_write(&folder, "file", "", 0600);
    CHECK_FAILS(data_dir_open(folder_fixture_file(&folder, "file"), &dir), ERROR_IO, "/file");
    CHECK_FAILS(data_dir_open(folder_fixture_file(&folder, "file/below"), &dir), ERROR_IO, "/file");
    CHECK_ERROR(data_dir_open("", &dir), ERROR_NOT_FOUND);
}

TEST(data_dir_knows_the_machine)
{
    SCOPED(buf) name = {.limit = 0};
    data_dir_hostname(&name);
    CHECK(str_find_char(buf_str(&name), '\0') == STR_NONE);
}

/* Whoever can write into the folder can read the keys in it, and have others written elsewhere. */
TEST(data_dir_of_others_is_refused)
{
    const struct {
        const char *name;
        mode_t mode;
        const char *message; /* NULL: it is taken */
    } cases[] = {
        {"of its owner",             0700,  NULL                      },
        {"to be read by a group",    0750,  NULL                      },
        {"to be written by a group", 0770,  "may be written by others"},
        {"to be written by all",     0777,  "may be written by others"},
        {"a sticky one of all",      01777, "may be written by others"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(folder_fixture) folder;
        folder_fixture_init(&folder);
        CHECK_EQ(chmod(folder.path, cases[i].mode), 0);
        OWNED(data_dir) dir = NULL;
        if (cases[i].message)
            CHECK_FAILS(data_dir_open(folder.path, &dir), ERROR_IO, cases[i].message);
        else
            CHECK_OK(data_dir_open(folder.path, &dir));
        CHECK_EQ(folder_fixture_mode(&folder, "lock"), cases[i].message ? -1 : 0600);
    }
    struct data_dir *dir = NULL;
    TEST_CASE("another user's");
    if (geteuid() == 0) {
        SCOPED(folder_fixture) folder;
        folder_fixture_init(&folder);
        CHECK_EQ(chown(folder.path, 12345, 12345), 0);
        CHECK_FAILS(data_dir_open(folder.path, &dir), ERROR_IO, "belongs to user 12345");
    } else {
        CHECK_FAILS(data_dir_open("/", &dir), ERROR_IO, "belongs to user 0");
    }
}

/* The folder itself is good: pki/ is what another user has written into. */
TEST(data_dir_with_keys_of_others_is_refused)
{
    static const char *const folders[] = {"pki", "pki/next", "clusters"};
    static const char *const files[] = {"pki/ca.crt",    "pki/ca.key", "pki/tokens.key",
                                        "pki/admin.crt", "corset.db",  "corset.db-wal",
                                        "corset.db.mark"};
    const char *parts[COUNT(folders) + COUNT(files)];
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    for (size_t i = 0; i < COUNT(folders); i++) {
        parts[i] = folders[i];
        CHECK_EQ(mkdir(folder_fixture_file(&folder, folders[i]), 0755), 0);
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        parts[COUNT(folders) + i] = files[i];
        folder_fixture_write(&folder, files[i], "content", 0644);
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        const char *path = folder_fixture_file(&folder, parts[i]);
        const mode_t mode = i < COUNT(folders) ? 0755 : 0644;
        struct data_dir *dir = NULL;
        TEST_CASE("%s", parts[i]);
        CHECK_EQ(chmod(path, 0666), 0);
        CHECK_FAILS(data_dir_open(folder.path, &dir), ERROR_IO, "may be written by others");
        CHECK_EQ(chmod(path, mode), 0);
        CHECK(geteuid() != 0 || chown(path, 12345, 12345) == 0);
        if (geteuid() == 0)
            CHECK_FAILS(data_dir_open(folder.path, &dir), ERROR_IO, "belongs to user 12345");
        CHECK(geteuid() != 0 || chown(path, 0, 0) == 0);
        CHECK_OK(data_dir_open(folder.path, &dir));
        data_dir_free(dir);
    }
}

/* A link in place of the lock would have another file emptied. */
TEST(data_dir_does_not_follow_a_link)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    folder_fixture_write(&folder, "precious", "text", 0600);
    CHECK_EQ(
        symlink(folder_fixture_file(&folder, "precious"), folder_fixture_file(&folder, "lock")), 0);
    struct data_dir *dir = NULL;
    CHECK_FAILS(data_dir_open(folder.path, &dir), ERROR_IO, "/lock is a link");
    struct stat status;
    CHECK_EQ(stat(folder_fixture_file(&folder, "precious"), &status), 0);
    CHECK_EQ((int)status.st_size, 4);
}
