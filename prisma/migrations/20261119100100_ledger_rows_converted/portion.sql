-- The next ones in the order of the unique key.
WITH last AS MATERIALIZED (
  SELECT subject_id, kind FROM ledger_movement ORDER BY subject_id DESC, kind DESC LIMIT 1)
INSERT INTO ledger_movement
SELECT * FROM movements_of_transactions(ARRAY(
  SELECT id FROM ledger_transaction
  WHERE (subject_id, kind) > (
    coalesce((SELECT subject_id FROM last), '00000000-0000-0000-0000-000000000000'),
    coalesce((SELECT kind FROM last), 'top_up'))
  ORDER BY subject_id, kind LIMIT 10000))
