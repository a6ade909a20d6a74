#include "apiserver/secret_file.h"

#include <unistd.h>

#include "testing/folder_fixture.h"

TEST(secret_file_comes_back)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) text = {.limit = 0};
    bool is_there = true;
    folder_fixture_init(&folder);
    CHECK_OK(secret_file_read(folder.path, "key", &text, &is_there));
    CHECK(!is_there);
    CHECK_OK(secret_file_write(folder.path, "key", STR("one")));
    CHECK_OK(secret_file_write(folder.path, "key", STR("two\n")));
    CHECK_OK(secret_file_read(folder.path, "key", &text, &is_there));
    CHECK(is_there);
    CHECK_EQ(buf_str(&text), STR("two\n"));
    CHECK_EQ(folder_fixture_mode(&folder, "key"), 0600);
    CHECK_EQ(folder_fixture_mode(&folder, ".key.new"), -1);
}

TEST(secret_file_without_a_folder_is_nowhere)
{
    SCOPED(buf) text = {.limit = 0};
    bool is_there = true;
    CHECK_OK(secret_file_write(NULL, "key", STR("one")));
    CHECK_OK(secret_file_read(NULL, "key", &text, &is_there));
    CHECK(!is_there);
}

TEST(secret_file_is_nobody_elses_whatever_lies_in_its_way)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) text = {.limit = 0};
    bool is_there;
    folder_fixture_init(&folder);
    folder_fixture_write(&folder, ".key.new", "left behind, and longer than the secret", 0666);
    folder_fixture_write(&folder, "key", "old", 0644);
    CHECK_OK(secret_file_write(folder.path, "key", STR("secret")));
    CHECK_EQ(folder_fixture_mode(&folder, "key"), 0600);
    CHECK_OK(secret_file_read(folder.path, "key", &text, &is_there));
    CHECK_EQ(buf_str(&text), STR("secret"));
}

TEST(secret_file_does_not_follow_links)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) text = {.limit = 0};
    bool is_there;
    folder_fixture_init(&folder);
    folder_fixture_write(&folder, "victim", "untouched", 0600);
    CHECK_EQ(symlink("victim", folder_fixture_file(&folder, ".key.new")), 0);
    CHECK_OK(secret_file_write(folder.path, "key", STR("secret")));
    CHECK_OK(secret_file_read(folder.path, "victim", &text, &is_there));
    CHECK_EQ(buf_str(&text), STR("untouched"));
}

TEST(secret_file_names_what_it_cannot_do)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) text = {.limit = 0};
    bool is_there;
    folder_fixture_init(&folder);
    CHECK_FAILS(secret_file_write("/nowhere/at/all", "key", STR("one")), ERROR_NOT_FOUND,
                "/nowhere/at/all/.key.new");
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "key"), 0700), 0);
    CHECK_FAILS(secret_file_read(folder.path, "key", &text, &is_there), ERROR_IO, "/key");
}

/* To open a named pipe for reading is to wait for a writer. */
TEST(secret_file_does_not_wait_for_a_pipe)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) text = {.limit = 0};
    bool is_there;
    folder_fixture_init(&folder);
    CHECK_EQ(mkfifo(folder_fixture_file(&folder, "key"), 0600), 0);
    CHECK_FAILS(secret_file_read(folder.path, "key", &text, &is_there), ERROR_IO,
                "/key is not a regular file");
    folder_fixture_write(&folder, "elsewhere", "secret", 0600);
    CHECK_EQ(symlink("elsewhere", folder_fixture_file(&folder, "link")), 0);
    CHECK_OK(secret_file_read(folder.path, "link", &text, &is_there));
    CHECK_EQ(buf_str(&text), STR("secret"));
}

TEST(secret_file_stamp_changes_with_the_file)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    const struct secret_file_stamp none = secret_file_stamp(folder.path, "key");
    CHECK_OK(secret_file_write(folder.path, "key", STR("one")));
    const struct secret_file_stamp one = secret_file_stamp(folder.path, "key");
    const struct secret_file_stamp again = secret_file_stamp(folder.path, "key");
    CHECK_OK(secret_file_write(folder.path, "key", STR("two")));
    const struct secret_file_stamp two = secret_file_stamp(folder.path, "key");
    CHECK(!secret_file_stamp_eq(&none, &one));
    CHECK(secret_file_stamp_eq(&one, &again));
    CHECK(!secret_file_stamp_eq(&one, &two));
}

TEST(secret_file_is_not_cut_short)
{
    SCOPED(folder_fixture) folder;
    SCOPED(buf) text = {.limit = 0};
    bool is_there;
    folder_fixture_init(&folder);
    for (size_t i = 0; i < 2 * MEGABYTE; i++)
        buf_add_char(&text, 'x');
    CHECK_OK(secret_file_write(folder.path, "large", buf_str(&text)));
    buf_clear(&text);
    CHECK_FAILS(secret_file_read(folder.path, "large", &text, &is_there), ERROR_IO, "/large");
}
