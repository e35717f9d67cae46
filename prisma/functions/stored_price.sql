-- A price as the audit log shows it, NULL without one. Other changes of prices wait until the transaction ends; reads do not.
CREATE OR REPLACE FUNCTION stored_price(organisation uuid, wanted jsonb)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF organisation IS NULL THEN
    LOCK TABLE price IN SHARE ROW EXCLUSIVE MODE;
    RETURN (
      SELECT jsonb_build_object('naira', trim_scale(kobo / 100.0)) || CASE WHEN test_only THEN '{"test_only": true}' ELSE '{}' END::jsonb
      FROM price WHERE service::text = wanted ->> 'service' AND category = wanted ->> 'category' AND prefix = wanted ->> 'prefix');
  END IF;
  LOCK TABLE organisation_price IN SHARE ROW EXCLUSIVE MODE;
  RETURN (
    SELECT jsonb_build_object('naira', trim_scale(kobo / 100.0)) FROM organisation_price own
    WHERE own.organisation_id = organisation AND service::text = wanted ->> 'service' AND category = wanted ->> 'category'
      AND prefix = wanted ->> 'prefix');
END $$;
