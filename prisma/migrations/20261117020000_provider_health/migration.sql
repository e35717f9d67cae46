-- What all workers together know about a provider. Written when its state changes, and with counts every few seconds;
-- never once per message.
CREATE TYPE provider_state AS ENUM ('up', 'open', 'paused');

CREATE TABLE provider_health (
  provider_id uuid NOT NULL,
  state provider_state NOT NULL DEFAULT 'up',
  since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  test_at timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  slowed_rate double precision,
  slowed_at timestamptz(3),
  error_code varchar(64),
  error_at timestamptz(3),
  counted_since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  submitted integer NOT NULL DEFAULT 0,
  not_accepted integer NOT NULL DEFAULT 0,
  submitted_before integer NOT NULL DEFAULT 0,
  not_accepted_before integer NOT NULL DEFAULT 0,
  CONSTRAINT provider_health_pkey PRIMARY KEY (provider_id)
);

ALTER TABLE provider_health
  ADD CONSTRAINT provider_health_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  ADD CONSTRAINT provider_health_test_check CHECK ((state = 'up') = (test_at IS NULL)),
  ADD CONSTRAINT provider_health_slowed_check CHECK ((slowed_rate IS NULL) = (slowed_at IS NULL) AND slowed_rate >= 1);
