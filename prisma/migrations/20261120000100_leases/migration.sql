-- Processes that hold leases. Each writes a heartbeat; when it stops, other processes of the app take over its leases.
CREATE TABLE lease_holder (
  id bigint PRIMARY KEY,
  app text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  heartbeat_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  steady_since timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Its connection to the database.
  backend_pid integer,
  backend_start timestamptz(6),
  connected_since timestamptz(3)
) WITH (
  -- A few rows that change every two seconds.
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The process that holds the lease of a row. No foreign key and no index: it is written by every claim, and read only when
-- a process has died, by way of the indexes of due rows.
ALTER TABLE delivery ADD COLUMN lease_holder bigint;
ALTER TABLE message_expansion ADD COLUMN lease_holder bigint;
ALTER TABLE airtime_purchase ADD COLUMN lease_holder bigint;
ALTER TABLE callback ADD COLUMN lease_holder bigint;
ALTER TABLE contact_import ADD COLUMN lease_holder bigint;
ALTER TABLE contact_export ADD COLUMN lease_holder bigint;
ALTER TABLE lookup_reservation ADD COLUMN lease_holder bigint;
