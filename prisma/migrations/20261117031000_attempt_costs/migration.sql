-- What the provider charges for an attempt, in millionths of the currency; NULL if it is not known.
-- Not validated, because that would read the whole table while nobody can use it.
ALTER TABLE delivery_attempt
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD CONSTRAINT delivery_attempt_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID;
