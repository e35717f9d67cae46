-- Whether an amount exceeds the limit, together with what this principal, or any login for this account, has moved without an
-- approval in 24 hours: an amount cannot be split over organisations, operators or time. The setting is locked until the
-- transaction ends, so that of two amounts at the same time the second one sees the first. Lock wallets before.
-- The caller may have begun the transaction long ago: only READ COMMITTED and clock_timestamp() see what others did since.
CREATE OR REPLACE FUNCTION needs_approval(organisation uuid, kobo bigint)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  account uuid;
  max_kobo bigint;
BEGIN
  SELECT account_id INTO account FROM organisation own WHERE own.id = organisation AND mode = 'live';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE 'The approval limit can be checked only in a transaction with the isolation level READ COMMITTED. Nothing was changed.';
  END IF;
  SELECT limit_kobo INTO STRICT max_kobo FROM approval_setting FOR UPDATE;
  RETURN abs(kobo) + greatest(
    (SELECT coalesce(sum(moved.kobo), 0) FROM unapproved_amount moved
      WHERE is_same_principal(moved.login, session_user)
        AND moved.created_at > clock_timestamp() - interval '24 hours'),
    (SELECT coalesce(sum(moved.kobo), 0) FROM unapproved_amount moved
      WHERE moved.account_id = account AND moved.created_at > clock_timestamp() - interval '24 hours')) > max_kobo;
END $$;
