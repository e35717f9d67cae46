-- Books revenue against the loss account for purchases of airtime that were voided and then delivered after all.
CREATE OR REPLACE FUNCTION lose_money(subjects uuid[], organisations uuid[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM settle_money('loss', 'loss', 'revenue', '{loss}', 'void', 'airtime', subjects, organisations)
$$;
