-- Accepted messages whose state is asked for until it is final. Only of providers whose settings have `poll`.
CREATE TABLE delivery_poll (
  delivery_id uuid PRIMARY KEY REFERENCES delivery (id) ON DELETE CASCADE ON UPDATE CASCADE,
  provider varchar(32) NOT NULL,
  polls integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL
);

CREATE INDEX delivery_poll_provider_next_attempt_at_idx ON delivery_poll (provider, next_attempt_at);

-- Rows change several times, and are deleted after a while.
ALTER TABLE delivery_poll SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

-- When a provider was last asked for the states of messages. Other workers wait a second.
ALTER TABLE "provider_health" ADD COLUMN "polled_at" TIMESTAMPTZ(3);
