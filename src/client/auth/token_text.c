/* Printable ASCII without the space. RFC 6750 allows even less, but servers are not that strict. */
#include "client/auth/token_text.h"

bool token_text_is_sendable(struct str token)
{
    for (size_t i = 0; i < token.len; i++)
        if (token.ptr[i] <= ' ' || token.ptr[i] > '~')
            return false;
    return token.len > 0;
}
