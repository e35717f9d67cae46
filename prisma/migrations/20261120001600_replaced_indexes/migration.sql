-- Submitted purchases are settled in the order in which they are due, also those of suspended organisations. Pending ones
-- have airtime_purchase_pending_idx.
DROP INDEX airtime_purchase_due_idx;
CREATE INDEX airtime_purchase_due_idx ON airtime_purchase (next_attempt_at)
  WHERE next_attempt_at IS NOT NULL AND state <> 'pending';

-- Indexes that those of 20261120000600_message_indexes and 20261120000800_callback_indexes replace. Not dropped there, because
-- DROP INDEX waits for readers: after a build in the same transaction it could end in a deadlock with them. Dropped last,
-- because version 0.2 needs them, and works until the ledger is converted.
DROP INDEX delivery_message_id_idx, delivery_state_idx, callback_due_idx, callback_due_since_idx;
