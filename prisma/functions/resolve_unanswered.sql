-- Carries out what an operator decides about deliveries of an organisation without an answer, or requests the approval of a refund.
-- `together` is what the whole command still has to refund: it can only be compared with the limit as more, and what was refunded
-- without an approval is counted in any case.
CREATE OR REPLACE FUNCTION resolve_unanswered(organisation uuid, deliveries uuid[], decision text, together bigint, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
  command CONSTANT text := 'messages unanswered';
  found uuid[];
  kobo bigint;
BEGIN
  IF coalesce(decision, '') NOT IN ('refund', 'resend', 'keep') OR cardinality(deliveries) > 10000 THEN
    RAISE 'A decision is refund, resend or keep, and is about at most 10000 deliveries.';
  END IF;
  SELECT array_agg(own.id ORDER BY own.id), sum(own.charge_kobo) INTO found, kobo
  FROM lock_unanswered(organisation, deliveries, decision) own;
  IF found IS NULL THEN
    RETURN '{"state": "unchanged"}';
  END IF;
  IF decision = 'refund' THEN
    -- After the deliveries, as in workers, and before the setting of approvals.
    PERFORM lock_wallets(ARRAY[organisation]);
    IF needs_approval(organisation, greatest(kobo, together)) THEN
      RETURN jsonb_build_object('state', 'pending', 'approval', request_approval('refund', organisation, found[1]::text, kobo, NULL,
        jsonb_build_object('deliveries', found), actor, command, cardinality(found) || ' deliveries from ' || found[1]));
    END IF;
    PERFORM count_unapproved(organisation, kobo);
  END IF;
  RETURN settle_unanswered(organisation, found, decision, actor, command) || '{"state": "done"}';
END $$;
