-- Deliveries, their attempts and reports, and the OTPs that they carry.
-- Constraints of large tables are not validated: all rows are sure to meet them, and reading a table would block it.

-- Deliveries ---------------------------------------------------------------------------------------------------------

-- WhatsApp reports when a message is read. Its rank is that of a delivered one.
ALTER TYPE delivery_state ADD VALUE 'read' AFTER 'delivered';
-- Canceled before a provider got it.
ALTER TYPE delivery_state ADD VALUE 'canceled';

ALTER TABLE delivery
  -- The validity period of a delivery that waits for a time begins then.
  ADD COLUMN send_at timestamptz(3),
  -- Until when quiet hours hold the delivery, and which providers do not take it until then.
  ADD COLUMN quiet_until timestamptz(3),
  ADD COLUMN quiet_by text[],
  -- How many workers died, one after the other, while they held the delivery. Above 0 it is a suspect, which is tried alone.
  ADD COLUMN worker_deaths smallint NOT NULL DEFAULT 0,
  -- Which providers will not take the delivery, which ones may have it, and what an operator decided about it.
  ADD COLUMN refused_by text[],
  ADD COLUMN unanswered_by text[],
  ADD COLUMN resolution varchar(8),
  -- The first attempt, if its provider accepted it at once: it has no row in delivery_attempt. `accepted_at` is NULL for all
  -- other deliveries, and the provider is that of the delivery. `submitted_at` is when the attempt began.
  ADD COLUMN route_id uuid,
  ADD COLUMN submitted_at timestamptz(3),
  ADD COLUMN accepted_at timestamptz(3),
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD COLUMN cost_reported boolean,
  -- `pnpm admin data erase` replaces a number by `erased` in rows that stay for the books.
  DROP CONSTRAINT delivery_recipient_check,
  ADD CONSTRAINT delivery_recipient_check CHECK (recipient ~ '^(\+[1-9][0-9]{1,14}|erased)$') NOT VALID,
  ADD CONSTRAINT delivery_resolution_check CHECK (resolution IN ('refund', 'resend', 'keep')) NOT VALID,
  ADD CONSTRAINT delivery_cost_check CHECK ((cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0) NOT VALID;
-- Large tables whose rows change several times are vacuumed and analyzed after 2 % of changes instead of 20 % and 10 %.
-- Dead entries at the beginning of an index of due rows are read by every claim.
ALTER TABLE delivery SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

ALTER TABLE delivery_attempt
  -- The route that led to the provider; NULL if none is known. No foreign key: routes are removed, attempts stay.
  ADD COLUMN route_id uuid,
  -- What the provider charges for an attempt, in millionths of the currency, and whether a report said so; NULL if it is not
  -- known.
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD COLUMN cost_reported boolean,
  ADD CONSTRAINT delivery_attempt_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID;
ALTER TABLE delivery_attempt SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

-- Reports ------------------------------------------------------------------------------------------------------------

-- The references of providers: a long message has one for each part, and each attempt has its own. The cost is that of the
-- part, as its report says.
CREATE TABLE provider_reference (
  provider text NOT NULL,
  reference text NOT NULL,
  delivery_id uuid NOT NULL REFERENCES delivery (id) ON DELETE CASCADE ON UPDATE CASCADE,
  attempt integer NOT NULL,
  part smallint NOT NULL DEFAULT 1,
  state delivery_state,
  error_code text,
  cost_micros bigint,
  cost_currency char(3),
  PRIMARY KEY (provider, reference),
  CONSTRAINT provider_reference_part_check CHECK (part > 0),
  CONSTRAINT provider_reference_state_check CHECK (state IN ('delivered', 'undelivered', 'expired')),
  CONSTRAINT provider_reference_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$')
);
CREATE INDEX provider_reference_delivery_id_idx ON provider_reference (delivery_id, attempt);

ALTER TABLE parked_report
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD CONSTRAINT parked_report_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID;

-- Accepted messages whose state is asked for until it is final. Only of providers whose settings have `poll`.
CREATE TABLE delivery_poll (
  delivery_id uuid PRIMARY KEY REFERENCES delivery (id) ON DELETE CASCADE ON UPDATE CASCADE,
  provider varchar(32) NOT NULL,
  polls integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL
) WITH (
  -- Rows change several times, and are deleted after a while.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX delivery_poll_provider_next_attempt_at_idx ON delivery_poll (provider, next_attempt_at);

-- OTPs ---------------------------------------------------------------------------------------------------------------

ALTER TABLE otp
  -- What a resend or a fallback needs: the sealed token, the channels that are left, and when a worker looks at the OTP.
  ADD COLUMN sealed_token bytea,
  ADD COLUMN fallback_channels channel[] NOT NULL DEFAULT '{}',
  ADD COLUMN fallback_after smallint,
  ADD COLUMN due_at timestamptz(3),
  DROP CONSTRAINT otp_recipient_check,
  ADD CONSTRAINT otp_recipient_check CHECK (recipient ~ '^(\+[1-9][0-9]{1,14}|erased)$') NOT VALID,
  ADD CONSTRAINT otp_sealed_token_check CHECK (sealed_token IS NULL OR status = 1) NOT VALID,
  ADD CONSTRAINT otp_fallback_check CHECK (
    cardinality(fallback_channels) <= 3 AND (fallback_channels = '{}' OR coalesce(fallback_after, 0) > 0)) NOT VALID;
ALTER TABLE otp SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

-- No token outlives its OTP, whoever ends it.
CREATE FUNCTION end_otp() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.sealed_token := NULL;
  NEW.due_at := NULL;
  RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION end_otp() FROM PUBLIC;
CREATE TRIGGER otp_ended BEFORE UPDATE OF status ON otp FOR EACH ROW
  WHEN (NEW.status <> 1) EXECUTE FUNCTION end_otp();
