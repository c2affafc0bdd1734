CREATE TABLE attempt (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  happened INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  failure BLOB NOT NULL,
  blob INTEGER NOT NULL,
  size INTEGER NOT NULL,
  failure_check INTEGER NOT NULL,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE blob (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE item (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  data BLOB NOT NULL,
  blob INTEGER NOT NULL,
  size INTEGER NOT NULL,
  data_check INTEGER NOT NULL,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE job (
  seq INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  state INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  key TEXT NOT NULL,
  ready INTEGER NOT NULL,
  due INTEGER NOT NULL,
  reason INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  open INTEGER NOT NULL,
  starts INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
  losses INTEGER NOT NULL,
  retries INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  not_understood INTEGER NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  items INTEGER NOT NULL,
  run INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  id BLOB NOT NULL,
  submitted INTEGER NOT NULL,
  signature INTEGER NOT NULL,
  owner TEXT,
  parent BLOB,
  trace_parent TEXT,
  trace_state TEXT,
  culture TEXT,
  idempotency_key TEXT,
  fingerprint INTEGER NOT NULL,
  progress REAL,
  progress_text TEXT,
  arguments BLOB NOT NULL,
  arguments_blob INTEGER NOT NULL,
  arguments_size INTEGER NOT NULL,
  arguments_check INTEGER NOT NULL
, first_due INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL DEFAULT 0, unique_until INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, paused INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE result (job INTEGER PRIMARY KEY, data BLOB NOT NULL, blob INTEGER NOT NULL, size INTEGER NOT NULL, data_check INTEGER NOT NULL) STRICT;
CREATE TABLE schedule (
  name TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  cron TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  source INTEGER NOT NULL,
  next INTEGER,
  paused INTEGER NOT NULL,
  last_due INTEGER,
  last_job BLOB,
  undeclared INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX job_due ON job (due) WHERE state = 1;
CREATE INDEX job_expires ON job (expires) WHERE expires <> 0 AND state <= 2 AND starts = 0;
CREATE UNIQUE INDEX job_id ON job (id);
CREATE UNIQUE INDEX job_idempotency ON job (kind, idempotency_key, ifnull(owner, 0)) WHERE idempotency_key IS NOT NULL AND unique_until = 0;
CREATE UNIQUE INDEX job_idempotency_open ON job (kind, idempotency_key, ifnull(owner, 0)) WHERE idempotency_key IS NOT NULL AND unique_until = 1 AND state <= 3;
CREATE INDEX job_ready ON job (kind, priority DESC, key, ready) WHERE state = 2;
CREATE INDEX job_state ON job (kind, state);
