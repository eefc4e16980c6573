-- A speed test of a database in memory, as SQLite's own has it: inserts into tables without and with indexes, selects
-- by ranges and by text, indexes made, updates, joins, deletes, sorts. Rows: the number in the table `size`, which is
-- made before this is read. The rows come from a generator of our own, so that all results are the same each time.
PRAGMA cache_size = 2000;

CREATE TABLE plain(id INTEGER, number INTEGER, text TEXT);
CREATE TABLE keyed(id INTEGER PRIMARY KEY, number INTEGER, text TEXT);
CREATE TABLE texts(text TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;

-- Inserts in the order of the keys, out of order, and by text.
BEGIN;
WITH RECURSIVE draw(id, state) AS (
  SELECT 1, 42 UNION ALL SELECT id + 1, (state * 1103515245 + 12345) % 2147483648 FROM draw, size WHERE id < rows
) INSERT INTO plain SELECT id, state >> 8, printf('%x number %d, and then some', state, state % 977) FROM draw;
COMMIT;
INSERT INTO keyed SELECT id, number, text FROM plain ORDER BY number;
INSERT OR IGNORE INTO texts SELECT text, number FROM plain;
SELECT 'rows', count(*), sum(number), sum(length(text)) FROM plain;
SELECT 'texts', count(*), max(text), min(text) FROM texts;

-- Selects without an index: by range, by text.
SELECT 'range', count(*), avg(number) FROM plain WHERE number BETWEEN 100000 AND 900000;
SELECT 'like', count(*), sum(number) FROM plain WHERE text LIKE '%number 5%';
SELECT 'glob', count(*) FROM plain WHERE text GLOB '*7, and*';

-- Indexes, and what they are for.
CREATE INDEX plain_number ON plain(number);
CREATE INDEX plain_text ON plain(text, number);
CREATE INDEX keyed_number ON keyed(number);
SELECT 'indexed', count(*), sum(id) FROM plain WHERE number BETWEEN 1000000 AND 1500000;
SELECT 'joined', count(*), sum(a.id + b.id) FROM plain a JOIN keyed b ON a.number = b.number WHERE b.id % 3 = 0;
SELECT 'texts joined', count(*) FROM plain JOIN texts USING (text) WHERE plain.id % 2 = 0;
SELECT 'in', count(*) FROM keyed WHERE number IN (SELECT number FROM plain WHERE id % 5 = 0);

-- Updates, of what is indexed too.
BEGIN;
UPDATE keyed SET number = number + 7 WHERE id % 2 = 0;
UPDATE plain SET text = text || ' again' WHERE id % 3 = 0;
COMMIT;
SELECT 'updated', sum(number) FROM keyed;

-- Groups, sorts and windows, which build tables for themselves.
SELECT 'groups', count(*), sum(n) FROM (SELECT number % 1000 AS g, count(*) AS n FROM plain GROUP BY g);
SELECT 'sorted', group_concat(id) FROM (SELECT id FROM plain ORDER BY text DESC, id LIMIT 10);
SELECT 'window', max(r) FROM (SELECT rank() OVER (PARTITION BY number % 100 ORDER BY text) AS r FROM plain);
SELECT 'distinct', count(DISTINCT substr(text, 1, 4)) FROM plain;
SELECT 'json', sum(json_extract(json_object('id', id, 'text', text, 'list', json_array(id, number)), '$.list[1]'))
FROM keyed;

-- Deletes, and the place used again.
BEGIN;
DELETE FROM plain WHERE number % 2 = 0;
DELETE FROM keyed WHERE id % 7 < 3;
INSERT INTO keyed(number, text) SELECT number, text FROM texts WHERE number % 5 = 0;
COMMIT;
REINDEX;
SELECT 'left', count(*), sum(number) FROM plain UNION ALL SELECT 'keyed', count(*), sum(id) FROM keyed;
PRAGMA integrity_check;
