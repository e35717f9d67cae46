-- The trigger of `ledger_account` for a balance that falls below the threshold of its wallet: many statements of several
-- apps move money, and some of them may not read endpoints. It runs as its owner, in the transaction of the movement.
CREATE OR REPLACE FUNCTION report_low_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  at CONSTANT timestamptz := date_trunc('milliseconds', now());
  shown CONSTANT text := to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || '000+00:00';
  body CONSTANT text := json_build_object('type', 'balance.low', 'timestamp', shown, 'data', json_build_object(
    'available_balance', trim_scale(NEW.balance::numeric / 100), 'threshold',
    trim_scale(NEW.low_balance_kobo::numeric / 100), 'currency', 'NGN'))::text;
BEGIN
  INSERT INTO callback (id, organisation_id, endpoint_id, type, resource_id, url, host, body, request_id, due_since,
    next_attempt_at)
  SELECT new_id, endpoint.organisation_id, endpoint.id, 'balance.low', endpoint.organisation_id, endpoint.url,
    endpoint.host, body, new_id::text, at, at
  FROM callback_endpoint AS endpoint CROSS JOIN LATERAL (SELECT uuidv7() AS new_id WHERE endpoint.id IS NOT NULL) AS new_row
  WHERE endpoint.organisation_id = NEW.organisation_id AND endpoint.enabled AND 'balance.low' = ANY (endpoint.events);
  RETURN NULL;
END $$;
