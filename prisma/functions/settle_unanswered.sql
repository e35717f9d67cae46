-- Carries out a decision about deliveries of an organisation, as far as they still have no answer, with an entry in the audit log
-- for each. Ended ones are refunded; open ones become due, and a worker refunds or sends them again. Only the functions of operators
-- call it, which check whether an approval is needed.
CREATE OR REPLACE FUNCTION settle_unanswered(organisation uuid, deliveries uuid[], decision text, actor text, command text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
  settled uuid[];
  ended uuid[];
  charges uuid[];
  amounts bigint[];
  total bigint;
BEGIN
  SELECT array_agg(own.id), coalesce(sum(own.charge_kobo), 0), array_agg(own.id) FILTER (WHERE is_ended),
    -- The first delivery of an OTP has its id; each further one is charged by itself.
    array_agg(coalesce(own.message_id, own.id)) FILTER (WHERE is_ended), array_agg(own.charge_kobo) FILTER (WHERE is_ended)
  INTO settled, total, ended, charges, amounts
  FROM lock_unanswered(organisation, deliveries, decision) own
  CROSS JOIN LATERAL (VALUES (decision = 'refund' AND own.state <> 'submitting')) AS kind (is_ended);
  INSERT INTO audit_log (id, actor, action, organisation_id, target, before, after)
  SELECT uuidv7(), actor, command, organisation, 'delivery ' || own.id, jsonb_build_object('state', own.state),
    jsonb_build_object('resolution', decision, 'naira', trim_scale(own.charge_kobo / 100.0))
  FROM delivery own WHERE own.id = ANY (settled) ORDER BY own.id;
  -- Where a worker looks at an open one soon anyway, that time stays: until then, the call of a worker that died can be in flight.
  UPDATE delivery own SET resolution = decision,
    next_attempt_at = CASE WHEN decision <> 'keep' AND own.next_attempt_at > now() + interval '1 minute' THEN now()
      ELSE own.next_attempt_at END
  WHERE own.id = ANY (settled) AND own.id <> ALL (coalesce(ended, '{}'));
  IF ended IS NOT NULL THEN
    UPDATE delivery own SET refunded = true WHERE own.id = ANY (ended);
    IF EXISTS (
      SELECT FROM refund_money(ended, array_fill(organisation, ARRAY[cardinality(ended)]), amounts,
        array_fill(NULL::text, ARRAY[cardinality(ended)]), charges) moved
      WHERE moved.outcome <> 'moved')
    THEN
      RAISE 'One of these deliveries has been refunded before. Nothing was changed.';
    END IF;
  END IF;
  RETURN jsonb_build_object('ended', coalesce(cardinality(ended), 0),
    'open', coalesce(cardinality(settled), 0) - coalesce(cardinality(ended), 0),
    'after', jsonb_build_object('deliveries', coalesce(cardinality(settled), 0), 'naira', trim_scale(total / 100.0)));
END $$;
