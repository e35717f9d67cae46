-- Deliveries that a provider may have accepted, and that are still charged. Usually empty. In a migration of its own, so
-- that the build blocks only writes.
CREATE INDEX delivery_unanswered_idx ON delivery (created_at) WHERE NOT refunded AND resolution IS NULL AND (
  state = 'submitting' AND lease_holder IS NULL
  OR state = 'expired' AND error_code = 'no_answer'
  OR state = 'undelivered' AND unanswered_by IS NOT NULL);
