-- What reports say about the cost of a message or of one of its parts, and whether the cost of an attempt is that of a report.
-- Not validated, because that would read whole tables while they cannot be used.
ALTER TABLE delivery_attempt ADD COLUMN cost_reported boolean;

ALTER TABLE provider_reference
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD CONSTRAINT provider_reference_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID;

ALTER TABLE parked_report
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD CONSTRAINT parked_report_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID;
