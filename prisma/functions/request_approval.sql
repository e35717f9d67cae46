-- Stores the request of a change for another operator, with an entry in the audit log, and returns its id. The same subject
-- has one pending request at a time. Only an operator requests: otherwise one person could request with a login that several
-- people share, or that is not confirmed, and approve with their own.
CREATE OR REPLACE FUNCTION request_approval(
  wanted text, organisation uuid, wanted_subject text, amount bigint, reason text, wanted_change jsonb,
  actor text, command text, target text)
RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  request approval;
BEGIN
  IF NOT EXISTS (
    SELECT FROM operator_login other WHERE is_operator(other.login) AND NOT is_same_principal(other.login, session_user))
  THEN
    RAISE 'This needs the approval of another operator (docs/operate/money.md#approval-by-a-second-person), and there is none. The owner of the tables adds operators: `pnpm admin operators add <name>`. Nothing was changed.';
  END IF;
  IF NOT is_operator(session_user) THEN
    RAISE 'This needs the approval of another operator, and only an operator can request it. % is not an operator, or is not confirmed: connect with your own login (see `pnpm admin operators list`). Nothing was changed.', session_user;
  END IF;
  UPDATE approval SET state = 'expired'
  WHERE action = wanted AND subject = wanted_subject AND state = 'pending' AND expires_at <= now();
  INSERT INTO approval (id, organisation_id, action, subject, kobo, note, change, requested_by, requested_login, expires_at)
  VALUES (uuidv7(), organisation, wanted, wanted_subject, amount, reason, wanted_change, actor, session_user,
    now() + interval '7 days')
  ON CONFLICT (action, subject) WHERE state = 'pending' DO NOTHING
  RETURNING * INTO request;
  IF FOUND THEN
    -- The request itself, which never changes, lists the deliveries of a refund.
    PERFORM add_audit_entry(actor, command, organisation, target, NULL, wanted_change - 'deliveries' || jsonb_strip_nulls(
      jsonb_build_object('approval', request.id, 'state', 'pending', 'naira', trim_scale(amount / 100.0), 'note', reason)));
    RETURN request.id;
  END IF;
  SELECT * INTO STRICT request FROM approval WHERE action = wanted AND subject = wanted_subject AND state = 'pending';
  IF request.kobo IS DISTINCT FROM amount OR request.change <> wanted_change THEN
    RAISE 'This is already requested with other values (%): approve or reject that request first. Nothing was changed.', request.id;
  END IF;
  RETURN request.id;
END $$;
