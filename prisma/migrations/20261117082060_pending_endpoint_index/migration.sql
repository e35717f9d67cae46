-- Finds the pending callbacks of endpoints that were disabled or deleted.
CREATE INDEX callback_pending_endpoint_idx ON callback (endpoint_id) WHERE state = 'pending' AND endpoint_id IS NOT NULL;
