#include "apiserver/storage/store_file_bare.h"

#include <sqlite3.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"

/* "file:/data/corset.db?immutable=1": SQLite looks at no log and takes no lock. */
static void write_uri(struct buf *out, const char *path)
{
    buf_add(out, STR("file:"));
    for (const char *c = path; *c; c++) {
        if (ascii_is_alphanumeric(*c) || strchr("/_.-", *c))
            buf_add_char(out, *c);
        else
            buf_print(out, "%%%02X", (unsigned)(unsigned char)*c);
    }
    buf_add(out, STR("?immutable=1"));
}

/* A file that was being written when the process ended may say nothing that makes sense. */
int64_t store_file_bare_revision(const char *path)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    SCOPED(buf) uri = {.limit = 0};
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t revision = 0;
    write_uri(&uri, path);
    if (sqlite3_open_v2(buf_c(&uri), &db, flags, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT revision FROM counter", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        revision = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return revision;
}
