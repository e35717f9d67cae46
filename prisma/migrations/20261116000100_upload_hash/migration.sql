-- A repeated upload must be of the same file; its parts are deleted as they are processed.
ALTER TABLE contact_import ADD COLUMN sha256 text;
