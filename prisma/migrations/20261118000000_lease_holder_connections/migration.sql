-- AlterTable
ALTER TABLE "lease_holder" ADD COLUMN "backend_pid" INTEGER,
ADD COLUMN "backend_start" TIMESTAMPTZ(6),
ADD COLUMN "connected_since" TIMESTAMPTZ(3);
