-- Sets the price of each purchase aside until it is posted or voided, once per subject, within the limits of the day.
CREATE OR REPLACE FUNCTION reserve_airtime(subjects uuid[], organisations uuid[], amounts bigint[], notes text[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM move_money('reserve', 'wallet', 'reserved', '{reserve}', 'airtime',
    (SELECT kobo FROM money_limit WHERE name = 'daily_spend'), (SELECT kobo FROM money_limit WHERE name = 'airtime_daily_spend'),
    subjects, organisations, amounts, notes, NULL, NULL)
$$;
