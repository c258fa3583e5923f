/* SQL that takes a catalog back to an earlier version, for tests of upgrades. */
#ifndef CANDOR_TESTS_STORE_VERSIONS_H
#define CANDOR_TESTS_STORE_VERSIONS_H

/* From the newest version to version 8. */
#define STORE_TO_VERSION_8                                                                                                                 \
    "ALTER TABLE recording DROP COLUMN agent;"                                                                                             \
    "DROP TRIGGER recording_gone; DROP TRIGGER recording_raw; DROP INDEX recording_warm; DROP TABLE cold_going;"                           \
    "ALTER TABLE recording DROP COLUMN cold; ALTER TABLE usage DROP COLUMN cold_recordings; ALTER TABLE usage DROP COLUMN cold_bytes;"     \
    "CREATE TRIGGER recording_gone AFTER DELETE ON recording BEGIN UPDATE usage SET recordings = recordings - 1,"                          \
    " raw_bytes = raw_bytes - OLD.bytes * (OLD.raw <> 0) WHERE service = OLD.service; END;"                                                \
    "CREATE TRIGGER recording_raw AFTER UPDATE OF raw ON recording BEGIN UPDATE usage SET"                                                 \
    " raw_bytes = raw_bytes + NEW.bytes * (NEW.raw <> 0) - OLD.bytes * (OLD.raw <> 0) WHERE service = NEW.service; END;"                   \
    "DROP TRIGGER kept_gone; DROP TABLE kept;"                                                                                             \
    "DROP TRIGGER part_rolls; DROP TRIGGER rollup_gone; DROP TRIGGER rollup_file_added; DROP TRIGGER rollup_file_gone;"                    \
    "DROP TABLE rollup; DROP TABLE rollup_file; DROP TABLE rolled; DROP TABLE rolled_book; DROP TABLE going;"                              \
    "ALTER TABLE usage DROP COLUMN rollup_bytes; DROP INDEX part_day; CREATE INDEX part_day ON part (day);"                                \
    "DROP INDEX part_service; ALTER TABLE part DROP COLUMN service;"

#endif
