-- Connections to carriers and aggregators, and which deliveries they get.
CREATE TYPE provider_domain AS ENUM ('message');

CREATE TABLE provider (
  id uuid NOT NULL,
  name varchar(32) NOT NULL,
  organisation_id uuid,
  kind varchar(16) NOT NULL,
  domains provider_domain[] NOT NULL,
  channels channel[] NOT NULL,
  settings jsonb NOT NULL,
  sealed_secrets bytea,
  enabled boolean NOT NULL DEFAULT true,
  rate integer,
  window_size integer,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3),
  CONSTRAINT provider_pkey PRIMARY KEY (id)
);

ALTER TABLE provider
  ADD CONSTRAINT provider_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  -- The simulator is no row.
  ADD CONSTRAINT provider_name_check CHECK (name ~ '^[a-z][a-z0-9-]*$' AND name <> 'simulator'),
  ADD CONSTRAINT provider_kind_check CHECK (kind ~ '^[a-z]+$'),
  ADD CONSTRAINT provider_domains_check CHECK (cardinality(domains) > 0),
  ADD CONSTRAINT provider_channels_check CHECK (
    ('message' = ANY (domains)) = (cardinality(channels) > 0)),
  ADD CONSTRAINT provider_settings_check CHECK (jsonb_typeof(settings) = 'object'),
  ADD CONSTRAINT provider_rate_check CHECK (rate BETWEEN 0 AND 1000000),
  ADD CONSTRAINT provider_window_check CHECK (window_size BETWEEN 1 AND 1000);

CREATE UNIQUE INDEX provider_name_key ON provider (name);
CREATE INDEX provider_organisation_id_idx ON provider (organisation_id);

CREATE TABLE route (
  id uuid NOT NULL,
  organisation_id uuid,
  channel channel NOT NULL,
  category varchar(16),
  prefix varchar(15),
  country char(2),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT route_pkey PRIMARY KEY (id)
);

ALTER TABLE route
  ADD CONSTRAINT route_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD CONSTRAINT route_category_check CHECK (category IN ('otp', 'transactional', 'promotional')),
  ADD CONSTRAINT route_prefix_check CHECK (prefix ~ '^[1-9][0-9]*$'),
  ADD CONSTRAINT route_country_check CHECK (country ~ '^[A-Z]{2}$'),
  ADD CONSTRAINT route_destination_check CHECK (prefix IS NULL OR country IS NULL);

-- One route for the same conditions.
CREATE UNIQUE INDEX route_conditions_key ON route (organisation_id, channel, category, prefix, country) NULLS NOT DISTINCT;

CREATE TABLE route_target (
  route_id uuid NOT NULL,
  provider_id uuid NOT NULL,
  position smallint NOT NULL,
  weight smallint NOT NULL DEFAULT 1,
  CONSTRAINT route_target_pkey PRIMARY KEY (route_id, provider_id)
);

ALTER TABLE route_target
  ADD CONSTRAINT route_target_route_id_fkey FOREIGN KEY (route_id) REFERENCES route (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  ADD CONSTRAINT route_target_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD CONSTRAINT route_target_position_check CHECK (position >= 0),
  ADD CONSTRAINT route_target_weight_check CHECK (weight BETWEEN 1 AND 1000);

CREATE INDEX route_target_provider_id_idx ON route_target (provider_id);
