-- What an organisation may store. NULL takes the configured default; 0 means no limit.
ALTER TABLE "organisation"
  ADD COLUMN "contact_rows" INTEGER,
  ADD COLUMN "stored_bytes" BIGINT,
  ADD COLUMN "unfinished_imports" INTEGER,
  ADD COLUMN "waiting_callbacks" INTEGER;
ALTER TABLE organisation
  ADD CONSTRAINT organisation_quotas_check CHECK (
    contact_rows >= 0 AND stored_bytes >= 0 AND unfinished_imports >= 0 AND waiting_callbacks >= 0);

-- The demo organisation has no limits.
UPDATE organisation SET contact_rows = 0, stored_bytes = 0, unfinished_imports = 0, waiting_callbacks = 0
WHERE id = '01900000-0000-7000-8000-000000000002';

-- The bytes of cells that one statement added or removed, summed up like contact_tally. A table of its own, because workers
-- of the earlier version sum contact_tally up while they are replaced. The length of the text does not depend on how
-- Postgres stores a row, so a row counts the same when it is deleted.
CREATE TABLE "contact_size_tally" (
    "id" BIGSERIAL NOT NULL,
    "table_id" UUID NOT NULL,
    "delta" BIGINT NOT NULL,
    "summed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "contact_size_tally_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "contact_size_tally_table_id_idx" ON "contact_size_tally"("table_id");
CREATE INDEX contact_size_tally_fresh_idx ON contact_size_tally (id) WHERE NOT summed;

CREATE FUNCTION contact_row_size_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO contact_size_tally (table_id, delta)
    SELECT table_id, sum(octet_length(cells::text)) FROM changed GROUP BY table_id;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO contact_size_tally (table_id, delta)
    SELECT table_id, -sum(octet_length(cells::text)) FROM earlier GROUP BY table_id;
  ELSE
    INSERT INTO contact_size_tally (table_id, delta)
    SELECT table_id, sum(bytes) FROM (
      SELECT table_id, octet_length(cells::text) AS bytes FROM changed
      UNION ALL
      SELECT table_id, -octet_length(cells::text) FROM earlier) AS sizes
    GROUP BY table_id HAVING sum(bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;
-- They wait for writers and stop new ones until the rows below are counted.
CREATE TRIGGER contact_row_added_size AFTER INSERT ON contact_row
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_row_size_tally();
CREATE TRIGGER contact_row_removed_size AFTER DELETE ON contact_row
  REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION contact_row_size_tally();
CREATE TRIGGER contact_row_changed_size AFTER UPDATE ON contact_row
  REFERENCING OLD TABLE AS earlier NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_row_size_tally();
INSERT INTO contact_size_tally (table_id, delta)
SELECT table_id, sum(octet_length(cells::text)) FROM contact_row GROUP BY table_id;
