-- Roaming has a time of its own: when it has expired, the operator in the same finding is still valid.
ALTER TABLE live_finding ADD COLUMN roaming_until timestamptz(3);
