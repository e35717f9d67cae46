-- How many workers died, one after the other, while they held the delivery. Above 0 it is a suspect, which is tried alone.
ALTER TABLE "delivery" ADD COLUMN "worker_deaths" SMALLINT NOT NULL DEFAULT 0;
