-- Prices of one organisation. They override the list for every number that they match.
CREATE TABLE organisation_price (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  service priced_service NOT NULL,
  prefix varchar(15) NOT NULL CONSTRAINT organisation_price_prefix_check CHECK (prefix ~ '^[0-9]*$'),
  kobo bigint NOT NULL CONSTRAINT organisation_price_kobo_check CHECK (kobo >= 0),
  PRIMARY KEY (organisation_id, service, prefix)
);
