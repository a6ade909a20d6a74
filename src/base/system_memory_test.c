#include "base/system_memory.h"

#include <stdio.h>
#include <sys/stat.h>

#include "testing/folder_fixture.h"
#include "testing/test.h"

static void put_text(const struct folder_fixture *folder, const char *name, const char *text)
{
    FILE *file = fopen(folder_fixture_file(folder, name), "we");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    fclose(file);
}

TEST(the_lowest_limit_of_a_control_group_counts)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    CHECK_EQ(system_memory_of_group(folder.path, "/a/b"), INT64_MAX);
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "a"), 0700), 0);
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "a/b"), 0700), 0);
    put_text(&folder, "memory.max", "900\n");
    CHECK_EQ(system_memory_of_group(folder.path, "/"), 900);
    CHECK_EQ(system_memory_of_group(folder.path, "/a/b"), 900);
    put_text(&folder, "a/b/memory.max", "max\n");
    CHECK_EQ(system_memory_of_group(folder.path, "/a/b"), 900);
    put_text(&folder, "a/memory.max", "700\n");
    CHECK_EQ(system_memory_of_group(folder.path, "/a/b"), 700);
    CHECK_EQ(system_memory_of_group(folder.path, "/gone"), 900);
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "memory"), 0700), 0);
    put_text(&folder, "memory/memory.limit_in_bytes", "500\n");
    CHECK_EQ(system_memory_of_group(folder.path, "/"), 500);
}

TEST(a_machine_has_memory)
{
    CHECK(system_memory() > 1 << 20);
}
