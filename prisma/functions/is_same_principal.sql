-- Two logins are one principal if they are linked to one person.
CREATE OR REPLACE FUNCTION is_same_principal(one text, other text)
RETURNS boolean STABLE LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT one = other OR EXISTS (
    SELECT FROM operator_login first JOIN operator_login second USING (person_id)
    WHERE first.login = one AND second.login = other)
$$;
