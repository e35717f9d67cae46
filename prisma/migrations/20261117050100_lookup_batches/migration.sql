-- Jobs that look many numbers up and write a file.
CREATE TYPE lookup_batch_state AS ENUM ('queued', 'running', 'done', 'failed');

CREATE TABLE lookup_batch (
  id uuid NOT NULL,
  organisation_id uuid NOT NULL,
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
  CONSTRAINT lookup_batch_pkey PRIMARY KEY (id),
  CONSTRAINT lookup_batch_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT lookup_batch_due_check CHECK ((state IN ('queued', 'running')) = (next_attempt_at IS NOT NULL)),
  CONSTRAINT lookup_batch_end_check CHECK ((state IN ('done', 'failed')) = (ended_at IS NOT NULL))
);

CREATE INDEX lookup_batch_organisation_id_id_idx ON lookup_batch (organisation_id, id);
CREATE INDEX lookup_batch_due_idx ON lookup_batch (organisation_id, next_attempt_at)
  WHERE state IN ('queued', 'running');
CREATE INDEX lookup_batch_ended_idx ON lookup_batch (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE lookup_batch_part (
  batch_id uuid NOT NULL,
  number integer NOT NULL,
  data bytea NOT NULL,
  CONSTRAINT lookup_batch_part_pkey PRIMARY KEY (batch_id, number),
  CONSTRAINT lookup_batch_part_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES lookup_batch (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
