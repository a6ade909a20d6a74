#include "clusterresourceset/preview/preview_secrets.h"

#include "base/buf.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "json/compare.h"

void preview_secrets_done(struct preview_secrets *secrets)
{
    map_done(&secrets->digests);
}

size_t preview_secrets_number(struct preview_secrets *secrets, const struct json_value *value)
{
    SCOPED(buf) text = {.secret = true, .limit = JSON_TEXT_MAX};
    uint8_t digest[SHA256_LEN];
    if (json_type(value) == JSON_ABSENT)
        return 0;
    json_write_canonical(&text, value);
    sha256_of(buf_str(&text), digest);
    const struct str key = str_from((const char *)digest, sizeof(digest));
    size_t *number = map_find(&secrets->digests, key);
    if (!number) {
        number = NEW(size_t);
        *number = map_count(&secrets->digests) + 1;
        secrets->digests.release = mem_free;
        map_put(&secrets->digests, key, number);
    }
    return *number;
}
