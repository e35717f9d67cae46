-- Replaced by the indexes of the last three migrations.
DROP INDEX callback_due_idx, callback_due_since_idx, callback_pending_endpoint_host_idx;
