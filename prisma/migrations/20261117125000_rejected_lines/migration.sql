-- All rejected lines of an import as a file, and the notation of its dates.
ALTER TABLE contact_import
  ADD COLUMN date_format varchar(10) NOT NULL DEFAULT 'yyyy-mm-dd',
  ADD COLUMN rejected_parts integer NOT NULL DEFAULT 0,
  ADD COLUMN rejected_bytes bigint NOT NULL DEFAULT 0;

CREATE TABLE contact_rejected_part (
  import_id uuid NOT NULL REFERENCES contact_import (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (import_id, number)
);
