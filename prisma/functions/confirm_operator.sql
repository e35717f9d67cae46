-- Lets a new operator approve. Only another confirmed operator can call it with success.
CREATE OR REPLACE FUNCTION confirm_operator(operator_name text, actor text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  stored operator_login;
BEGIN
  SELECT * INTO stored FROM operator_login known WHERE known.name = operator_name FOR UPDATE;
  IF NOT FOUND OR NOT is_operator_member(stored.login) THEN
    RAISE 'There is no operator %: the owner of the tables adds one with `pnpm admin operators add %`.', operator_name, operator_name;
  ELSIF stored.confirmed_at IS NOT NULL THEN
    RAISE 'The operator % is confirmed already.', operator_name;
  ELSIF NOT is_operator(session_user) OR is_same_principal(session_user, stored.login) THEN
    RAISE 'Another confirmed operator must confirm %. You are connected to the database as %.', operator_name, session_user;
  END IF;
  UPDATE operator_login known SET confirmed_by = session_user, confirmed_at = now() WHERE known.name = operator_name;
  PERFORM add_audit_entry(actor, 'operators confirm', NULL, operator_name, NULL,
    jsonb_build_object('login', stored.login, 'confirmed', true));
END $$;
