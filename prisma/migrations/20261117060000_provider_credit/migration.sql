-- Our credit at a provider, as it said. `credit_asked_at` is when a worker last asked for it.
ALTER TABLE provider_health
  ADD COLUMN credit_micros bigint,
  ADD COLUMN credit_currency char(3),
  ADD COLUMN credit_at timestamptz(3),
  ADD COLUMN credit_asked_at timestamptz(3),
  ADD CONSTRAINT provider_health_credit_check CHECK (
    (credit_micros IS NULL) = (credit_currency IS NULL) AND (credit_micros IS NULL) = (credit_at IS NULL));
