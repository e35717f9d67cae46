-- One row per movement of money instead of a transaction with two entries, which the next migration converts.

-- What counts against a limit of spending.
CREATE TYPE spend_category AS ENUM ('message', 'otp', 'airtime', 'lookup');

-- What an organisation spends in a day (UTC), per category, beside the balance of its wallet: the lock of the balance
-- protects the counters too. `spent_on` is the day that they count for. When the balance falls below `low_balance_kobo`,
-- the endpoints of the organisation get `balance.low`; NULL: never.
ALTER TABLE ledger_account
  ADD COLUMN spent_on date,
  ADD COLUMN message_spent_kobo bigint NOT NULL DEFAULT 0,
  ADD COLUMN otp_spent_kobo bigint NOT NULL DEFAULT 0,
  ADD COLUMN airtime_spent_kobo bigint NOT NULL DEFAULT 0,
  ADD COLUMN lookup_spent_kobo bigint NOT NULL DEFAULT 0,
  ADD COLUMN low_balance_kobo bigint,
  ADD CONSTRAINT ledger_account_spent_check CHECK (
    message_spent_kobo >= 0 AND otp_spent_kobo >= 0 AND airtime_spent_kobo >= 0 AND lookup_spent_kobo >= 0),
  ADD CONSTRAINT ledger_account_low_balance_check
    CHECK (low_balance_kobo IS NULL OR (low_balance_kobo > 0 AND kind = 'wallet'));
-- Room for the new versions of rows: updates change no indexed column, so they stay in their page (HOT updates), no index is
-- written, and the next reader of the page removes the old version. Few rows that change all the time: vacuumed after 1,000
-- changes, however many rows there are.
ALTER TABLE ledger_account SET (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The unique keys begin with the subject. Its id is a UUIDv7, in the order of time, so the table can be partitioned by ranges
-- of `subject_id`, and each partition still enforces that money moves once per subject and kind. Ids of payments with a
-- reference are hashes: most are greater than every UUIDv7, so they need a default partition.
CREATE TABLE ledger_movement (
  subject_id uuid NOT NULL,
  kind ledger_transaction_kind NOT NULL,
  id uuid NOT NULL,
  organisation_id uuid NOT NULL,
  from_account ledger_account_kind NOT NULL,
  to_account ledger_account_kind NOT NULL,
  kobo bigint NOT NULL,
  wallet_after bigint,
  reserved_after bigint,
  charge_id uuid,
  refunded_after bigint,
  note text,
  -- The day (UTC) on whose limits it counts: refunds of the same day give back what they refund.
  category spend_category,
  spent_on date,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (subject_id, kind),
  CONSTRAINT ledger_movement_kobo_check CHECK (kobo > 0 AND from_account <> to_account)
) WITH (
  -- Rows that are only added: frozen in small portions instead of in one large vacuum against transaction id wraparound.
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX ledger_movement_organisation_id_kind_id_idx ON ledger_movement (organisation_id, kind, id);
CREATE INDEX ledger_movement_charge_idx ON ledger_movement (charge_id, refunded_after) WHERE charge_id IS NOT NULL;
-- A purchase is posted or voided, never both.
CREATE UNIQUE INDEX ledger_movement_settled_key ON ledger_movement (subject_id) WHERE kind IN ('post', 'void');

-- The movements that these transactions were; nothing for one that has not two entries of its organisation.
CREATE FUNCTION movements_of_transactions(ids uuid[]) RETURNS SETOF ledger_movement
LANGUAGE sql STABLE SET search_path FROM CURRENT SET enable_seqscan = off AS $$
  SELECT moved.subject_id, moved.kind, moved.id, moved.organisation_id, pair.from_account, pair.to_account, pair.kobo,
    pair.wallet_after, pair.reserved_after,
    -- The message of the delivery that was refunded, or the message or OTP itself.
    CASE moved.kind WHEN 'refund' THEN coalesce(
      (SELECT message_id FROM delivery WHERE delivery.id = moved.subject_id),
      overlay(moved.subject_id::text PLACING '7' FROM 15)::uuid) END,
    NULL::bigint, moved.note, NULL::spend_category, NULL::date, moved.created_at
  FROM ledger_transaction moved
  CROSS JOIN LATERAL (
    SELECT max(account.kind) FILTER (WHERE amount < 0) AS from_account,
      max(account.kind) FILTER (WHERE amount > 0) AS to_account, max(amount) AS kobo,
      max(balance_after) FILTER (WHERE account.kind = 'wallet') AS wallet_after,
      max(balance_after) FILTER (WHERE account.kind = 'reserved') AS reserved_after
    FROM ledger_entry entry JOIN ledger_account account ON account.id = entry.account_id
    WHERE entry.transaction_id = moved.id
    HAVING count(*) = 2 AND sum(amount) = 0 AND bool_and(account.organisation_id = moved.organisation_id)) pair
  WHERE moved.id = ANY (ids)
$$;

-- What the operator calls a payment, such as the number of an invoice. The id of a payment is derived from it.
CREATE TABLE payment_reference (
  subject_id uuid PRIMARY KEY,
  reference varchar(255) NOT NULL
);

-- The limits of spending per day that apply to an organisation without its own, in kobo; 0 means no limit. `pnpm migrate`
-- and `pnpm start` change them; no app may.
CREATE TABLE money_limit (
  name varchar(32) PRIMARY KEY,
  kobo bigint NOT NULL CHECK (kobo >= 0)
);
INSERT INTO money_limit (name, kobo) VALUES
  ('daily_spend', 500000000), ('message_daily_spend', 0), ('otp_daily_spend', 0), ('airtime_daily_spend', 50000000),
  ('lookup_daily_spend', 0);
