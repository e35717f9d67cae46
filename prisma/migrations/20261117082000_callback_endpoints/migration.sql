-- URLs of an organisation that receive its events, beside the callback URL of a request.
CREATE TABLE callback_endpoint (
  id uuid NOT NULL,
  organisation_id uuid NOT NULL,
  url varchar(2048) NOT NULL,
  host varchar(2048) NOT NULL,
  events text[] NOT NULL,
  description varchar(255),
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3),
  CONSTRAINT callback_endpoint_pkey PRIMARY KEY (id),
  CONSTRAINT callback_endpoint_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX callback_endpoint_organisation_id_id_idx ON callback_endpoint (organisation_id, id);

-- Like callback_secret: the current secret of an endpoint, and during a rotation its predecessor.
CREATE TABLE callback_endpoint_secret (
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  organisation_id uuid NOT NULL,
  sealed_secret bytea NOT NULL,
  retires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT callback_endpoint_secret_pkey PRIMARY KEY (id),
  CONSTRAINT callback_endpoint_secret_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES callback_endpoint (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX callback_endpoint_secret_endpoint_id_id_idx ON callback_endpoint_secret (endpoint_id, id);
CREATE UNIQUE INDEX callback_endpoint_secret_current_key ON callback_endpoint_secret (endpoint_id)
  WHERE retires_at IS NULL;

-- Not a foreign key: the callbacks of a deleted endpoint stay in the log.
ALTER TABLE callback ADD COLUMN endpoint_id uuid;
