-- Usually empty. In a migration of its own, so that the build blocks only writes.
CREATE INDEX delivery_suspect_idx ON delivery (lane, next_attempt_at) WHERE worker_deaths > 0 AND state = 'submitting';
