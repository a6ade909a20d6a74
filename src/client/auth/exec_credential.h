/*
 * The ExecCredential that a credential plugin is given and the one it prints
 * (client.authentication.k8s.io). Texts only; client/exec_plugin.h runs the program.
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

/* Can be handed to a program: a name without "=", and no NUL in it or in the value. */
bool exec_credential_env_is_valid(const struct rest_exec_env *env);

struct exec_credential {
    struct buf token;              /* empty when there is only a certificate */
    struct tls_identity *identity; /* owned; NULL when there is only a token */
    timestamp expiration;          /* TIMESTAMP_MAX: until it is rejected */
};

void exec_credential_done(struct exec_credential *credential);

/* What a plugin printed, in the version it was asked for. Errors show none of it. */
MUST_USE struct error *exec_credential_read(struct str text, struct str api_version,
                                            struct exec_credential *ret_credential);

/* Replaces the token that a text like that may hold, wherever it stands in the message. */
void exec_credential_redact(struct str text, struct buf *message);

/* Appends the value of KUBERNETES_EXEC_INFO for the config's plugin. */
MUST_USE struct error *exec_credential_write_info(struct buf *out,
                                                  const struct rest_config *config);
