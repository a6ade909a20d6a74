#include "base/sha1.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

/* OpenSSL fails here only without memory or without its providers. Both end the process. */
void sha1_of(struct str bytes, uint8_t ret_digest[static SHA1_LEN])
{
    if (EVP_Digest(bytes.ptr, bytes.len, ret_digest, NULL, EVP_sha1(), NULL) == 1)
        return;
    fprintf(stderr, "corset: the cryptographic library cannot compute SHA-1\n");
    abort();
}
