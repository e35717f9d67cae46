-- Approves a request and carries it out, or rejects it. Only an operator other than its requester can approve.
CREATE OR REPLACE FUNCTION decide_request(wanted uuid, decision approval_state, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  request approval;
  deliveries uuid[];
  done jsonb := '{}';
BEGIN
  SELECT * INTO request FROM approval WHERE id = wanted;
  -- Before the request, as a booking or a refund does.
  IF decision = 'approved' AND request.action IN ('top_up', 'adjustment', 'refund') THEN
    IF request.action = 'refund' THEN
      deliveries := ARRAY(SELECT jsonb_array_elements_text(request.change -> 'deliveries')::uuid);
      PERFORM FROM lock_unanswered(request.organisation_id, deliveries, 'refund');
    END IF;
    PERFORM lock_wallets(ARRAY[request.organisation_id]);
  END IF;
  SELECT * INTO request FROM approval WHERE id = wanted FOR UPDATE;
  IF NOT FOUND THEN
    RAISE 'There is no request %: `pnpm admin approvals` lists them.', wanted;
  ELSIF request.state IN ('approved', 'rejected') THEN
    RAISE 'The request % was % by % at %.', wanted, request.state, request.decided_by,
      to_char(request.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
  ELSIF request.state = 'expired' OR request.expires_at <= now() THEN
    RAISE 'The request % expired at %: request it again.', wanted,
      to_char(request.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
  ELSIF decision = 'approved' THEN
    IF is_same_principal(session_user, request.requested_login) THEN
      RAISE '% has requested this, so another operator must approve it. You are connected to the database as %.',
        request.requested_by, session_user;
    ELSIF NOT is_operator(session_user) THEN
      RAISE 'Only an operator can approve. % is not an operator, or is not confirmed: see `pnpm admin operators list`.', session_user;
    END IF;
    IF request.action = 'refund' THEN
      done := settle_unanswered(request.organisation_id, deliveries, 'refund', actor, 'approve');
      IF done -> 'after' -> 'deliveries' = '0' THEN
        RAISE 'All of these deliveries have been answered or decided since: run `pnpm admin reject %`.', wanted;
      END IF;
    ELSE
      done := apply_change(request.action, request.organisation_id, request.subject, request.kobo, request.note, request.change);
    END IF;
    IF done ->> 'moved' = 'false' THEN
      RAISE 'This reference is already booked, without this request: run `pnpm admin reject %`.', wanted;
    END IF;
  ELSIF decision <> 'rejected' THEN
    RAISE 'A request is approved or rejected.';
  END IF;
  UPDATE approval SET state = decision, decided_by = actor, decided_login = session_user, decided_at = now()
  WHERE id = wanted;
  PERFORM add_audit_entry(actor, CASE decision WHEN 'approved' THEN 'approve' ELSE 'reject' END, request.organisation_id,
    coalesce(organisation_label(request.organisation_id), request.subject),
    jsonb_build_object('approval', wanted, 'state', 'pending', 'requested_by', request.requested_by,
      'requested_login', request.requested_login) || coalesce(done -> 'before', '{}'),
    jsonb_strip_nulls(jsonb_build_object('state', decision, 'action', request.action, 'subject', request.subject,
      'naira', trim_scale(request.kobo / 100.0), 'note', request.note)) || coalesce(done -> 'after', '{}'));
  RETURN done || jsonb_build_object('state', decision);
END $$;
