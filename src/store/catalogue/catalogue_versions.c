/* Makes the tables of the catalog, and upgrades them from each version to the next. A new catalog is made as version 1, and then upgraded
 * step by step. */
#include "store/catalogue/catalogue_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char schema[] =
    "CREATE TABLE service (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE labelset (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE label (labelset INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (labelset, "
    "name)) WITHOUT ROWID;"
    "CREATE TABLE recording (id INTEGER PRIMARY KEY AUTOINCREMENT, identity BLOB NOT NULL UNIQUE, key TEXT UNIQUE, "
    "service INTEGER NOT NULL,"
    " labelset INTEGER NOT NULL, received_ns INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, bytes "
    "INTEGER NOT NULL,"
    " type TEXT NOT NULL, weight INTEGER NOT NULL, samples INTEGER NOT NULL, raw INTEGER NOT NULL);"
    "CREATE INDEX recording_last ON recording (last);"
    "CREATE INDEX recording_labelset ON recording (labelset);"
    "CREATE TABLE part (recording INTEGER NOT NULL, day INTEGER NOT NULL, segment INTEGER, rows INTEGER NOT NULL, "
    "weight INTEGER NOT NULL,"
    " first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (recording, day)) WITHOUT ROWID;"
    "CREATE INDEX part_segment ON part (segment);"
    "CREATE INDEX part_day ON part (day);"
    "CREATE TABLE segment (id INTEGER PRIMARY KEY AUTOINCREMENT, dictionary INTEGER NOT NULL, rows INTEGER NOT NULL, "
    "bytes INTEGER NOT NULL,"
    " bad TEXT);"
    "CREATE INDEX segment_dictionary ON segment (dictionary);"
    "CREATE TABLE dictionary (id INTEGER PRIMARY KEY AUTOINCREMENT, service INTEGER NOT NULL, day INTEGER NOT NULL, "
    "bytes INTEGER NOT NULL,"
    " closed INTEGER NOT NULL);"
    "CREATE INDEX dictionary_day ON dictionary (service, day);"
    "PRAGMA user_version = 1;";

/* Version 2 adds a column that marks the segments that must be merged. */
static const char version_2[] = "ALTER TABLE segment ADD COLUMN small INTEGER NOT NULL DEFAULT 0;"
                                "UPDATE segment SET small = rows <= " STRING_OF(
                                    CATALOGUE_SMALL_ROWS) ";"
                                                          "CREATE INDEX segment_small ON segment (dictionary) WHERE small AND bad IS NULL;"
                                                          "PRAGMA user_version = 2;";

/* Version 3 adds the data that answers must report as missing. */
static const char version_3[] =
    "ALTER TABLE recording ADD COLUMN flaws INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE forgotten (service TEXT NOT NULL, day INTEGER NOT NULL, type TEXT NOT NULL, why INTEGER NOT NULL,"
    " parts INTEGER NOT NULL, rows INTEGER NOT NULL, weight INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,"
    " PRIMARY KEY (day, service, type, why)) WITHOUT ROWID;"
    "PRAGMA user_version = 3;";

/* In version 4, a recording measures several types. A recording of an earlier version has only the type that was kept. */
static const char version_4[] =
    "CREATE TABLE type (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "INSERT INTO type (name) SELECT DISTINCT type FROM recording;"
    "CREATE TABLE content (recording INTEGER NOT NULL, place INTEGER NOT NULL, type INTEGER NOT NULL, weight INTEGER NOT NULL,"
    " samples INTEGER NOT NULL, PRIMARY KEY (recording, place)) WITHOUT ROWID;"
    "INSERT INTO content SELECT r.id, 0, t.id, r.weight, r.samples FROM recording r JOIN type t ON t.name = r.type;"
    "CREATE TABLE typed_part (recording INTEGER NOT NULL, type INTEGER NOT NULL, day INTEGER NOT NULL, segment INTEGER,"
    " rows INTEGER NOT NULL, weight INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,"
    " PRIMARY KEY (recording, type, day)) WITHOUT ROWID;"
    "INSERT INTO typed_part SELECT p.recording, c.type, p.day, p.segment, p.rows, p.weight, p.first, p.last"
    " FROM part p JOIN content c ON c.recording = p.recording;"
    "DROP TABLE part;"
    "ALTER TABLE typed_part RENAME TO part;"
    "CREATE INDEX part_segment ON part (segment);"
    "CREATE INDEX part_day ON part (day);"
    "ALTER TABLE recording DROP COLUMN type;"
    "ALTER TABLE recording DROP COLUMN weight;"
    "ALTER TABLE recording DROP COLUMN samples;"
    "PRAGMA user_version = 4;";

