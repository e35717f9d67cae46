-- The deliveries of a message, also of those in one state. Replaces the index on message_id, and with
-- delivery_failed_idx that on state. In a migration of its own, so that the build blocks only writes.
CREATE INDEX delivery_message_state_idx ON delivery (message_id, state) WHERE message_id IS NOT NULL;
