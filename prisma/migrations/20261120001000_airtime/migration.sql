-- The data bundles of airtime providers. The price of a row never changes: a bundle with a new price is a new row.
CREATE TABLE airtime_product (
  id uuid PRIMARY KEY,
  provider varchar(32) NOT NULL,
  network varchar(32) NOT NULL,
  code varchar(128) NOT NULL,
  price_kobo bigint NOT NULL CONSTRAINT airtime_product_price_check CHECK (price_kobo > 0),
  name varchar(255) NOT NULL,
  active boolean NOT NULL DEFAULT true,
  synced_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX airtime_product_price_key ON airtime_product (provider, network, code, price_kobo);

-- When the products of a provider are read next, and when they were read.
CREATE TABLE airtime_catalogue (
  provider varchar(32) PRIMARY KEY,
  due_at timestamptz(3) NOT NULL,
  synced_at timestamptz(3)
);

-- Which purchases a provider gets: one row for each provider of a route. A condition that is NULL matches all purchases.
CREATE TABLE airtime_route (
  id uuid PRIMARY KEY,
  organisation_id uuid REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  network varchar(32),
  provider_id uuid NOT NULL REFERENCES provider (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  position smallint NOT NULL CONSTRAINT airtime_route_position_check CHECK (position >= 0)
);
CREATE UNIQUE INDEX airtime_route_provider_key ON airtime_route (organisation_id, network, provider_id) NULLS NOT DISTINCT;
CREATE INDEX airtime_route_provider_id_idx ON airtime_route (provider_id);

-- Not validated: all rows are sure to meet these constraints, and reading the table would block it.
ALTER TABLE airtime_purchase
  -- What the provider gets as our reference, stored before the call; NULL if it gets the id of the purchase.
  ADD COLUMN request_reference text,
  -- The data bundle that was bought, and its code when it was submitted; NULL for airtime. Workers that do not know bundles
  -- do not write the code, so they cannot submit a bundle as airtime.
  ADD COLUMN product_id uuid,
  ADD COLUMN product_code varchar(128),
  -- What the provider charges, less its commission, in millionths of the currency; NULL if it is not known.
  ADD COLUMN cost_micros bigint,
  ADD COLUMN cost_currency char(3),
  ADD CONSTRAINT airtime_purchase_product_id_fkey FOREIGN KEY (product_id) REFERENCES airtime_product (id)
    ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID,
  ADD CONSTRAINT airtime_purchase_product_check
    CHECK (product_id IS NULL OR state <> 'submitting' OR product_code IS NOT NULL) NOT VALID,
  ADD CONSTRAINT airtime_purchase_cost_check CHECK (
    (cost_micros IS NULL) = (cost_currency IS NULL) AND cost_micros >= 0 AND cost_currency ~ '^[A-Z]{3}$') NOT VALID,
  -- `pnpm admin data erase` replaces a number by `erased` in rows that stay for the books.
  DROP CONSTRAINT airtime_purchase_recipient_check,
  ADD CONSTRAINT airtime_purchase_recipient_check CHECK (recipient ~ '^(\+[1-9][0-9]{1,14}|erased)$') NOT VALID;
-- As in 20261120000500_deliveries.
ALTER TABLE airtime_purchase SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