/* Version 5 adds the sums of each service. Triggers update them when data is added or deleted, so that a request for the sums need not
 * count everything. */
static const char version_5[] =
    "CREATE INDEX recording_service ON recording (service);"
    "CREATE INDEX recording_raw ON recording (last) WHERE raw;"
    "CREATE TABLE usage (service INTEGER PRIMARY KEY, recordings INTEGER NOT NULL DEFAULT 0, raw_bytes INTEGER NOT NULL DEFAULT 0,"
    " segments INTEGER NOT NULL DEFAULT 0, segment_bytes INTEGER NOT NULL DEFAULT 0, dictionary_bytes INTEGER NOT NULL DEFAULT 0,"
    " pending INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, bad INTEGER NOT NULL DEFAULT 0);"
    "INSERT INTO usage SELECT s.id,"
    " (SELECT count(*) FROM recording r WHERE r.service = s.id),"
    " (SELECT coalesce(sum(r.bytes), 0) FROM recording r WHERE r.service = s.id AND r.raw),"
    " (SELECT count(*) FROM dictionary d JOIN segment g ON g.dictionary = d.id WHERE d.service = s.id AND g.rows > 0 AND g.bad IS NULL),"
    " (SELECT coalesce(sum(g.bytes), 0) FROM dictionary d JOIN segment g ON g.dictionary = d.id WHERE d.service = s.id),"
    " (SELECT coalesce(sum(d.bytes), 0) FROM dictionary d WHERE d.service = s.id),"
    " (SELECT count(*) FROM recording r JOIN part p ON p.recording = r.id WHERE r.service = s.id AND p.segment IS NULL),"
    " (SELECT count(*) FROM recording r JOIN part p ON p.recording = r.id WHERE r.service = s.id AND p.segment = -1),"
    " (SELECT count(*) FROM dictionary d JOIN segment g ON g.dictionary = d.id WHERE d.service = s.id AND g.bad IS NOT NULL)"
    " FROM service s;"
    "CREATE TRIGGER service_added AFTER INSERT ON service BEGIN INSERT INTO usage (service) VALUES (NEW.id); END;"
    "CREATE TRIGGER recording_added AFTER INSERT ON recording BEGIN UPDATE usage SET recordings = recordings + 1,"
    " raw_bytes = raw_bytes + NEW.bytes * (NEW.raw <> 0) WHERE service = NEW.service; END;"
    "CREATE TRIGGER recording_gone AFTER DELETE ON recording BEGIN UPDATE usage SET recordings = recordings - 1,"
    " raw_bytes = raw_bytes - OLD.bytes * (OLD.raw <> 0) WHERE service = OLD.service; END;"
    "CREATE TRIGGER recording_raw AFTER UPDATE OF raw ON recording BEGIN UPDATE usage SET"
    " raw_bytes = raw_bytes + NEW.bytes * (NEW.raw <> 0) - OLD.bytes * (OLD.raw <> 0) WHERE service = NEW.service; END;"
    "CREATE TRIGGER segment_added AFTER INSERT ON segment BEGIN UPDATE usage SET"
    " segments = segments + (NEW.rows > 0 AND NEW.bad IS NULL), segment_bytes = segment_bytes + NEW.bytes,"
    " bad = bad + (NEW.bad IS NOT NULL)"
    " WHERE service = (SELECT service FROM dictionary WHERE id = NEW.dictionary); END;"
    "CREATE TRIGGER segment_gone AFTER DELETE ON segment BEGIN UPDATE usage SET"
    " segments = segments - (OLD.rows > 0 AND OLD.bad IS NULL), segment_bytes = segment_bytes - OLD.bytes,"
    " bad = bad - (OLD.bad IS NOT NULL)"
    " WHERE service = (SELECT service FROM dictionary WHERE id = OLD.dictionary); END;"
    "CREATE TRIGGER segment_changed AFTER UPDATE OF rows, bytes, bad ON segment BEGIN UPDATE usage SET"
    " segments = segments + (NEW.rows > 0 AND NEW.bad IS NULL) - (OLD.rows > 0 AND OLD.bad IS NULL),"
    " segment_bytes = segment_bytes + NEW.bytes - OLD.bytes, bad = bad + (NEW.bad IS NOT NULL) - (OLD.bad IS NOT NULL)"
    " WHERE service = (SELECT service FROM dictionary WHERE id = NEW.dictionary); END;"
    "CREATE TRIGGER dictionary_added AFTER INSERT ON dictionary BEGIN UPDATE usage SET"
    " dictionary_bytes = dictionary_bytes + NEW.bytes WHERE service = NEW.service; END;"
    "CREATE TRIGGER dictionary_gone AFTER DELETE ON dictionary BEGIN UPDATE usage SET"
    " dictionary_bytes = dictionary_bytes - OLD.bytes WHERE service = OLD.service; END;"
    "CREATE TRIGGER dictionary_changed AFTER UPDATE OF bytes ON dictionary BEGIN UPDATE usage SET"
    " dictionary_bytes = dictionary_bytes + NEW.bytes - OLD.bytes WHERE service = NEW.service; END;"
    "CREATE TRIGGER part_added AFTER INSERT ON part WHEN NEW.segment IS NULL OR NEW.segment = -1 BEGIN UPDATE usage SET"
    " pending = pending + (NEW.segment IS NULL), lost = lost + (NEW.segment IS -1)"
    " WHERE service = (SELECT service FROM recording WHERE id = NEW.recording); END;"
    "CREATE TRIGGER part_gone AFTER DELETE ON part WHEN OLD.segment IS NULL OR OLD.segment = -1 BEGIN UPDATE usage SET"
    " pending = pending - (OLD.segment IS NULL), lost = lost - (OLD.segment IS -1)"
    " WHERE service = (SELECT service FROM recording WHERE id = OLD.recording); END;"
    "CREATE TRIGGER part_changed AFTER UPDATE OF segment ON part"
    " WHEN OLD.segment IS NULL OR OLD.segment = -1 OR NEW.segment IS NULL OR NEW.segment = -1 BEGIN UPDATE usage SET"
    " pending = pending + (NEW.segment IS NULL) - (OLD.segment IS NULL), lost = lost + (NEW.segment IS -1) - (OLD.segment IS -1)"
    " WHERE service = (SELECT service FROM recording WHERE id = NEW.recording); END;"
    "PRAGMA user_version = 5;";

