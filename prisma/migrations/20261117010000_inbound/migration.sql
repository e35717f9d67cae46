-- The references of providers: a long message has one for each part, and each attempt has its own.
CREATE TABLE provider_reference (
  provider text NOT NULL,
  reference text NOT NULL,
  delivery_id uuid NOT NULL,
  attempt integer NOT NULL,
  part smallint NOT NULL DEFAULT 1,
  state delivery_state,
  error_code text,
  CONSTRAINT provider_reference_pkey PRIMARY KEY (provider, reference)
);

ALTER TABLE provider_reference
  ADD CONSTRAINT provider_reference_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  ADD CONSTRAINT provider_reference_part_check CHECK (part > 0),
  ADD CONSTRAINT provider_reference_state_check CHECK (state IN ('delivered', 'undelivered', 'expired'));

CREATE INDEX provider_reference_delivery_id_idx ON provider_reference (delivery_id, attempt);

-- What providers send to /in/{provider}/{token}.
CREATE TYPE inbound_state AS ENUM ('received', 'handled', 'unparsed');

CREATE TABLE inbound_request (
  id uuid NOT NULL,
  provider varchar(32) NOT NULL,
  digest bytea NOT NULL,
  method varchar(8) NOT NULL,
  content_type text,
  sealed_content bytea NOT NULL,
  state inbound_state NOT NULL DEFAULT 'received',
  fault text,
  attempt integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  lease_holder bigint,
  received_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT inbound_request_pkey PRIMARY KEY (id)
);

ALTER TABLE inbound_request
  ADD CONSTRAINT inbound_request_due_check CHECK ((state = 'received') = (next_attempt_at IS NOT NULL));

-- The same request again is stored once.
CREATE UNIQUE INDEX inbound_request_provider_digest_key ON inbound_request (provider, digest);
CREATE INDEX inbound_request_due_idx ON inbound_request (next_attempt_at) WHERE state = 'received';
CREATE INDEX inbound_request_ended_idx ON inbound_request (state, id) WHERE state <> 'received';

-- The token in the path at which a provider reaches us.
ALTER TABLE provider ADD COLUMN sealed_token bytea;
