-- The limits of an organisation as the audit log shows them: its columns that hold a number or nothing. The row is locked
-- until the transaction ends.
CREATE OR REPLACE FUNCTION stored_limits(organisation uuid)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  stored jsonb;
BEGIN
  SELECT to_jsonb(own) INTO STRICT stored FROM organisation own WHERE own.id = organisation FOR UPDATE;
  RETURN (
    SELECT jsonb_object_agg(regexp_replace(attname, '_kobo$', ''), CASE
      WHEN stored -> attname = 'null' THEN to_jsonb('default'::text)
      WHEN attname LIKE '%\_kobo' THEN to_jsonb(trim_scale((stored ->> attname)::numeric / 100))
      ELSE stored -> attname END)
    FROM pg_attribute
    WHERE attrelid = 'organisation'::regclass AND attnum > 0 AND NOT attisdropped AND NOT attnotnull
      AND atttypid IN ('int4'::regtype, 'int8'::regtype));
END $$;
