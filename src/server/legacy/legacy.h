/* Answers the addresses that Pyroscope had before its query API. Older clients, and the export of Grafana's Profiles Drilldown, use them:
 * GET /pyroscope/render, render-diff, label-names and label-values. docs/formats/pyroscope-api.md describes the answers. */
#ifndef CANDOR_SERVER_LEGACY_LEGACY_H
#define CANDOR_SERVER_LEGACY_LEGACY_H

#include "server/request/http.h"

void legacy_render(struct http *h);
void legacy_render_diff(struct http *h);
void legacy_label_names(struct http *h);
void legacy_label_values(struct http *h);

#endif
