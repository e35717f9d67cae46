-- The first attempt of a delivery, if its provider accepted it at once: it has no row in delivery_attempt. `accepted_at` is
-- NULL for all other deliveries, and the provider is that of the delivery. `submitted_at` is when the attempt began.
-- Not validated, because that would read the whole table while nobody can use it.
ALTER TABLE delivery
  ADD COLUMN route_id uuid,
  ADD COLUMN submitted_at timestamptz(3),
  ADD COLUMN accepted_at timestamptz(3),
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD COLUMN cost_reported boolean,
  ADD CONSTRAINT delivery_cost_check CHECK ((cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0) NOT VALID;
