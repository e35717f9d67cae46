-- Moves the amounts of earlier movements of the same subjects, organisations and category. Subjects without one are left
-- out. Reservations that are older than the categories are of airtime.
CREATE OR REPLACE FUNCTION settle_money(
  flow_kind ledger_movement_kind, flow_from ledger_account_kind, flow_to ledger_account_kind,
  once_among ledger_movement_kind[], earlier_kind ledger_movement_kind,
  spending spend_category, subjects uuid[], organisations uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT result.* FROM (
    SELECT array_agg(subject ORDER BY position) AS subjects, array_agg(organisation ORDER BY position) AS owners,
      array_agg(kobo ORDER BY position) AS amounts, array_agg(category ORDER BY position) AS categories,
      array_agg(spent_on ORDER BY position) AS days
    FROM unnest(subjects, organisations) WITH ORDINALITY AS asked (subject, organisation, position)
    CROSS JOIN LATERAL (
      SELECT kobo, category, spent_on FROM ledger_movement
      WHERE subject_id = subject AND kind = earlier_kind AND organisation_id = organisation
        AND coalesce(category, 'airtime') = spending LIMIT 1) earlier
    HAVING count(*) > 0) given
  CROSS JOIN LATERAL move_money(flow_kind, flow_from, flow_to, once_among, NULL, NULL, NULL, given.subjects, owners, amounts,
    NULL, categories, days) result
$$;
