-- Finds the messages of which some recipient failed. Nearly all deliveries are in other states, and pay nothing for it.
-- In a migration of its own, so that the build blocks only writes.
CREATE INDEX delivery_failed_idx ON delivery (organisation_id, state, message_id)
  WHERE message_id IS NOT NULL AND state IN ('undelivered', 'expired', 'rejected', 'failed', 'canceled');
