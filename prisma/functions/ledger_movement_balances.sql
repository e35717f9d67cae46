-- A statement that inserts movements has set the balances that they state: if an update was lost or changed another
-- account, the statement is undone.
CREATE OR REPLACE FUNCTION ledger_movement_balances() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  wrong record;
BEGIN
  SELECT last.organisation_id, last.account INTO wrong
  FROM (
    SELECT DISTINCT ON (organisation_id, account) organisation_id, account, after
    FROM fresh CROSS JOIN LATERAL (VALUES
      ('wallet'::ledger_account_kind, wallet_after), ('reserved', reserved_after)) AS side (account, after)
    WHERE account IN (from_account, to_account)
    ORDER BY organisation_id, account, id DESC) last
  LEFT JOIN ledger_account account ON account.organisation_id = last.organisation_id AND account.kind = last.account
  WHERE last.after IS DISTINCT FROM account.balance LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the balance of the % of organisation % is not what its last movement says', wrong.account, wrong.organisation_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_movement_balances', TABLE = 'ledger_movement',
            HINT = 'Change the balance before the movement is inserted.';
  END IF;
  RETURN NULL;
END $$;
