-- When the balance of a wallet falls below this amount, the endpoints of its organisation get `balance.low`. NULL: never.
ALTER TABLE ledger_account ADD COLUMN low_balance_kobo bigint;
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_low_balance_check
  CHECK (low_balance_kobo IS NULL OR (low_balance_kobo > 0 AND kind = 'wallet'));

-- A trigger, because many statements of several apps move money, some of which may not read endpoints. It runs as its
-- owner, in the transaction of the movement. Its condition is checked without a call, so a wallet that stays above the
-- threshold, or has none, costs a comparison.
CREATE FUNCTION report_low_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
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
REVOKE EXECUTE ON FUNCTION report_low_balance() FROM PUBLIC;

CREATE TRIGGER ledger_account_low_balance AFTER UPDATE OF balance ON ledger_account FOR EACH ROW
  WHEN (NEW.balance < NEW.low_balance_kobo AND OLD.balance >= NEW.low_balance_kobo)
  EXECUTE FUNCTION report_low_balance();
