-- Finds the waiting callbacks of an endpoint that are still for an earlier host. It replaces the index without the host.
CREATE INDEX callback_pending_endpoint_host_idx ON callback (endpoint_id, host)
  WHERE state = 'pending' AND endpoint_id IS NOT NULL;
DROP INDEX callback_pending_endpoint_idx;
