-- Returns reservations of airtime to the wallet.
CREATE OR REPLACE FUNCTION void_airtime(subjects uuid[], organisations uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM settle_money('void', 'reserved', 'wallet', '{post,void}', 'reserve', 'airtime', subjects, organisations)
$$;
