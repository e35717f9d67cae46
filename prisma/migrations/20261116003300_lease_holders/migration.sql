-- Processes that hold leases. Each writes a heartbeat; when it stops, other processes of the app take over its leases.
CREATE TABLE "lease_holder" (
    "id" BIGINT NOT NULL,
    "app" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "steady_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "lease_holder_pkey" PRIMARY KEY ("id")
);
-- A few rows that change every two seconds.
ALTER TABLE lease_holder SET (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The process that holds the lease of a row. No foreign key and no index: it is written by every claim, and read only when
-- a process has died, by way of the indexes of due rows.
ALTER TABLE "delivery" ADD COLUMN "lease_holder" BIGINT;
ALTER TABLE "message_expansion" ADD COLUMN "lease_holder" BIGINT;
ALTER TABLE "airtime_purchase" ADD COLUMN "lease_holder" BIGINT;
ALTER TABLE "callback" ADD COLUMN "lease_holder" BIGINT;
ALTER TABLE "contact_import" ADD COLUMN "lease_holder" BIGINT;
ALTER TABLE "contact_export" ADD COLUMN "lease_holder" BIGINT;
ALTER TABLE "lookup_reservation" ADD COLUMN "lease_holder" BIGINT;
