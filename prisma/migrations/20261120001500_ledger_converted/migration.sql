-- `portion.sql` has converted the rows while the ledger was in use. This converts what was booked since, compares every
-- balance, and drops the old tables: from here on the earlier version can move no money. The accounts first, so that what
-- holds a lock of a wallet can end.
LOCK TABLE ledger_account, ledger_transaction, ledger_entry IN ACCESS EXCLUSIVE MODE;

INSERT INTO ledger_movement
SELECT * FROM movements_of_transactions(ARRAY(
  SELECT id FROM ledger_transaction moved WHERE NOT EXISTS (
    SELECT FROM ledger_movement WHERE subject_id = moved.subject_id AND kind = moved.kind)));

DO $$
DECLARE
  faults text;
  converted bigint;
  accounts bigint;
BEGIN
  SELECT string_agg(id::text, ', ') INTO faults FROM (
    SELECT id FROM ledger_transaction moved WHERE NOT EXISTS (
      SELECT FROM ledger_movement WHERE subject_id = moved.subject_id AND kind = moved.kind)
    LIMIT 10) missing;
  IF faults IS NOT NULL THEN
    RAISE EXCEPTION 'these ledger transactions have not two entries of their organisation that sum to zero: %', faults
      USING HINT = 'Repair them with the earlier version: pnpm admin ledger check';
  END IF;

  -- The stored balance, the sum of the entries and the sum of the movements; and the balances after each of them.
  WITH entries AS (
    SELECT account_id, sum(amount) AS total, sum(balance_after) AS afters FROM ledger_entry GROUP BY account_id
  ), movements AS (
    SELECT organisation_id, account, sum(amount) AS total, sum(after) AS afters
    FROM ledger_movement CROSS JOIN LATERAL (VALUES
      (from_account, -kobo, CASE from_account WHEN 'wallet' THEN wallet_after WHEN 'reserved' THEN reserved_after END),
      (to_account, kobo, CASE to_account WHEN 'wallet' THEN wallet_after WHEN 'reserved' THEN reserved_after END))
      AS side (account, amount, after)
    GROUP BY organisation_id, account
  ), compared AS (
    SELECT account.id, account.organisation_id, account.kind, account.balance, coalesce(entries.total, 0) AS before,
      coalesce(movements.total, 0) AS now, entries.afters IS NOT DISTINCT FROM movements.afters AS is_same
    FROM ledger_account account
    LEFT JOIN entries ON entries.account_id = account.id
    LEFT JOIN movements ON movements.organisation_id = account.organisation_id AND movements.account = account.kind)
  SELECT (SELECT count(*) FROM compared), (SELECT count(*) FROM ledger_movement), (
    SELECT string_agg(fault, '; ') FROM (
      SELECT format('%s of organisation %s: stored %s, entries %s, movements %s', kind, organisation_id, balance, before, now)
        AS fault
      FROM compared WHERE balance <> before OR before <> now OR NOT is_same LIMIT 10) different)
  INTO accounts, converted, faults;
  IF faults IS NOT NULL THEN
    RAISE EXCEPTION 'balances differ: %', faults
      USING HINT = 'Repair them with the earlier version: pnpm admin ledger check';
  END IF;
  IF converted <> (SELECT count(*) FROM ledger_transaction) THEN
    RAISE EXCEPTION '% movements of % transactions', converted, (SELECT count(*) FROM ledger_transaction);
  END IF;
  IF converted > 0 THEN
    RAISE INFO 'Ledger: % movements converted; the balances of % accounts are the same', converted, accounts;
  END IF;
END $$;

-- What operators have booked before there was an audit log gets its entries now: `ledger check` compares all of it.
INSERT INTO audit_log (id, actor, action, organisation_id, target, after)
SELECT uuidv7(), 'pnpm migrate', 'ledger convert', organisation_id, organisation_label(organisation_id),
  jsonb_strip_nulls(jsonb_build_object('kind', kind, 'subject', subject_id, 'note', note,
    'naira', trim_scale(CASE to_account WHEN 'wallet' THEN kobo ELSE -kobo END / 100.0)))
FROM ledger_movement WHERE kind IN ('top_up', 'adjustment') ORDER BY id;

DROP TABLE ledger_entry, ledger_transaction;
DROP FUNCTION movements_of_transactions, ledger_entry_balances;
ALTER TYPE ledger_transaction_kind RENAME TO ledger_movement_kind;

-- The counters of ledger_account replace otp_spend. The OTPs of today start from what it holds.
UPDATE ledger_account SET spent_on = day, otp_spent_kobo = kobo
FROM otp_spend
WHERE otp_spend.organisation_id = ledger_account.organisation_id AND kind = 'wallet'
  AND day = (clock_timestamp() AT TIME ZONE 'UTC')::date;

-- What a money function says about each item.
CREATE TYPE money_result AS (
  subject_id uuid, outcome text, kobo bigint, balance bigint, earlier_kind ledger_movement_kind,
  daily_limit bigint, daily_room bigint, category_limit bigint, category_room bigint, remaining bigint);

-- The texts of the next two functions are in prisma/functions.
CREATE FUNCTION ledger_movement_balances() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER ledger_movement_balances AFTER INSERT ON ledger_movement
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION ledger_movement_balances();

-- Its condition is checked without a call, so a wallet that stays above the threshold, or has none, costs a comparison.
CREATE FUNCTION report_low_balance() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER ledger_account_low_balance AFTER UPDATE OF balance ON ledger_account FOR EACH ROW
  WHEN (NEW.balance < NEW.low_balance_kobo AND OLD.balance >= NEW.low_balance_kobo)
  EXECUTE FUNCTION report_low_balance();

CREATE OR REPLACE FUNCTION ledger_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % refused: the ledger is written once', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_written_once', TABLE = TG_TABLE_NAME,
          HINT = 'Correct it with a further movement.';
END $$;
CREATE TRIGGER ledger_movement_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_movement
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_written_once();
-- Movements have no foreign key: the accounts of an organisation stay, and with them the organisation.
CREATE TRIGGER ledger_account_kept BEFORE DELETE OR TRUNCATE ON ledger_account
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_written_once();

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
