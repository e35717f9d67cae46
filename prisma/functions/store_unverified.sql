-- Stores a request of a provider that no worker has verified yet, unless the unverified requests of this provider would exceed
-- 16 MiB. Each counts as at least 1 KiB. A worker verifies it before it is used, and then replaces the digest.
CREATE OR REPLACE FUNCTION store_unverified(request uuid, sender text, request_method text, sealed bytea)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  budget CONSTANT bigint := 16777216;
  size CONSTANT int := greatest(octet_length(sealed), 1024);
  -- The first 48 bits of the id are its time in ms.
  made_at CONSTANT timestamptz := to_timestamp(('x' || left(replace(request::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
BEGIN
  IF made_at NOT BETWEEN now() - interval '1 minute' AND now() + interval '1 minute' THEN
    RAISE 'The time in the id % differs from the time of the database by more than a minute: compare the clocks of the gateway and the database.', request
      USING ERRCODE = 'check_violation', CONSTRAINT = 'unverified_request_time';
  END IF;
  IF NOT EXISTS (SELECT FROM provider WHERE name = sender AND sealed_token IS NOT NULL) THEN
    RETURN false;
  END IF;
  -- Requests of one provider wait for each other, so that together they keep within the budget.
  PERFORM pg_advisory_xact_lock(hashtextextended('unverified ' || sender, 0));
  IF size + (SELECT coalesce(sum(unverified_bytes), 0) FROM inbound_request
      WHERE provider = sender AND unverified_bytes IS NOT NULL) > budget THEN
    RETURN false;
  END IF;
  INSERT INTO inbound_request (id, provider, digest, method, sealed_content, next_attempt_at, unverified_bytes)
  VALUES (request, sender, sha256(sealed), request_method, sealed, now(), size);
  RETURN true;
END $$;
