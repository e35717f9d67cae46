-- The next ones in the order of the unique key, which is that of time for UUIDv7. Ids that are hashes (version 8), such as
-- those of payments with a reference, or random (4) are few and left to `migration.sql`: most of them are greater than all
-- UUIDv7, so nothing would be found after them. Not `= 7`: Postgres would expect few rows, and sort the rest each time.
WITH last AS MATERIALIZED (
  SELECT subject_id, kind FROM ledger_movement WHERE uuid_extract_version(subject_id) <> ALL ('{4,8}')
  ORDER BY subject_id DESC, kind DESC LIMIT 1)
INSERT INTO ledger_movement
SELECT * FROM movements_of_transactions(ARRAY(
  SELECT id FROM ledger_transaction
  WHERE (subject_id, kind) > (
    coalesce((SELECT subject_id FROM last), '00000000-0000-0000-0000-000000000000'),
    coalesce((SELECT kind FROM last), 'top_up')) AND uuid_extract_version(subject_id) <> ALL ('{4,8}')
  ORDER BY subject_id, kind LIMIT $1::int))
