-- Indexes of messages, deliveries and OTPs. In a migration of its own, so that a build blocks only writes: in one
-- transaction with ALTER TABLE it blocks reads too.

-- `GET /sms` by external_ref, and by recipient: a message has a recipient once.
CREATE INDEX message_external_ref_idx ON message (organisation_id, external_ref, id) WHERE external_ref IS NOT NULL;
CREATE INDEX delivery_recipient_idx ON delivery (organisation_id, recipient, message_id) WHERE message_id IS NOT NULL;
-- The deliveries of a message, also of those in one state.
CREATE INDEX delivery_message_state_idx ON delivery (message_id, state) WHERE message_id IS NOT NULL;
-- Finds the messages of which some recipient failed. Nearly all deliveries are in other states, and pay nothing for it.
CREATE INDEX delivery_failed_idx ON delivery (organisation_id, state, message_id)
  WHERE message_id IS NOT NULL AND state IN ('undelivered', 'expired', 'rejected', 'failed', 'canceled');
-- Counts the sends of OTPs after the first, whose delivery has the id of its OTP.
CREATE INDEX delivery_further_send_idx ON delivery (organisation_id, left(recipient, -4), created_at)
  WHERE otp_id IS NOT NULL AND id <> otp_id;
-- Usually empty: deliveries whose workers died, and those that a provider may have accepted and that are still charged.
CREATE INDEX delivery_suspect_idx ON delivery (lane, next_attempt_at) WHERE worker_deaths > 0 AND state = 'submitting';
CREATE INDEX delivery_unanswered_idx ON delivery (created_at) WHERE NOT refunded AND resolution IS NULL AND (
  state = 'submitting' AND lease_holder IS NULL
  OR state = 'expired' AND error_code = 'no_answer'
  OR state = 'undelivered' AND unanswered_by IS NOT NULL);

CREATE INDEX otp_due_idx ON otp (due_at) WHERE due_at IS NOT NULL;
