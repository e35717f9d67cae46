-- Whether a login may approve now: it is a confirmed operator, and a member of the role of the operators of this database. In
-- a restored database it is no member until it is added again. Superusers are members of every role, so they never count.
CREATE OR REPLACE FUNCTION is_operator(wanted text)
RETURNS boolean STABLE LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM operator_login operator
    WHERE operator.login = wanted AND confirmed_at IS NOT NULL AND is_operator_member(wanted))
$$;
