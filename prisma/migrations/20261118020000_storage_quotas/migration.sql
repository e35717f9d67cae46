-- The filters of smartlists count in stored_bytes, like the cells of rows. The smartlist of all contacts has none.
CREATE FUNCTION smartlist_size_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO contact_size_tally (table_id, delta)
    SELECT table_id, sum(octet_length(filters::text)) FROM changed WHERE NOT everyone GROUP BY table_id;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO contact_size_tally (table_id, delta)
    SELECT table_id, -sum(octet_length(filters::text)) FROM earlier WHERE NOT everyone GROUP BY table_id;
  ELSE
    INSERT INTO contact_size_tally (table_id, delta)
    SELECT table_id, sum(bytes) FROM (
      SELECT table_id, octet_length(filters::text) AS bytes FROM changed WHERE NOT everyone
      UNION ALL
      SELECT table_id, -octet_length(filters::text) FROM earlier WHERE NOT everyone) AS sizes
    GROUP BY table_id HAVING sum(bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;
-- They wait for writers and stop new ones until the smartlists below are counted.
CREATE TRIGGER smartlist_added_size AFTER INSERT ON smartlist
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION smartlist_size_tally();
CREATE TRIGGER smartlist_removed_size AFTER DELETE ON smartlist
  REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION smartlist_size_tally();
CREATE TRIGGER smartlist_changed_size AFTER UPDATE ON smartlist
  REFERENCING OLD TABLE AS earlier NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION smartlist_size_tally();
INSERT INTO contact_size_tally (table_id, delta)
SELECT table_id, sum(octet_length(filters::text)) FROM smartlist WHERE NOT everyone GROUP BY table_id;

-- The bytes of stored responses, by the hour in which they were stored. Responses are deleted after a day, so nothing is
-- subtracted: an hour is left out of the sum when all of its responses are gone. What was stored before this migration is
-- not counted.
CREATE TABLE "response_tally" (
    "organisation_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "response_tally_pkey" PRIMARY KEY ("organisation_id","hour")
);
CREATE INDEX "response_tally_hour_idx" ON "response_tally"("hour");
-- Few rows that change all the time, and no indexed column of them.
ALTER TABLE response_tally SET (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "response_tally" ADD CONSTRAINT "response_tally_organisation_id_fkey"
  FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- As in 20261116002600_quotas: NULL takes the configured default; 0 means no limit. Last, because it locks the table.
ALTER TABLE "organisation"
  ADD COLUMN "response_bytes" BIGINT,
  ADD COLUMN "simulated_messages" INTEGER;
ALTER TABLE organisation
  ADD CONSTRAINT organisation_storage_quotas_check CHECK (response_bytes >= 0 AND simulated_messages >= 0);

-- The demo organisation has no limits.
UPDATE organisation SET response_bytes = 0, simulated_messages = 0
WHERE id = '01900000-0000-7000-8000-000000000002';
