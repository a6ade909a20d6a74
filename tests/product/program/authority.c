/* Writes a certificate authority into a folder: authority FOLDER FROM TO, in days from now. */
#include <stdio.h>
#include <stdlib.h>

#include "apiserver/secret_file.h"
#include "base/duration.h"
#include "base/timestamp.h"
#include "net/pki.h"

static struct error *make(const char *folder, int64_t from, int64_t to)
{
    OWNED(pki_authority) authority = NULL;
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    TRY(pki_authority_new(STR("corset authority"), from, to, &authority));
    TRY(pki_authority_write(authority, &certificate, &key));
    TRY(secret_file_write(folder, "ca.key", buf_str(&key)));
    return secret_file_write(folder, "ca.crt", buf_str(&certificate));
}

int main(int argc, char **argv)
{
    const int64_t now = timestamp_now(), day = 24 * HOUR;
    if (argc != 4)
        return 2;
    struct error *err =
        make(argv[1], now + strtol(argv[2], NULL, 10) * day, now + strtol(argv[3], NULL, 10) * day);
    if (err)
        fprintf(stderr, "authority: %s\n", err->message);
    error_free(err);
    return err != NULL;
}
