-- The bytes of a request that no worker has verified. Requests of earlier versions were verified before they were stored.
ALTER TABLE inbound_request ADD COLUMN unverified_bytes integer;
