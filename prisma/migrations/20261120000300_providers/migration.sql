-- Connections to carriers, aggregators and lookup services, which requests they get, and what they send.

CREATE TYPE provider_domain AS ENUM ('message', 'lookup', 'airtime');

CREATE TABLE provider (
  id uuid PRIMARY KEY,
  name varchar(32) NOT NULL,
  organisation_id uuid REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  kind varchar(16) NOT NULL,
  domains provider_domain[] NOT NULL,
  channels channel[] NOT NULL,
  settings jsonb NOT NULL,
  sealed_secrets bytea,
  -- The token in the path at which the provider reaches us.
  sealed_token bytea,
  -- Whether senders without a registration are refused.
  registered_senders boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  rate integer,
  window_size integer,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3),
  -- The simulator is no row.
  CONSTRAINT provider_name_check CHECK (name ~ '^[a-z][a-z0-9-]*$' AND name <> 'simulator'),
  CONSTRAINT provider_kind_check CHECK (kind ~ '^[a-z]+$'),
  CONSTRAINT provider_domains_check CHECK (cardinality(domains) > 0),
  CONSTRAINT provider_channels_check CHECK (('message' = ANY (domains)) = (cardinality(channels) > 0)),
  CONSTRAINT provider_settings_check CHECK (jsonb_typeof(settings) = 'object'),
  CONSTRAINT provider_rate_check CHECK (rate BETWEEN 0 AND 1000000),
  CONSTRAINT provider_window_check CHECK (window_size BETWEEN 1 AND 1000)
);
CREATE UNIQUE INDEX provider_name_key ON provider (name);
CREATE INDEX provider_organisation_id_idx ON provider (organisation_id);

-- What all workers together know about a provider. Written when its state changes, and with counts every few seconds;
-- never once per message.
CREATE TYPE provider_state AS ENUM ('up', 'open', 'paused');

CREATE TABLE provider_health (
  provider_id uuid PRIMARY KEY REFERENCES provider (id) ON DELETE CASCADE ON UPDATE CASCADE,
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
  -- Our credit at the provider, as it said. `credit_asked_at` is when a worker last asked for it.
  credit_micros bigint,
  credit_currency char(3),
  credit_at timestamptz(3),
  credit_asked_at timestamptz(3),
  -- When it takes messages again, as its Retry-After said.
  retry_after timestamptz(3),
  -- When it was last asked for the states of messages. Other workers wait a second.
  polled_at timestamptz(3),
  CONSTRAINT provider_health_test_check CHECK ((state = 'up') = (test_at IS NULL)),
  CONSTRAINT provider_health_slowed_check CHECK ((slowed_rate IS NULL) = (slowed_at IS NULL) AND slowed_rate >= 1),
  CONSTRAINT provider_health_credit_check CHECK (
    (credit_micros IS NULL) = (credit_currency IS NULL) AND (credit_micros IS NULL) = (credit_at IS NULL))
);

-- Which deliveries a provider gets. The operator is the network of the recipient, with the spelling of the API.
CREATE TABLE route (
  id uuid PRIMARY KEY,
  organisation_id uuid REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  channel channel NOT NULL,
  category varchar(16),
  operator varchar(16),
  prefix varchar(15),
  country char(2),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT route_category_check CHECK (category IN ('otp', 'transactional', 'promotional')),
  CONSTRAINT route_operator_check CHECK (operator IN ('Airtel', 'MTN', 'Glo', '9mobile', 'NTEL')),
  CONSTRAINT route_prefix_check CHECK (prefix ~ '^[1-9][0-9]*$'),
  CONSTRAINT route_country_check CHECK (country ~ '^[A-Z]{2}$'),
  CONSTRAINT route_destination_check CHECK (prefix IS NULL OR country IS NULL)
);
-- One route for the same conditions.
CREATE UNIQUE INDEX route_conditions_key ON route (organisation_id, channel, category, operator, prefix, country)
  NULLS NOT DISTINCT;

CREATE TABLE route_target (
  route_id uuid NOT NULL REFERENCES route (id) ON DELETE CASCADE ON UPDATE CASCADE,
  provider_id uuid NOT NULL REFERENCES provider (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  position smallint NOT NULL,
  weight smallint NOT NULL DEFAULT 1,
  PRIMARY KEY (route_id, provider_id),
  CONSTRAINT route_target_position_check CHECK (position >= 0),
  CONSTRAINT route_target_weight_check CHECK (weight BETWEEN 1 AND 1000)
);
CREATE INDEX route_target_provider_id_idx ON route_target (provider_id);

-- Which senders may be used at which providers, and in which form.
CREATE TYPE sender_status AS ENUM ('pending', 'approved', 'rejected');

CREATE TABLE sender_registration (
  id uuid PRIMARY KEY,
  provider varchar(32) NOT NULL,
  organisation_id uuid REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  sender varchar(11) NOT NULL,
  originator varchar(32),
  status sender_status NOT NULL,
  note varchar(255),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3),
  CONSTRAINT sender_registration_originator_check CHECK (originator <> '')
);
-- One registration of a sender at a provider, for each organisation and for all.
CREATE UNIQUE INDEX sender_registration_sender_key ON sender_registration (provider, sender, organisation_id)
  NULLS NOT DISTINCT;
CREATE INDEX sender_registration_organisation_id_idx ON sender_registration (organisation_id);

-- The templates of WhatsApp accounts, as `pnpm admin templates sync` read them.
CREATE TABLE provider_template (
  provider varchar(32) NOT NULL,
  name varchar(512) NOT NULL,
  language varchar(16) NOT NULL,
  status varchar(32) NOT NULL,
  category varchar(32),
  reason varchar(255),
  synced_at timestamptz(3) NOT NULL,
  PRIMARY KEY (provider, name, language)
);

-- What providers send to /in/{provider}/{token}.
CREATE TYPE inbound_state AS ENUM ('received', 'handled', 'unparsed');

CREATE TABLE inbound_request (
  id uuid PRIMARY KEY,
  provider varchar(32) NOT NULL,
  digest bytea NOT NULL,
  method varchar(8) NOT NULL,
  content_type text,
  sealed_content bytea NOT NULL,
  -- The bytes of a request that no worker has verified.
  unverified_bytes integer,
  state inbound_state NOT NULL DEFAULT 'received',
  fault text,
  attempt integer NOT NULL DEFAULT 0,
  -- How many claims in a row, with the present one, were neither released nor finished: their workers died.
  unfinished_claims integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  lease_holder bigint,
  received_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT inbound_request_due_check CHECK ((state = 'received') = (next_attempt_at IS NOT NULL))
) WITH (
  -- Rows that change several times, and are deleted after a while.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
-- The same request again is stored once.
CREATE UNIQUE INDEX inbound_request_provider_digest_key ON inbound_request (provider, digest);
CREATE INDEX inbound_request_due_idx ON inbound_request (next_attempt_at) WHERE state = 'received';
CREATE INDEX inbound_request_unfinished_idx ON inbound_request (next_attempt_at)
  WHERE state = 'received' AND unfinished_claims > 0;
CREATE INDEX inbound_request_unverified_idx ON inbound_request (provider, unverified_bytes) WHERE unverified_bytes IS NOT NULL;
CREATE INDEX inbound_request_ended_idx ON inbound_request (state, id) WHERE state <> 'received';