/* Version 6 adds an index of a service's recordings by time, for deleting its days. It also adds the time that a recording covers, and its
 * books by minute. Recordings of earlier versions have no such time and no books in the catalog. */
static const char version_6[] =
    "DROP INDEX recording_service;"
    "CREATE INDEX recording_service ON recording (service, first);"
    "ALTER TABLE recording ADD COLUMN begun INTEGER;"
    "ALTER TABLE recording ADD COLUMN ended INTEGER;"
    "CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE book (minute INTEGER NOT NULL, recording INTEGER NOT NULL, lines BLOB NOT NULL, PRIMARY KEY (minute, recording))"
    " WITHOUT ROWID;"
    "CREATE INDEX book_recording ON book (recording);"
    "PRAGMA user_version = 6;";

/* Version 7 adds the findings of rules, and the recordings that wait for these rules. Recordings of earlier versions do not wait. */
static const char version_7[] =
    "CREATE TABLE waiting (service INTEGER NOT NULL, recording INTEGER NOT NULL, received_ns INTEGER NOT NULL,"
    " PRIMARY KEY (service, recording)) WITHOUT ROWID;"
    "CREATE INDEX waiting_recording ON waiting (recording);"
    "CREATE INDEX waiting_received ON waiting (received_ns);"
    "CREATE TABLE judging (service INTEGER PRIMARY KEY, turn INTEGER NOT NULL DEFAULT 0, judged INTEGER NOT NULL DEFAULT 0,"
    " late INTEGER NOT NULL DEFAULT 0, format INTEGER NOT NULL DEFAULT 0, missing INTEGER NOT NULL DEFAULT 0,"
    " damaged INTEGER NOT NULL DEFAULT 0, unlisted INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE finding (id INTEGER PRIMARY KEY AUTOINCREMENT, service INTEGER NOT NULL, rule TEXT NOT NULL, place TEXT NOT NULL,"
    " state INTEGER NOT NULL DEFAULT 0, first INTEGER NOT NULL, last INTEGER NOT NULL, changed INTEGER NOT NULL,"
    " recordings INTEGER NOT NULL DEFAULT 0, quiet INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0, score INTEGER NOT NULL, "
    "lost_ns INTEGER NOT NULL,"
    " duration_ns INTEGER NOT NULL, worst_score INTEGER NOT NULL, worst_lost_ns INTEGER NOT NULL, worst_duration_ns INTEGER NOT NULL,"
    " evidence INTEGER NOT NULL, keeps INTEGER NOT NULL, note TEXT, json TEXT NOT NULL, UNIQUE (service, rule, place));"
    "CREATE INDEX finding_evidence ON finding (evidence);"
    "CREATE TABLE finding_label (finding INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, seen INTEGER NOT NULL,"
    " PRIMARY KEY (finding, name, value))"
    " WITHOUT ROWID;"
    "CREATE TRIGGER finding_gone AFTER DELETE ON finding BEGIN DELETE FROM finding_label WHERE finding = OLD.id; END;"
    "CREATE TRIGGER recording_waits AFTER INSERT ON recording BEGIN"
    " INSERT OR IGNORE INTO judging (service) VALUES (NEW.service);"
    " INSERT INTO waiting VALUES (NEW.service, NEW.id, NEW.received_ns); END;"
    "CREATE TRIGGER recording_unjudged AFTER DELETE ON recording"
    " WHEN EXISTS (SELECT 1 FROM waiting WHERE service = OLD.service AND recording = OLD.id) BEGIN"
    " UPDATE judging SET missing = missing + 1 WHERE service = OLD.service;"
    " DELETE FROM waiting WHERE service = OLD.service AND recording = OLD.id; END;"
    "PRAGMA user_version = 7;";

