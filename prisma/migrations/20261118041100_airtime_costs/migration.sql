-- What the provider charges for a purchase, less its commission, in millionths of the currency; NULL if it is not known.
-- Not validated, because that would read the whole table while it cannot be used.
ALTER TABLE airtime_purchase
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD CONSTRAINT airtime_purchase_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID;
