-- Limits, quotas, keys and stored responses of organisations.

-- The networks from which a key may be used, as CIDR blocks (an empty list allows every address), and whether its scopes
-- were named when it was issued: `pnpm admin security review` lists keys that have all scopes because none was named.
ALTER TABLE api_key
  ADD COLUMN allowed_networks text[] NOT NULL DEFAULT ARRAY[]::text[],
  ADD COLUMN scopes_named boolean NOT NULL DEFAULT false;

-- Callback secrets are sealed with a key outside the database. Plain ones stay readable until they are sealed.
ALTER TABLE callback_secret
  ALTER COLUMN secret DROP NOT NULL,
  ADD COLUMN sealed_secret bytea,
  ADD CONSTRAINT callback_secret_sealed_check CHECK ((secret IS NULL) <> (sealed_secret IS NULL));

-- Limits and quotas: NULL takes the default, 0 means no limit. New organisations have restricted callbacks and fair keys;
-- existing ones keep working as before, and `pnpm admin security review` lists them.
ALTER TABLE organisation
  ADD COLUMN daily_spend_kobo bigint,
  ADD COLUMN message_daily_spend_kobo bigint,
  ADD COLUMN airtime_daily_spend_kobo bigint,
  ADD COLUMN lookup_daily_spend_kobo bigint,
  ADD COLUMN airtime_daily_spend_per_recipient_kobo bigint,
  ADD COLUMN airtime_key_cooling_hours integer,
  ADD COLUMN otp_daily_tries_per_recipient integer,
  ADD COLUMN contact_rows integer,
  ADD COLUMN stored_bytes bigint,
  ADD COLUMN unfinished_imports integer,
  ADD COLUMN waiting_callbacks integer,
  ADD COLUMN response_bytes bigint,
  ADD COLUMN simulated_messages integer,
  ADD COLUMN restricted_callbacks boolean NOT NULL DEFAULT false,
  ADD COLUMN fair_keys boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT organisation_daily_limits_check CHECK (
    daily_spend_kobo >= 0 AND message_daily_spend_kobo >= 0 AND airtime_daily_spend_kobo >= 0
    AND lookup_daily_spend_kobo >= 0 AND airtime_daily_spend_per_recipient_kobo >= 0
    AND airtime_key_cooling_hours >= 0 AND otp_daily_tries_per_recipient >= 0),
  ADD CONSTRAINT organisation_quotas_check CHECK (
    contact_rows >= 0 AND stored_bytes >= 0 AND unfinished_imports >= 0 AND waiting_callbacks >= 0),
  ADD CONSTRAINT organisation_storage_quotas_check CHECK (response_bytes >= 0 AND simulated_messages >= 0);

-- Suspended organisations are few. Workers list them by these indexes.
CREATE INDEX organisation_suspended_idx ON organisation (id) WHERE status = 'suspended';
CREATE INDEX account_suspended_idx ON account (id) WHERE status = 'suspended';

-- The demo organisation has no limits.
UPDATE organisation SET daily_spend_kobo = 0, message_daily_spend_kobo = 0, airtime_daily_spend_kobo = 0,
  lookup_daily_spend_kobo = 0, airtime_daily_spend_per_recipient_kobo = 0, airtime_key_cooling_hours = 0,
  otp_daily_tries_per_recipient = 0, contact_rows = 0, stored_bytes = 0, unfinished_imports = 0, waiting_callbacks = 0,
  response_bytes = 0, simulated_messages = 0
WHERE id = '01900000-0000-7000-8000-000000000002';

-- The DND list applies to promotional messages. Workers of earlier versions still read `respect_dnd`.
UPDATE organisation SET settings = jsonb_set(settings, '{sms,default_category}', '"promotional"')
WHERE settings -> 'sms' @> '{"respect_dnd": true}';

-- How long data of one organisation is kept, if that is less than the configured time.
CREATE TYPE retention_kind AS ENUM ('messages', 'otps', 'callbacks', 'imports');

CREATE TABLE organisation_retention (
  kind retention_kind NOT NULL,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  days integer NOT NULL CONSTRAINT organisation_retention_days_check CHECK (days BETWEEN 1 AND 3650),
  PRIMARY KEY (kind, organisation_id)
);
CREATE INDEX organisation_retention_organisation_id_idx ON organisation_retention (organisation_id);

-- Stored responses may be sealed. Their rows change without a change of an indexed column: with free space in their page
-- (HOT updates) no index is written. Vacuumed and analyzed after 2 % of changes instead of 20 % and 10 %.
ALTER TABLE idempotency_claim ADD COLUMN answer_sealed boolean NOT NULL DEFAULT false;
ALTER TABLE idempotency_claim SET (fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

-- The requests of an organisation and the bytes of its stored responses, by the hour. Responses are deleted after a day, so
-- nothing is subtracted: an hour is left out of the sum when all of its responses are gone. What was requested and stored
-- before this migration is not counted.
CREATE TABLE response_tally (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  hour timestamptz(3) NOT NULL,
  bytes bigint NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organisation_id, hour)
) WITH (
  -- Few rows that change all the time, and no indexed column of them.
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX response_tally_hour_idx ON response_tally (hour);
