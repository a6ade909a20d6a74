/*
 * Whether texts in PEM are what they should be: a request for a certificate, or certificates. For
 * those who store them without using them. Texts are those of upstream's errors, as far as they do
 * not come from its parser.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"

/*
 * ERROR_INVALID when the first block is no request (PKCS #10), or when it is not signed with its
 * own key. Tells whether the subject is in an organization, if one is given.
 */
MUST_USE struct error *x509_check_request(struct str pem, struct str organization,
                                          bool *ret_is_member);

/* ERROR_INVALID unless it is blocks of certificates without headers, at least one. */
MUST_USE struct error *x509_check_certificates(struct str pem);
