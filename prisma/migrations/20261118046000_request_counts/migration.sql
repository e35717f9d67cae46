-- The requests of an organisation in an hour, for `pnpm admin usage`. What was requested before this migration is not counted.
ALTER TABLE "response_tally" ADD COLUMN "requests" BIGINT NOT NULL DEFAULT 0;
