-- Counts money that was moved without an approval, for the next amounts. Money of test organisations is not real.
CREATE OR REPLACE FUNCTION count_unapproved(organisation uuid, kobo bigint)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM unapproved_amount WHERE created_at < now() - interval '2 days';
  INSERT INTO unapproved_amount (login, account_id, kobo, created_at)
  SELECT session_user, account_id, abs(kobo), clock_timestamp() FROM organisation own WHERE own.id = organisation AND mode = 'live';
END $$;
