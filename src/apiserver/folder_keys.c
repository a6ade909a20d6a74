#include "apiserver/folder_keys.h"

#include "apiserver/credential_rotation.h"

/* The necessary ones come first; a server makes the others of them. */
static const char *const names[FOLDER_KEYS] = {"ca.crt",    "ca.key",     "tokens.key", "admin.crt",
                                               "admin.key", "server.crt", "server.key"};
#define NECESSARY 3

void folder_keys_done(struct folder_keys *keys)
{
    for (size_t i = 0; i < FOLDER_KEYS; i++)
        buf_done(&keys->contents[i]);
}

/* The content is in the next of the buffers. */
static struct error *add_next(struct folder_keys *keys, const char *name)
{
    const struct buf *content = &keys->contents[keys->count];
    TRY(buf_check(content));
    keys->files[keys->count++] = (struct store_backup_file){name, buf_str(content)};
    return NULL;
}

struct error *folder_keys_read(const struct folder_files *folder, struct folder_keys *keys)
{
    SCOPED(folder_files) pki = {.path = NULL};
    struct error *err = folder_files_open_below(folder, "pki", false, &pki);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    for (size_t i = 0; i < FOLDER_KEYS; i++) {
        bool is_there = false;
        keys->contents[keys->count].secret = true;
        TRY(folder_files_read(&pki, names[i], &keys->contents[keys->count], &is_there));
        if (is_there)
            TRY(add_next(keys, names[i]));
    }
    return NULL;
}

static bool has_key(const struct folder_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->files[i].name == name)
            return true;
    return false;
}

struct error *folder_keys_add(void *data, struct str name, struct str content)
{
    struct folder_keys *keys = data;
    for (size_t i = 0; i < FOLDER_KEYS; i++) {
        if (!str_eq(name, str_from_c(names[i])) || has_key(keys, names[i]))
            continue;
        keys->contents[keys->count].secret = true;
        buf_add(&keys->contents[keys->count], content);
        return add_next(keys, names[i]);
    }
    return NULL;
}

const char *folder_keys_missing(const struct folder_keys *keys)
{
    for (size_t i = 0; i < NECESSARY; i++)
        if (!has_key(keys, names[i]))
            return names[i];
    return NULL;
}

struct error *folder_keys_write(const struct folder_keys *keys, const struct folder_files *folder)
{
    SCOPED(folder_files) pki = {.path = NULL};
    TRY(folder_files_open_below(folder, "pki", true, &pki));
    for (size_t i = 0; i < keys->count; i++)
        TRY(folder_files_write(&pki, keys->files[i].name, keys->files[i].content));
    return folder_files_sync(folder);
}

struct error *folder_keys_complete_rotation(const struct folder_files *folder)
{
    SCOPED(folder_files) pki = {.path = NULL};
    struct error *err = folder_files_open_below(folder, "pki", false, &pki);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    TRY(credential_rotation_apply(pki.path));
    return credential_rotation_finish(pki.path);
}

struct error *folder_keys_give(const struct folder_files *folder)
{
    SCOPED(folder_files) pki = {.path = NULL};
    struct error *err = folder_files_open_below(folder, "pki", false, &pki);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    for (size_t i = 0; i < FOLDER_KEYS; i++)
        TRY(folder_files_give(&pki, names[i]));
    return NULL;
}
