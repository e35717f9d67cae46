-- Carries a change out, with its entry in the audit log, or requests the approval of another operator.
CREATE OR REPLACE FUNCTION change_or_request(
  is_approval_needed boolean, action text, organisation uuid, subject text, amount bigint, reason text, change jsonb,
  actor text, command text, target text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  done jsonb;
BEGIN
  IF is_approval_needed THEN
    RETURN jsonb_build_object('state', 'pending', 'approval',
      request_approval(action, organisation, subject, amount, reason, change, actor, command, target));
  END IF;
  done := apply_change(action, organisation, subject, amount, reason, change);
  -- A booking that was made earlier changes nothing.
  IF coalesce((done ->> 'moved')::boolean, true) THEN
    PERFORM add_audit_entry(actor, command, organisation, target, done -> 'before', done -> 'after');
    IF amount IS NOT NULL THEN
      PERFORM count_unapproved(organisation, amount);
    END IF;
  END IF;
  RETURN done || '{"state": "done"}';
END $$;
