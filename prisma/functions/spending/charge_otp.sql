-- Takes the price of each OTP from the wallet of its organisation, once per subject, within the limits of the day.
CREATE OR REPLACE FUNCTION charge_otp(subjects uuid[], organisations uuid[], amounts bigint[], notes text[])
RETURNS SETOF money_result ROWS 50 LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT * FROM move_money('charge', 'wallet', 'revenue', '{charge}', 'otp',
    (SELECT kobo FROM money_limit WHERE name = 'daily_spend'), (SELECT kobo FROM money_limit WHERE name = 'otp_daily_spend'),
    subjects, organisations, amounts, notes, NULL, NULL)
$$;
