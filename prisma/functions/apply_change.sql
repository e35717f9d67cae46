-- Carries out a change that needs no approval, or has it. Returns what the audit log says before and after it, and for a booking
-- whether money moved and the balance. Only the functions of operators call it, which check and audit.
CREATE OR REPLACE FUNCTION apply_change(
  action text, organisation uuid, subject text, amount bigint, reason text, change jsonb)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
  booked money_result;
  before jsonb;
  after jsonb;
  changed int;
BEGIN
  CASE action
  WHEN 'top_up', 'adjustment' THEN
    IF action = 'top_up' THEN
      SELECT * INTO booked FROM top_up_money(ARRAY[subject::uuid], ARRAY[organisation], ARRAY[amount], ARRAY[reason]);
    ELSE
      SELECT * INTO booked FROM adjust_money(subject::uuid, organisation, amount, reason);
    END IF;
    IF booked.outcome = 'insufficient' THEN
      RAISE 'The balance is % naira, less than the % to take. Nothing was booked.', naira(booked.balance), naira(abs(amount));
    ELSIF booked.outcome = 'earlier' AND booked.kobo * (CASE WHEN amount < 0 THEN -1 ELSE 1 END) <> amount THEN
      RAISE 'This reference is already booked with % instead of %; nothing was booked now. Check the amount, or use another reference.',
        naira(booked.kobo * (CASE WHEN amount < 0 THEN -1 ELSE 1 END)), naira(amount);
    END IF;
    before := jsonb_build_object('balance', trim_scale((booked.balance - amount) / 100.0));
    after := jsonb_build_object('naira', trim_scale(amount / 100.0), 'subject', subject, 'note', reason,
      'balance', trim_scale(booked.balance / 100.0));
    RETURN jsonb_build_object('before', before, 'after', after, 'moved', booked.outcome = 'moved', 'balance', booked.balance);
  WHEN 'price' THEN
    before := stored_price(organisation, change);
    IF before IS DISTINCT FROM nullif(change -> 'before', 'null') OR change ? 'paid'
      AND (change ->> 'paid')::numeric * 100 IS DISTINCT FROM price_after_removal(organisation, change)
    THEN
      RAISE 'The price has changed since this was requested: reject the request, and make a new one.';
    END IF;
    after := nullif(change -> 'after', 'null');
    IF organisation IS NOT NULL THEN
      DELETE FROM organisation_price price WHERE price.organisation_id = organisation AND price.service::text = change ->> 'service'
        AND price.category = change ->> 'category' AND price.prefix = change ->> 'prefix';
      INSERT INTO organisation_price (organisation_id, service, category, prefix, kobo)
      SELECT organisation, (change ->> 'service')::priced_service, change ->> 'category', change ->> 'prefix',
        ((after ->> 'naira')::numeric * 100)::bigint
      WHERE after IS NOT NULL;
    ELSE
      DELETE FROM price WHERE price.service::text = change ->> 'service' AND price.category = change ->> 'category'
        AND price.prefix = change ->> 'prefix';
      INSERT INTO price (service, category, prefix, kobo, test_only)
      SELECT (change ->> 'service')::priced_service, change ->> 'category', change ->> 'prefix',
        ((after ->> 'naira')::numeric * 100)::bigint, coalesce((after ->> 'test_only')::boolean, false)
      WHERE after IS NOT NULL;
    END IF;
  WHEN 'limits' THEN
    before := stored_limits(organisation);
    IF NOT before @> (change -> 'before') THEN
      RAISE 'The limits have changed since this was requested: reject the request, and make a new one.';
    END IF;
    EXECUTE (
      SELECT format('UPDATE organisation SET updated_at = now(), %s WHERE id = $1',
        string_agg(format('%I = ($2 ->> %L)::bigint', key, key), ', '))
      FROM jsonb_object_keys(change -> 'changes') AS key)
    USING organisation, change -> 'changes';
    after := stored_limits(organisation);
  WHEN 'resolution' THEN
    before := jsonb_build_object('state', change ->> 'state');
    after := jsonb_build_object('resolution', change ->> 'outcome', 'naira', trim_scale(amount / 100.0));
    IF change ->> 'outcome' = 'loss' THEN
      SELECT * INTO booked FROM lose_money(ARRAY[subject::uuid], ARRAY[organisation]);
      IF booked.outcome IS DISTINCT FROM 'moved' THEN
        RAISE 'The loss is already booked, or the purchase was never refunded.';
      END IF;
    ELSE
      UPDATE airtime_purchase purchase SET resolution = (change ->> 'outcome')::airtime_state,
        next_attempt_at = CASE WHEN lease_holder IS NULL THEN now() ELSE next_attempt_at END
      WHERE purchase.id = subject::uuid AND purchase.resolution IS NULL AND purchase.state::text = change ->> 'state';
      IF NOT FOUND THEN
        RAISE 'Only a purchase in error can be resolved, once; this one is %.',
          (SELECT state FROM airtime_purchase purchase WHERE purchase.id = subject::uuid);
      END IF;
    END IF;
  WHEN 'approval_limit' THEN
    before := change -> 'before';
    after := change -> 'after';
    UPDATE approval_setting SET limit_kobo = nullif(after ->> 'naira', 'off')::numeric * 100;
  END CASE;
  RETURN jsonb_strip_nulls(jsonb_build_object('before', before, 'after', after));
END $$;
