#include "apiserver/credential_files.h"

#include <assert.h>
#include <string.h>

#include "apiserver/secret_file.h"

void credential_files_done(struct credential_files *files)
{
    for (size_t i = 0; i < CREDENTIAL_FILES_MAX; i++)
        buf_done(&files->memory[i].content);
}

/* The place of a file in memory, or the free one in which it would be. */
static size_t find_place(const struct credential_files *files, const char *name)
{
    size_t i = 0;
    while (files->memory[i].name && strcmp(files->memory[i].name, name) != 0)
        i++;
    assert(i < CREDENTIAL_FILES_MAX);
    return i;
}

struct error *credential_files_read(const struct credential_files *files, const char *name,
                                    struct buf *out, bool *ret_is_there)
{
    if (files->folder)
        return secret_file_read(files->folder, name, out, ret_is_there);
    const size_t place = find_place(files, name);
    *ret_is_there = files->memory[place].name != NULL;
    buf_add(out, buf_str(&files->memory[place].content));
    return buf_check(out);
}

struct error *credential_files_write(struct credential_files *files, const char *name,
                                     struct str content)
{
    if (files->folder)
        return secret_file_write(files->folder, name, content);
    const size_t place = find_place(files, name);
    struct buf *kept = &files->memory[place].content;
    files->memory[place].name = name;
    kept->secret = true;
    buf_clear(kept);
    buf_add(kept, content);
    return buf_check(kept);
}
