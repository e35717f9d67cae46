-- What answered calls to lookup providers cost, by organisation and day. An empty currency: the cost is not known.
CREATE TABLE "lookup_tally" (
    "organisation_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "provider" VARCHAR(100) NOT NULL,
    "currency" VARCHAR(3) NOT NULL,
    "calls" BIGINT NOT NULL,
    "micros" BIGINT NOT NULL,

    CONSTRAINT "lookup_tally_pkey" PRIMARY KEY ("organisation_id","day","provider","currency")
);
CREATE INDEX "lookup_tally_day_idx" ON "lookup_tally"("day");
-- Few rows that change all the time, and no indexed column of them.
ALTER TABLE lookup_tally SET (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "lookup_tally" ADD CONSTRAINT "lookup_tally_organisation_id_fkey"
  FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE lookup_tally ADD CONSTRAINT lookup_tally_cost_check CHECK (
  currency ~ '^([A-Z]{3})?$' AND calls > 0 AND micros >= 0 AND (currency <> '' OR micros = 0));
