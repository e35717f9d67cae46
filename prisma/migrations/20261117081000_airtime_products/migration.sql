-- The data bundles of airtime providers. The price of a row never changes: a bundle with a new price is a new row.
CREATE TABLE airtime_product (
  id uuid NOT NULL,
  provider varchar(32) NOT NULL,
  network varchar(32) NOT NULL,
  code varchar(128) NOT NULL,
  price_kobo bigint NOT NULL,
  name varchar(255) NOT NULL,
  active boolean NOT NULL DEFAULT true,
  synced_at timestamptz(3) NOT NULL,
  CONSTRAINT airtime_product_pkey PRIMARY KEY (id),
  CONSTRAINT airtime_product_price_check CHECK (price_kobo > 0)
);

CREATE UNIQUE INDEX airtime_product_price_key ON airtime_product (provider, network, code, price_kobo);

-- When the products of a provider are read next, and when they were read.
CREATE TABLE airtime_catalogue (
  provider varchar(32) NOT NULL,
  due_at timestamptz(3) NOT NULL,
  synced_at timestamptz(3),
  CONSTRAINT airtime_catalogue_pkey PRIMARY KEY (provider)
);
