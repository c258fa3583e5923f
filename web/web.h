/* The viewer, as bytes inside the program.
 *
 * web_flame_html is one complete HTML page. Its style and script are inlined, and it requests nothing from any network. It contains the
 * text in WEB_DATA_MARK exactly once, inside <script type="application/json" id="candor-data">. To write a report, a program copies the
 * bytes before the mark, then the profile as JSON (web/README.md describes it), and then the bytes after the mark. Inside the JSON, every
 * '<' must be written as \u003c, so that no name can end the element.
 *
 * Everything here is constant: any thread may read it at any time. */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include <stddef.h>

#define WEB_DATA_MARK "/*CANDOR_DATA*/"

/* The page in UTF-8, with a NUL after its last byte. */
extern const char web_flame_html[];

/* Number of bytes of the page, without the NUL. */
extern const size_t web_flame_html_len;

/* The server's page, its style and its script. The page requests the other two as /fleet.css and /fleet.js. */
extern const char web_fleet_html[], web_fleet_css[], web_fleet_js[];
extern const size_t web_fleet_html_len, web_fleet_css_len, web_fleet_js_len;
/* The same, packed by gzip. */
extern const char web_fleet_html_gz[], web_fleet_css_gz[], web_fleet_js_gz[];
extern const size_t web_fleet_html_gz_len, web_fleet_css_gz_len, web_fleet_js_gz_len;

#endif
