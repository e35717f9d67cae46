-- What a money function says about each item.
CREATE TYPE money_result AS (
  subject_id uuid, outcome text, kobo bigint, balance bigint, earlier_kind ledger_movement_kind,
  daily_limit bigint, daily_room bigint, category_limit bigint, category_room bigint, remaining bigint);

-- No released version calls it; the files of prisma/functions have its successor.
DROP FUNCTION move_money(ledger_movement_kind, ledger_account_kind, ledger_account_kind, ledger_movement_kind[],
  spend_category, bigint, bigint, uuid[], uuid[], bigint[], text[], spend_category[], date[]);
