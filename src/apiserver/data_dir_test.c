#include "apiserver/data_dir.h"

#include <unistd.h>

#include "apiserver/folder_fixture_test.h"

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
