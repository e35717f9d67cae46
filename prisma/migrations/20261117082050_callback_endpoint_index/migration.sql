-- In a migration of its own, so that its build blocks only writes: in one transaction with ALTER TABLE it blocks reads too.
CREATE INDEX callback_endpoint_id_idx ON callback (endpoint_id, id) WHERE endpoint_id IS NOT NULL;