/* Version 8 adds the key metrics by minute. Recordings of earlier versions have none, and are found by `measured`. A label set's metrics go
 * with it, because its number may be given to another one. */
static const char version_8[] =
    "ALTER TABLE recording ADD COLUMN measured INTEGER;"
    "CREATE INDEX recording_unmeasured ON recording (last) WHERE measured IS NOT 1;"
    "CREATE TABLE metric (id INTEGER PRIMARY KEY, hour INTEGER NOT NULL, service INTEGER NOT NULL, labelset INTEGER NOT NULL,"
    " minutes BLOB NOT NULL);"
    "CREATE INDEX metric_hour ON metric (hour, labelset);"
    "CREATE INDEX metric_labelset ON metric (labelset);"
    "CREATE INDEX metric_service ON metric (service, hour);"
    "CREATE TRIGGER labelset_gone AFTER DELETE ON labelset BEGIN DELETE FROM metric WHERE labelset = OLD.id; END;"
    "PRAGMA user_version = 8;";

/* Version 9 changes nothing. */
static const char version_9[] = "PRAGMA user_version = 9;";

/* Version 10 adds roll-ups (catalogue_rollup.h). A part that comes late for one makes it stale. The index of parts by day also has their
 * type, because a roll-up reads the parts of one type. */
