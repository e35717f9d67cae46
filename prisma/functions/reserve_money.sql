-- Sets the price of each item aside until it is posted or voided; otherwise like `charge_money`.
CREATE OR REPLACE FUNCTION reserve_money(
  spending spend_category, default_daily_limit bigint, default_category_limit bigint,
  subjects uuid[], organisations uuid[], amounts bigint[], notes text[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM move_money('reserve', 'wallet', 'reserved', '{reserve}', spending, default_daily_limit, default_category_limit,
    subjects, organisations, amounts, notes, NULL, NULL)
$$;
