-- Suspended organisations are few. Workers list them by these indexes.
CREATE INDEX organisation_suspended_idx ON organisation (id) WHERE status = 'suspended';
CREATE INDEX account_suspended_idx ON account (id) WHERE status = 'suspended';

-- Workers claim these rows organisation by organisation: the held rows of a suspended one cost a single lookup.
DROP INDEX message_expansion_due_idx;
CREATE INDEX message_expansion_due_idx ON message_expansion (organisation_id, next_attempt_at) WHERE state = 'expanding';
CREATE INDEX airtime_purchase_pending_idx ON airtime_purchase (organisation_id, next_attempt_at) WHERE state = 'pending';
-- Submitted purchases are settled in the order in which they are due, also those of suspended organisations.
DROP INDEX airtime_purchase_due_idx;
CREATE INDEX airtime_purchase_due_idx ON airtime_purchase (next_attempt_at)
  WHERE next_attempt_at IS NOT NULL AND state <> 'pending';