static const char version_10[] =
    "CREATE TABLE rollup (id INTEGER PRIMARY KEY, service INTEGER NOT NULL, day INTEGER NOT NULL, type INTEGER NOT NULL,"
    " step INTEGER NOT NULL, until INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0,"
    " made INTEGER NOT NULL DEFAULT 0, recordings INTEGER NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0,"
    " weight INTEGER NOT NULL DEFAULT 0, first INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0, summary BLOB,"
    " UNIQUE (service, day, type, step));"
    "CREATE INDEX rollup_day ON rollup (day);"
    "CREATE INDEX rollup_tier ON rollup (service, step, day);"
    "CREATE INDEX rollup_due ON rollup (step, day) WHERE stale OR until < 86400;"
    "CREATE TABLE rollup_file (rollup INTEGER NOT NULL, dictionary INTEGER NOT NULL, number INTEGER NOT NULL, rows INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, PRIMARY KEY (rollup, dictionary)) WITHOUT ROWID;"
    "CREATE INDEX rollup_file_dictionary ON rollup_file (dictionary);"
    "CREATE UNIQUE INDEX rollup_file_number ON rollup_file (number);"
    "CREATE TABLE rolled (labelset INTEGER NOT NULL, rollup INTEGER NOT NULL, PRIMARY KEY (labelset, rollup)) WITHOUT ROWID;"
    "CREATE INDEX rolled_rollup ON rolled (rollup);"
    "CREATE TABLE rolled_book (hour INTEGER NOT NULL, labelset INTEGER NOT NULL, service INTEGER NOT NULL, lines BLOB NOT NULL,"
    " PRIMARY KEY (hour, labelset)) WITHOUT ROWID;"
    "CREATE INDEX rolled_book_service ON rolled_book (service, hour);"
    "CREATE INDEX rolled_book_labelset ON rolled_book (labelset);"
    "CREATE TABLE going (identity BLOB PRIMARY KEY) WITHOUT ROWID;"
    "ALTER TABLE usage ADD COLUMN rollup_bytes INTEGER NOT NULL DEFAULT 0;"
    "DROP INDEX part_day;"
    "CREATE INDEX part_day ON part (day, type, last);"
    "CREATE TRIGGER part_rolls AFTER INSERT ON part BEGIN"
    " INSERT OR IGNORE INTO rollup (service, day, type, step) SELECT r.service, NEW.day, NEW.type, s.step FROM recording r,"
    " (SELECT 3600 AS step UNION ALL SELECT 86400) s WHERE r.id = NEW.recording;"
    " UPDATE rollup SET stale = 1 WHERE service = (SELECT service FROM recording WHERE id = NEW.recording) AND day = NEW.day"
    " AND type = NEW.type AND NOT gone AND day * 86400 + until > NEW.first; END;"
    "CREATE TRIGGER rollup_gone BEFORE DELETE ON rollup BEGIN DELETE FROM rollup_file WHERE rollup = OLD.id;"
    " DELETE FROM rolled WHERE rollup = OLD.id; END;"
    "CREATE TRIGGER rollup_file_added AFTER INSERT ON rollup_file BEGIN UPDATE usage SET rollup_bytes = rollup_bytes + NEW.bytes"
    " WHERE service = (SELECT service FROM rollup WHERE id = NEW.rollup); END;"
    "CREATE TRIGGER rollup_file_gone AFTER DELETE ON rollup_file BEGIN UPDATE usage SET rollup_bytes = rollup_bytes - OLD.bytes"
    " WHERE service = (SELECT service FROM rollup WHERE id = OLD.rollup); END;"
    "INSERT INTO rollup (service, day, type, step) SELECT DISTINCT r.service, p.day, p.type, s.step FROM part p"
    " JOIN recording r ON r.id = p.recording, (SELECT 3600 AS step UNION ALL SELECT 86400) s;"
    "PRAGMA user_version = 10;";

/* Version 11 adds a part's service, and an index by it: a query reads the parts of the services that it selects, and no others. */
static const char version_11[] =
    "ALTER TABLE part ADD COLUMN service INTEGER NOT NULL DEFAULT 0;"
    "UPDATE part SET service = (SELECT service FROM recording WHERE id = part.recording);"
    "CREATE INDEX part_service ON part (service, day, type, last);"
    "DROP INDEX part_day;"
    "CREATE INDEX part_day ON part (day);"
    "DROP TRIGGER part_rolls;"
    "CREATE TRIGGER part_rolls AFTER INSERT ON part BEGIN"
    " INSERT OR IGNORE INTO rollup (service, day, type, step) VALUES (NEW.service, NEW.day, NEW.type, 3600),"
    " (NEW.service, NEW.day, NEW.type, 86400);"
    " UPDATE rollup SET stale = 1 WHERE service = NEW.service AND day = NEW.day AND type = NEW.type AND NOT gone"
    " AND day * 86400 + until > NEW.first; END;"
    "PRAGMA user_version = 11;";

/* Version 12 adds the recordings that are kept for alerts. */
static const char version_12[] =
    "CREATE TABLE kept (recording INTEGER PRIMARY KEY, service INTEGER NOT NULL, rule TEXT NOT NULL, until INTEGER NOT NULL);"
    "CREATE INDEX kept_service ON kept (service, until);"
    "CREATE TRIGGER kept_gone AFTER DELETE ON recording BEGIN DELETE FROM kept WHERE recording = OLD.id; END;"
    "PRAGMA user_version = 12;";

