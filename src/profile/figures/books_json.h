/* Writes the books as JSON objects, which are the same in the report and inside the flame graph (docs/formats/report-json.md). Their
 * members are those of ACCOUNT_JSON (base/agreed/accounts.h). */
#ifndef CANDOR_PROFILE_FIGURES_BOOKS_JSON_H
#define CANDOR_PROFILE_FIGURES_BOOKS_JSON_H

#include "base/agreed/accounts.h"
#include "base/text/jsonw.h"
#include "profile/profile.h"

/* Writes a book; null if the recording does not have it. */
void books_json(struct jsonw *j, const struct profile *p, enum book book);
/* Writes only the members of a book, into an object that is open. */
void books_json_members(struct jsonw *j, const struct profile *p, enum book book);
/* Writes a description of a book's accounts, for readers that do not know the table: an array of name, role ("whole", "seen", ...), unit
 * ("ns", "bytes", "events" or ""), title, meaning, and the keys of the account's members. The key of the time is the first. */
void books_json_accounts(struct jsonw *j, enum book book);

#endif
