-- Lookups of many numbers, what they cost, and what providers report about a number.

ALTER TABLE live_finding
  ADD COLUMN line_type varchar(16),
  -- Roaming has a time of its own: when it has expired, the operator in the same finding is still valid.
  ADD COLUMN roaming boolean,
  ADD COLUMN roaming_until timestamptz(3),
  -- What the provider of one organisation reported decides about messages of this organisation only.
  ADD COLUMN organisation_id uuid;

-- Jobs that look many numbers up and write a file.
CREATE TYPE lookup_batch_state AS ENUM ('queued', 'running', 'done', 'failed');

CREATE TABLE lookup_batch (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  state lookup_batch_state NOT NULL DEFAULT 'queued',
  phones text[],
  list text,
  last_row_id uuid,
  numbers integer NOT NULL DEFAULT 0,
  total integer,
  parts integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  reason text,
  attempt integer NOT NULL DEFAULT 0,
  stalls integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  lease_holder bigint,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ended_at timestamptz(3),
  CONSTRAINT lookup_batch_due_check CHECK ((state IN ('queued', 'running')) = (next_attempt_at IS NOT NULL)),
  CONSTRAINT lookup_batch_end_check CHECK ((state IN ('done', 'failed')) = (ended_at IS NOT NULL))
) WITH (
  -- A few rows that change all the time.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX lookup_batch_organisation_id_id_idx ON lookup_batch (organisation_id, id);
CREATE INDEX lookup_batch_due_idx ON lookup_batch (organisation_id, next_attempt_at)
  WHERE state IN ('queued', 'running');
CREATE INDEX lookup_batch_ended_idx ON lookup_batch (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE lookup_batch_part (
  batch_id uuid NOT NULL REFERENCES lookup_batch (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (batch_id, number)
);

-- What answered calls to lookup providers cost, by organisation and day. An empty currency: the cost is not known.
CREATE TABLE lookup_tally (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  day date NOT NULL,
  provider varchar(100) NOT NULL,
  currency varchar(3) NOT NULL,
  calls bigint NOT NULL,
  micros bigint NOT NULL,
  PRIMARY KEY (organisation_id, day, provider, currency),
  CONSTRAINT lookup_tally_cost_check CHECK (
    currency ~ '^([A-Z]{3})?$' AND calls > 0 AND micros >= 0 AND (currency <> '' OR micros = 0))
) WITH (
  -- Few rows that change all the time, and no indexed column of them.
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX lookup_tally_day_idx ON lookup_tally (day);
