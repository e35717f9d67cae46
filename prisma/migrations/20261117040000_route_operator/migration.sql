-- The network of the recipient, with the spelling of the API.
ALTER TABLE route
  ADD COLUMN operator varchar(16),
  ADD CONSTRAINT route_operator_check CHECK (operator IN ('Airtel', 'MTN', 'Glo', '9mobile', 'NTEL'));

DROP INDEX route_conditions_key;
CREATE UNIQUE INDEX route_conditions_key ON route (organisation_id, channel, category, operator, prefix, country)
  NULLS NOT DISTINCT;
