-- How long data of one organisation is kept, if that is less than the configured time.
CREATE TYPE retention_kind AS ENUM ('messages', 'otps', 'callbacks', 'imports');

CREATE TABLE organisation_retention (
  kind retention_kind NOT NULL,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  days integer NOT NULL CONSTRAINT organisation_retention_days_check CHECK (days BETWEEN 1 AND 3650),
  PRIMARY KEY (kind, organisation_id)
);

CREATE INDEX organisation_retention_organisation_id_idx ON organisation_retention (organisation_id);
