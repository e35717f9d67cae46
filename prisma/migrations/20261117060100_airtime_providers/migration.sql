-- Providers of airtime, and which purchases they get.
ALTER TYPE provider_domain ADD VALUE 'airtime';

-- One row for each provider of a route. A condition that is NULL matches all purchases.
CREATE TABLE airtime_route (
  id uuid NOT NULL,
  organisation_id uuid,
  network varchar(32),
  provider_id uuid NOT NULL,
  position smallint NOT NULL,
  CONSTRAINT airtime_route_pkey PRIMARY KEY (id)
);

ALTER TABLE airtime_route
  ADD CONSTRAINT airtime_route_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD CONSTRAINT airtime_route_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES provider (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD CONSTRAINT airtime_route_position_check CHECK (position >= 0);

CREATE UNIQUE INDEX airtime_route_provider_key ON airtime_route (organisation_id, network, provider_id) NULLS NOT DISTINCT;
CREATE INDEX airtime_route_provider_id_idx ON airtime_route (provider_id);

-- What the provider gets as our reference, stored before the call; NULL if it gets the id of the purchase.
ALTER TABLE airtime_purchase ADD COLUMN request_reference text;
