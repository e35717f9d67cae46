-- Turns reservations into revenue. Of `post_money` and `void_money` only the first moves money.
CREATE OR REPLACE FUNCTION post_money(subjects uuid[], organisations uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM settle_money('post', 'reserved', 'revenue', '{post,void}', 'reserve', subjects, organisations)
$$;
