-- See 20261118010000_callback_next_attempt_index.
CREATE INDEX callback_waiting_endpoint_idx ON callback (endpoint_id, host)
  WHERE state < 'delivered' AND endpoint_id IS NOT NULL;
