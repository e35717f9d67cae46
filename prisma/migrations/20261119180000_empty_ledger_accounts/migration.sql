-- Operators may open the accounts of a new organisation, but not with money in them: only movements change a balance.
CREATE FUNCTION ledger_account_empty() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an account of the ledger begins with a balance of 0' USING
    ERRCODE = 'check_violation', CONSTRAINT = 'ledger_account_empty', TABLE = TG_TABLE_NAME,
    HINT = 'Book what comes in with a movement.';
END $$;
REVOKE EXECUTE ON FUNCTION ledger_account_empty FROM PUBLIC;
CREATE TRIGGER ledger_account_empty BEFORE INSERT ON ledger_account
  FOR EACH ROW WHEN (NEW.balance <> 0) EXECUTE FUNCTION ledger_account_empty();
