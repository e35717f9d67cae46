-- Turns reservations of airtime into revenue. Of `post_airtime` and `void_airtime` only the first moves money.
CREATE OR REPLACE FUNCTION post_airtime(subjects uuid[], organisations uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM settle_money('post', 'reserved', 'revenue', '{post,void}', 'reserve', 'airtime', subjects, organisations)
$$;
