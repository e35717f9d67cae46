-- Corrects one wallet, once per subject. A negative amount takes from the wallet. For operators.
CREATE OR REPLACE FUNCTION adjust_money(subject uuid, organisation uuid, kobo bigint, note text)
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM move_money('adjustment', CASE WHEN kobo < 0 THEN 'wallet' ELSE 'funding' END::ledger_account_kind,
    CASE WHEN kobo < 0 THEN 'funding' ELSE 'wallet' END::ledger_account_kind, '{adjustment}', NULL, NULL, NULL,
    ARRAY[subject], ARRAY[organisation], ARRAY[abs(kobo)], ARRAY[note], NULL, NULL)
$$;
