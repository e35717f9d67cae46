-- Requests another limit above which another operator must approve, in kobo per operator and per account in 24 hours. NULL is no
-- limit.
CREATE OR REPLACE FUNCTION set_approval_limit(kobo bigint, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  stored bigint;
BEGIN
  SELECT limit_kobo INTO STRICT stored FROM approval_setting FOR UPDATE;
  RETURN change_or_request(true, 'approval_limit', NULL, 'approval limit', NULL, NULL, jsonb_build_object(
      'before', jsonb_build_object('naira', coalesce(to_jsonb(trim_scale(stored / 100.0)), '"off"')),
      'after', jsonb_build_object('naira', coalesce(to_jsonb(trim_scale(kobo / 100.0)), '"off"'))),
    actor, 'approvals limit', 'approval limit');
END $$;
