-- Takes the price of each item from the wallet of its organisation, once per subject and within the limits of the day.
CREATE OR REPLACE FUNCTION charge_money(
  spending spend_category, default_daily_limit bigint, default_category_limit bigint,
  subjects uuid[], organisations uuid[], amounts bigint[], notes text[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM move_money('charge', 'wallet', 'revenue', '{charge}', spending, default_daily_limit, default_category_limit,
    subjects, organisations, amounts, notes, NULL, NULL)
$$;
