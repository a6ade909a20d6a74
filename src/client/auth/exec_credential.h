/*
 * ExecCredential objects (client.authentication.k8s.io): the one that a credential plugin gets in
 * its environment and the one that it prints. This module reads and writes them; exec_plugin.h runs
 * the program.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "client/kubeconfig/kubeconfig.h"

#define EXEC_CREDENTIAL_V1      "client.authentication.k8s.io/v1"
#define EXEC_CREDENTIAL_V1BETA1 "client.authentication.k8s.io/v1beta1"

bool exec_credential_version_is_known(struct str api_version);

/* Never, IfAvailable, Always; false for anything else. */
bool exec_credential_read_mode(struct str text, enum rest_exec_mode *ret_mode);
struct str exec_credential_mode_name(enum rest_exec_mode mode);

/* True if the name is not empty and has no "=", and neither name nor value has a NUL. */
bool exec_credential_env_is_valid(const struct rest_exec_env *env);

struct exec_credential {
    struct buf token;              /* empty if the plugin gave a certificate only */
    struct tls_identity *identity; /* owned; NULL if the plugin gave a token only */
    timestamp expiration;          /* TIMESTAMP_MAX: valid until a server rejects it */
};

void exec_credential_done(struct exec_credential *credential);

/* Reads the output of a plugin, which must have this apiVersion. Errors quote none of the output.
 */
MUST_USE struct error *exec_credential_read(struct str text, struct str api_version,
                                            struct exec_credential *ret_credential);

/* If the text is an ExecCredential with a token, replaces the token in the message by "***". */
void exec_credential_redact(struct str text, struct buf *message);

/* Appends the value of KUBERNETES_EXEC_INFO for the config's plugin. */
MUST_USE struct error *exec_credential_write_info(struct buf *out,
                                                  const struct rest_config *config);