/* Version 13 adds the recordings whose files are objects elsewhere (catalogue_cold.h). raw_bytes is what is on the disk. */
static const char version_13[] =
    "ALTER TABLE recording ADD COLUMN cold INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX recording_warm ON recording (id) WHERE raw AND NOT cold;"
    "CREATE TABLE cold_going (identity BLOB PRIMARY KEY) WITHOUT ROWID;"
    "ALTER TABLE usage ADD COLUMN cold_recordings INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE usage ADD COLUMN cold_bytes INTEGER NOT NULL DEFAULT 0;"
    "DROP TRIGGER recording_gone;"
    "DROP TRIGGER recording_raw;"
    "CREATE TRIGGER recording_gone AFTER DELETE ON recording BEGIN UPDATE usage SET recordings = recordings - 1,"
    " raw_bytes = raw_bytes - OLD.bytes * (OLD.raw AND NOT OLD.cold), cold_bytes = cold_bytes - OLD.bytes * (OLD.raw AND OLD.cold),"
    " cold_recordings = cold_recordings - (OLD.raw AND OLD.cold) WHERE service = OLD.service;"
    " INSERT OR IGNORE INTO cold_going SELECT OLD.identity WHERE OLD.raw AND OLD.cold; END;"
    "CREATE TRIGGER recording_raw AFTER UPDATE OF raw, cold ON recording BEGIN UPDATE usage SET"
    " raw_bytes = raw_bytes + NEW.bytes * (NEW.raw AND NOT NEW.cold) - OLD.bytes * (OLD.raw AND NOT OLD.cold),"
    " cold_bytes = cold_bytes + NEW.bytes * (NEW.raw AND NEW.cold) - OLD.bytes * (OLD.raw AND OLD.cold),"
    " cold_recordings = cold_recordings + (NEW.raw AND NEW.cold) - (OLD.raw AND OLD.cold) WHERE service = NEW.service;"
    " INSERT OR IGNORE INTO cold_going SELECT OLD.identity WHERE OLD.raw AND OLD.cold AND NOT NEW.raw; END;"
    "PRAGMA user_version = 13;";

/* Version 14 adds the version of the agent. That of recordings of earlier versions is unknown. */
static const char version_14[] = "ALTER TABLE recording ADD COLUMN agent TEXT;"
                                 "PRAGMA user_version = 14;";

static int run(struct catalogue *c, const char *text, struct error *e)
{
    return sqlite3_exec(c->sql.db, text, NULL, NULL, NULL) ? sql_failed(&c->sql, e) : 0;
}

/* Copies the catalog as it is to catalogue-version-5.db (for version 5) beside it, so that an upgrade can be undone. */
static int keep_copy(struct catalogue *c, int64_t version, struct error *e)
{
    char path[DISK_PATH_MAX + 40];
    const char *name = strrchr(c->path, '/');
    snprintf(path, sizeof path, "%.*scatalogue-version-%lld.db", name ? (int)(name + 1 - c->path) : 0, c->path, (long long)version);
    int rc = catalogue_backup(c, path, NULL, e);
    return rc == -EBADMSG ? -EIO : rc; /* the catalog itself has just been checked */
}

int catalogue_upgrade(struct catalogue *c, int64_t version, struct error *e)
{
    static const char *const steps[] = {schema,    version_2, version_3,  version_4,  version_5,  version_6,  version_7,
                                        version_8, version_9, version_10, version_11, version_12, version_13, version_14};
    const int64_t newest = sizeof steps / sizeof *steps;
    if (version == newest)
        return 0;
    if (version < 0 || version > newest)
        return error_set(e, -EINVAL, "%s: made by another version of candor (%lld); this one reads %lld", c->path, (long long)version,
                         (long long)newest);
    int rc = version ? keep_copy(c, version, e) : 0;
    rc = rc ? rc : sql_begin(&c->sql, true, e);
    if (rc)
        return rc;
    for (int64_t i = version; !rc && i < newest; i++)
        rc = run(c, steps[i], e);
    return sql_end(&c->sql, rc, e);
}
