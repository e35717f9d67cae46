-- The last requests that paused, resumed or canceled a message. One that comes again changes nothing.
ALTER TABLE message ADD COLUMN change_ids uuid[] NOT NULL DEFAULT '{}';

-- A cancellation that waits for a provider. Other changes are carried out before it.
ALTER TABLE message_change ADD COLUMN waits boolean NOT NULL DEFAULT false;

CREATE INDEX message_change_waits_next_attempt_at_idx ON message_change (waits, next_attempt_at);
