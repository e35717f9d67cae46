-- Turns reservations of lookups into revenue. Of `post_lookup` and `void_lookup` only the first moves money.
CREATE OR REPLACE FUNCTION post_lookup(subjects uuid[], organisations uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM settle_money('post', 'reserved', 'revenue', '{post,void}', 'reserve', 'lookup', subjects, organisations)
$$;
