-- Removes an operator, and returns the login. Only the owner of the tables can call it.
CREATE OR REPLACE FUNCTION remove_operator(operator_name text, actor text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  removed text;
BEGIN
  DELETE FROM operator_login known WHERE known.name = operator_name RETURNING known.login INTO removed;
  IF NOT FOUND THEN
    RAISE 'There is no operator %: see `pnpm admin operators list`.', operator_name;
  END IF;
  PERFORM add_audit_entry(actor, 'operators remove', NULL, operator_name, jsonb_build_object('login', removed), NULL);
  RETURN removed;
END $$;
