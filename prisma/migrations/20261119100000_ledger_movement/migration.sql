-- One row per movement of money instead of a transaction with two entries, which the next migration converts.
--
-- The unique keys begin with the subject. Its id is a UUIDv7, in the order of time, so the table can be partitioned by ranges
-- of `subject_id`, and each partition still enforces that money moves once per subject and kind. Ids of payments with a
-- reference are hashes: most are greater than every UUIDv7, so they need a default partition.
CREATE TABLE "ledger_movement" (
    "subject_id" UUID NOT NULL,
    "kind" "ledger_transaction_kind" NOT NULL,
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "from_account" "ledger_account_kind" NOT NULL,
    "to_account" "ledger_account_kind" NOT NULL,
    "kobo" BIGINT NOT NULL,
    "wallet_after" BIGINT,
    "reserved_after" BIGINT,
    "charge_id" UUID,
    "refunded_after" BIGINT,
    "note" TEXT,
    "category" "spend_category",
    "spent_on" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_movement_pkey" PRIMARY KEY ("subject_id","kind")
);
CREATE INDEX "ledger_movement_organisation_id_kind_id_idx" ON "ledger_movement"("organisation_id", "kind", "id");
CREATE INDEX ledger_movement_charge_idx ON ledger_movement (charge_id, refunded_after) WHERE charge_id IS NOT NULL;
-- A purchase is posted or voided, never both.
CREATE UNIQUE INDEX ledger_movement_settled_key ON ledger_movement (subject_id) WHERE kind IN ('post', 'void');

ALTER TABLE ledger_movement
  ADD CONSTRAINT ledger_movement_kobo_check CHECK (kobo > 0 AND from_account <> to_account);

-- Rows that are only added: frozen in small portions instead of in one large vacuum against transaction id wraparound.
ALTER TABLE ledger_movement SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- The movements that these transactions were; nothing for one that has not two entries of its organisation.
CREATE FUNCTION movements_of_transactions(ids uuid[]) RETURNS SETOF ledger_movement
LANGUAGE sql STABLE SET search_path FROM CURRENT SET enable_seqscan = off AS $$
  SELECT moved.subject_id, moved.kind, moved.id, moved.organisation_id, pair.from_account, pair.to_account, pair.kobo,
    pair.wallet_after, pair.reserved_after,
    -- The message of the delivery that was refunded, or the message or OTP itself.
    CASE moved.kind WHEN 'refund' THEN coalesce(
      (SELECT message_id FROM delivery WHERE delivery.id = moved.subject_id),
      overlay(moved.subject_id::text PLACING '7' FROM 15)::uuid) END,
    NULL::bigint, moved.note, moved.category, moved.spent_on, moved.created_at
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
