-- Indexes of callbacks, in a migration of its own as in 20261120000600_message_indexes.
--
-- If several partial indexes have the predicate state = 'pending' while few callbacks are pending, Postgres takes the
-- smallest one for each statement, and reads it as a whole. So each has a predicate of its own, which its statements name:
-- no other index can serve them. The predicates mean the same, because of callback_due_check and callback_end_check, and
-- because 'pending' is the first state.
CREATE INDEX callback_next_attempt_idx ON callback (organisation_id, host, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX callback_unended_idx ON callback (due_since) WHERE ended_at IS NULL;
CREATE INDEX callback_endpoint_id_idx ON callback (endpoint_id, id) WHERE endpoint_id IS NOT NULL;
-- Finds the waiting callbacks of endpoints that were disabled or deleted, or that are still for an earlier host.
CREATE INDEX callback_waiting_endpoint_idx ON callback (endpoint_id, host)
  WHERE state < 'delivered' AND endpoint_id IS NOT NULL;
