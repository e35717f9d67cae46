-- Returns a charge or a part of it to the wallet, once per subject: a delivery of what was charged, or the charge itself. All
-- refunds of a message or OTP together are never more than was charged for it, also for what its smartlist has grown by.
CREATE OR REPLACE FUNCTION refund_money(
  subjects uuid[], organisations uuid[], amounts bigint[], notes text[], charges uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  n CONSTANT int := cardinality(subjects);
  categories spend_category[] := array_fill(NULL::spend_category, ARRAY[n]);
  days date[] := array_fill(NULL::date, ARRAY[n]);
  roots uuid[] := array_fill(NULL::uuid, ARRAY[n]);
  refunded bigint[] := array_fill(NULL::bigint, ARRAY[n]);
  item record;
BEGIN
  -- Refunds of the same charge wait for each other.
  PERFORM lock_wallets(organisations);
  FOR item IN
    SELECT asked.*, root, is_new, charged.category, charged.spent_on, limits.kobo AS charged,
      subject = charge OR EXISTS (SELECT FROM delivery WHERE delivery.id = subject AND message_id = root) AS is_part,
      earlier.kobo + sum(asked.kobo) FILTER (WHERE is_new) OVER (PARTITION BY root ORDER BY position) AS refunded
    FROM unnest(subjects, organisations, amounts, charges) WITH ORDINALITY AS asked (subject, organisation, kobo, charge, position)
    CROSS JOIN LATERAL (
      -- The growth of a message has its id with another version.
      SELECT overlay(charge::text PLACING '7' FROM 15)::uuid AS root, overlay(charge::text PLACING '8' FROM 15)::uuid AS growth,
        NOT EXISTS (SELECT FROM ledger_movement WHERE subject_id = subject AND kind = 'refund') AS is_new) of_charge
    LEFT JOIN LATERAL (
      SELECT category, spent_on FROM ledger_movement
      WHERE subject_id = charge AND kind = 'charge' AND organisation_id = organisation) charged ON true
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(kobo), 0) AS kobo FROM ledger_movement
      WHERE subject_id IN (root, growth) AND kind = 'charge' AND organisation_id = organisation) limits
    CROSS JOIN LATERAL (
      -- Refunds of earlier versions have no sum.
      SELECT coalesce(
        (SELECT max(refunded_after) FROM ledger_movement WHERE charge_id = root),
        (SELECT sum(kobo) FROM ledger_movement WHERE charge_id = root), 0) AS kobo) earlier
    ORDER BY position
  LOOP
    IF item.is_new AND item.kobo > 0 AND item.refunded > item.charged THEN
      RAISE 'The refund of % exceeds its charge: % of % kobo', item.subject, item.refunded, item.charged
        USING ERRCODE = 'check_violation', CONSTRAINT = 'refund_within_charge';
    ELSIF NOT item.is_part THEN
      RAISE '% is neither the charge % nor a delivery of it', item.subject, item.charge
        USING ERRCODE = 'check_violation', CONSTRAINT = 'refund_of_charge';
    ELSIF item.category NOT IN ('message', 'otp') THEN
      RAISE '% was charged for a %: only charges of messages and OTPs are refunded', item.charge, item.category
        USING ERRCODE = 'check_violation', CONSTRAINT = 'refund_of_charge';
    END IF;
    categories[item.position] := item.category;
    days[item.position] := item.spent_on;
    roots[item.position] := item.root;
    refunded[item.position] := item.refunded;
  END LOOP;
  RETURN QUERY SELECT * FROM move_money('refund', 'revenue', 'wallet', '{refund}', NULL, NULL, NULL, subjects, organisations,
    amounts, notes, categories, days, roots, refunded);
END $$;
