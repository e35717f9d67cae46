-- The bytes that an organisation stores as contacts, and imports.

-- The bytes of cells and filters that one statement added or removed, summed up like contact_tally. A table of its own,
-- because workers of the earlier version sum contact_tally up while they are replaced. The length of the text does not
-- depend on how Postgres stores a row, so a row counts the same when it is deleted.
CREATE TABLE contact_size_tally (
  id bigserial PRIMARY KEY,
  table_id uuid NOT NULL,
  delta bigint NOT NULL,
  summed boolean NOT NULL DEFAULT false
);
CREATE INDEX contact_size_tally_table_id_idx ON contact_size_tally (table_id);
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

-- The filters of smartlists count, too. The smartlist of all contacts has none.
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

-- The triggers wait for writers and stop new ones until what exists is counted.
CREATE TRIGGER contact_row_added_size AFTER INSERT ON contact_row
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_row_size_tally();
CREATE TRIGGER contact_row_removed_size AFTER DELETE ON contact_row
  REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION contact_row_size_tally();
CREATE TRIGGER contact_row_changed_size AFTER UPDATE ON contact_row
  REFERENCING OLD TABLE AS earlier NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_row_size_tally();
INSERT INTO contact_size_tally (table_id, delta)
SELECT table_id, sum(octet_length(cells::text)) FROM contact_row GROUP BY table_id;

CREATE TRIGGER smartlist_added_size AFTER INSERT ON smartlist
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION smartlist_size_tally();
CREATE TRIGGER smartlist_removed_size AFTER DELETE ON smartlist
  REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION smartlist_size_tally();
CREATE TRIGGER smartlist_changed_size AFTER UPDATE ON smartlist
  REFERENCING OLD TABLE AS earlier NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION smartlist_size_tally();
INSERT INTO contact_size_tally (table_id, delta)
SELECT table_id, sum(octet_length(filters::text)) FROM smartlist WHERE NOT everyone GROUP BY table_id;

-- Last, because these lock the tables.
ALTER TABLE contact_import
  -- A repeated upload must be of the same file; its parts are deleted as they are processed.
  ADD COLUMN sha256 text,
  ADD COLUMN date_format varchar(10) NOT NULL DEFAULT 'yyyy-mm-dd',
  ADD COLUMN rejected_parts integer NOT NULL DEFAULT 0,
  ADD COLUMN rejected_bytes bigint NOT NULL DEFAULT 0;

-- All rejected lines of an import as a file.
CREATE TABLE contact_rejected_part (
  import_id uuid NOT NULL REFERENCES contact_import (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (import_id, number)
);

-- Where a page of a query ends that is sorted by a column.
ALTER TABLE contact_scroll_page ADD COLUMN last_key text;
