/*
 * The viewer, as bytes inside the program.
 *
 * web_flame_html is one whole HTML page: style and script are inlined, it asks nothing of any network, and it contains
 * the text in WEB_DATA_MARK exactly once, inside <script type="application/json" id="candor-data">. Whoever writes a
 * report copies the bytes before the mark, the profile as JSON (web/README.md draws it), and the bytes after it. Inside
 * the JSON every '<' has to be written as \u003c, so that no name can end the element.
 *
 * Read-only and constant: any thread may read it at any time.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include <stddef.h>

#define WEB_DATA_MARK "/*CANDOR_DATA*/"

/* The page, with a NUL after its last byte; UTF-8. */
extern const char web_flame_html[];

/* Bytes of the page, without that NUL. */
extern const size_t web_flame_html_len;

/* The server's page, its style and its script, which it asks for by /fleet.css and /fleet.js. */
extern const char web_fleet_html[], web_fleet_css[], web_fleet_js[];
extern const size_t web_fleet_html_len, web_fleet_css_len, web_fleet_js_len;

#endif
