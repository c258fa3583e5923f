/* Secrets in arguments and properties become "***": values whose name suggests a secret, wherever a name=value or a "--name
 * value" occurs in the text, and credentials inside URLs. Nothing of them remains, not even their length. */
#ifndef CANDOR_BASE_TEXT_REDACT_H
#define CANDOR_BASE_TEXT_REDACT_H

#include <stdbool.h>

/* True when a property, option or variable of that name holds a secret: its name contains password, passwd, passphrase,
 * passcode, pwd, secret, token, credential, auth, or api, access or private with key, in any case. */
bool redact_is_secret(const char *name);
/* The value to show for a name; free() it. NULL when out of memory. */
char *redact_value(const char *name, const char *value);
/* One command-line argument ("-Dname=value", "--name=value", "name=value", anything else); free() it. */
char *redact_argument(const char *argument);

#endif
