-- URLs of an organisation that receive its events, beside the callback URL of a request.
CREATE TABLE callback_endpoint (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  url varchar(2048) NOT NULL,
  host varchar(2048) NOT NULL,
  events text[] NOT NULL,
  description varchar(255),
  enabled boolean NOT NULL DEFAULT true,
  -- Whether someone has confirmed that it receives the texts of messages; `pnpm admin security review` lists others.
  messages_confirmed boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3)
);
CREATE INDEX callback_endpoint_organisation_id_id_idx ON callback_endpoint (organisation_id, id);

-- Like callback_secret: the current secret of an endpoint, and during a rotation its predecessor.
CREATE TABLE callback_endpoint_secret (
  id uuid PRIMARY KEY,
  endpoint_id uuid NOT NULL REFERENCES callback_endpoint (id) ON DELETE CASCADE ON UPDATE CASCADE,
  organisation_id uuid NOT NULL,
  sealed_secret bytea NOT NULL,
  retires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX callback_endpoint_secret_endpoint_id_id_idx ON callback_endpoint_secret (endpoint_id, id);
CREATE UNIQUE INDEX callback_endpoint_secret_current_key ON callback_endpoint_secret (endpoint_id)
  WHERE retires_at IS NULL;

ALTER TABLE callback
  -- Not a foreign key: the callbacks of a deleted endpoint stay in the log.
  ADD COLUMN endpoint_id uuid,
  -- With SEAL_MESSAGES, the body with the text of a message is sealed here; `body` is then the same without the text.
  ADD COLUMN sealed_body bytea;
-- As in 20261120000500_deliveries; rows of hosts are few, and change all the time.
ALTER TABLE callback SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE callback_attempt SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE callback_host SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
