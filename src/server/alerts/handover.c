/* What one keeper leaves to the next (server/keeper/keeper.h): states of alerts, what targets were told, and silences. Servers that are not
 * the keeper take it over, too, so they answer what the keeper would. */
#include "server/alerts/alerts_internal.h"
#include "server/keeper/keeper.h"

#include <errno.h>
#include <stdlib.h>

bool handover_is_keeper(const struct alerts *a)
{
    return a->epoch && a->epoch == keeper_epoch(a->server->keeper);
}

/* Takes over the states of `json`. The caller has the lock. */
static int use(struct alerts *a, const json_t *json)
{
    struct alert_table table;
    const json_t *silences = json_object_get(json, "silences");
    int rc = table_parse(&table, &a->rules, json_object_get(json, "alerts"));
    if (rc)
        return rc;
    table_fit(&table, &a->rules, &a->rules);
    table_deinit(&a->table);
    a->table = table;
    json_t *list = json_object_get(silences, "list");
    if (json_is_array(list))
        silences_use(&a->silences, json_incref(list), json_integer_value(json_object_get(silences, "next")));
    return 0;
}

void handover_take(struct alerts *a)
{
    uint64_t epoch = keeper_epoch(a->server->keeper); /* before the state, so that this is that of the epoch before, or a later one */
    char *text = a->server->keeper ? keeper_take(a->server->keeper, &a->handed) : NULL;
    json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    pthread_mutex_lock(&a->lock);
    int rc = text ? use(a, json) : 0;
    a->epoch = epoch;
    pthread_mutex_unlock(&a->lock);
    if (rc)
        a->tell("alerts: the states that the keeper has left cannot be read; those of this server are used");
    json_decref(json);
    free(text);
}

void handover_leave(struct alerts *a)
{
    char *bytes, *text = NULL;
    size_t n;
    if (!a->server->keeper)
        return;
    pthread_mutex_lock(&a->saving); /* so that no earlier state replaces a later one */
    pthread_mutex_lock(&a->lock);
    uint64_t epoch = a->epoch;
    json_t *silences = json_pack("{s:O, s:I}", "list", a->silences.list, "next", (json_int_t)a->silences.next);
    json_t *json = NULL;
    if (silences && !table_write(&a->table, &a->rules, &bytes, &n)) {
        json = json_pack("{s:o, s:O}", "alerts", json_loadb(bytes, n, 0, NULL), "silences", silences);
        free(bytes);
    }
    text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    json_decref(silences);
    pthread_mutex_unlock(&a->lock);
    if (text && epoch)
        keeper_save(a->server->keeper, epoch, text);
    pthread_mutex_unlock(&a->saving);
    free(text);
}
