-- Adds a login as an operator. The first two count at once, later ones when another operator has confirmed them. Only the owner
-- of the tables can call it. Rows of logins that are no members here, as in a restored database, are deleted.
CREATE OR REPLACE FUNCTION add_operator(operator_name text, operator_login text, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  stored operator_login;
  is_confirmed boolean;
BEGIN
  LOCK TABLE operator_login IN SHARE ROW EXCLUSIVE MODE;
  IF NOT is_operator_member(operator_login) THEN
    RAISE 'The login % is not a member of the role of the operators, or can act as a superuser, as the owner of the tables or as a role with CREATEROLE.', operator_login;
  END IF;
  DELETE FROM operator_login earlier WHERE NOT is_operator_member(earlier.login);
  SELECT * INTO stored FROM operator_login known WHERE known.name = operator_name OR known.login = operator_login;
  IF FOUND THEN
    RAISE 'The operator % exists already, with the login %.', stored.name, stored.login;
  END IF;
  is_confirmed := (SELECT count(*) FROM operator_login known WHERE is_operator(known.login)) < 2;
  INSERT INTO operator_login (name, login, confirmed_by, confirmed_at)
  SELECT operator_name, operator_login, CASE WHEN is_confirmed THEN session_user END, CASE WHEN is_confirmed THEN now() END;
  PERFORM add_audit_entry(actor, 'operators add', NULL, operator_name, NULL,
    jsonb_build_object('login', operator_login, 'confirmed', is_confirmed));
  RETURN jsonb_build_object('confirmed', is_confirmed);
END $$;
