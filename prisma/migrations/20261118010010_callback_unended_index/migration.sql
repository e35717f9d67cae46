-- See 20261118010000_callback_next_attempt_index.
CREATE INDEX callback_unended_idx ON callback (due_since) WHERE ended_at IS NULL;
