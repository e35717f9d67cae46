-- Whether a login is a member of the role of the operators, as `roleOf` (libs/storage/src/roles) names it, and can act neither as a
-- superuser, nor as the owner of the tables, nor as a role that creates logins.
CREATE OR REPLACE FUNCTION is_operator_member(wanted text)
RETURNS boolean STABLE LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM pg_roles login
    JOIN pg_roles operators ON operators.rolname = CASE WHEN octet_length(current_database()::text) <= 40
      THEN current_database()::text ELSE left(encode(sha256(convert_to(current_database()::text, 'UTF8')), 'hex'), 16)
      END || '_operator'
    WHERE login.rolname = wanted AND login.rolcanlogin AND pg_has_role(login.oid, operators.oid, 'MEMBER')
      AND NOT EXISTS (
        SELECT FROM pg_roles privileged
        WHERE (privileged.rolsuper OR privileged.rolcreaterole
            OR privileged.oid = (SELECT relowner FROM pg_class WHERE oid = 'operator_login'::regclass))
          AND pg_has_role(login.oid, privileged.oid, 'MEMBER')))
$$;
