-- Books money that comes in from outside, once per payment. For operators.
CREATE OR REPLACE FUNCTION top_up_money(subjects uuid[], organisations uuid[], amounts bigint[], notes text[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM move_money('top_up', 'funding', 'wallet', '{top_up}', NULL, NULL, NULL, subjects, organisations, amounts, notes,
    NULL, NULL)
$$;
