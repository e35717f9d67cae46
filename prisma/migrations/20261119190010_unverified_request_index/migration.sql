-- See 20261118010000_callback_next_attempt_index.
CREATE INDEX inbound_request_unverified_idx ON inbound_request (provider, unverified_bytes) WHERE unverified_bytes IS NOT NULL;
