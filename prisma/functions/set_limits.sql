-- Changes limits of an organisation, or requests the approval if a live organisation may then spend more in a day, or buy
-- airtime with a newer key. NULL takes the default; 0 switches a limit off. A default that `money_limit` does not have is known
-- only to the apps, so a change from or to it counts as raised.
CREATE OR REPLACE FUNCTION set_limits(organisation uuid, changes jsonb, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  before jsonb := stored_limits(organisation);
  stored jsonb;
  is_raised boolean;
  unknown text;
BEGIN
  SELECT to_jsonb(own) INTO STRICT stored FROM organisation own WHERE own.id = organisation;
  SELECT name INTO unknown FROM jsonb_object_keys(changes) AS name WHERE NOT before ? regexp_replace(name, '_kobo$', '') LIMIT 1;
  IF FOUND THEN
    RAISE 'There is no limit %.', unknown;
  END IF;
  SELECT coalesce(bool_or(CASE
    WHEN old IS NULL OR new IS NULL THEN true
    WHEN change.name = 'airtime_key_cooling_hours' THEN new < old
    ELSE old <> 0 AND (new = 0 OR new > old) END), false)
  INTO is_raised
  FROM jsonb_each_text(changes) AS change (name, given)
  LEFT JOIN money_limit fallback ON fallback.name = regexp_replace(change.name, '_kobo$', '')
  CROSS JOIN LATERAL (VALUES (
    coalesce((stored ->> change.name)::bigint, fallback.kobo), coalesce(given::bigint, fallback.kobo))) AS value (old, new)
  WHERE change.name LIKE '%daily\_spend%' OR change.name = 'airtime_key_cooling_hours';
  RETURN change_or_request(
    is_raised AND stored ->> 'mode' = 'live',
    'limits', organisation, organisation::text, NULL, NULL, jsonb_build_object('changes', changes, 'before', (
      SELECT jsonb_object_agg(key, value) FROM jsonb_each(before) WHERE changes ?| ARRAY[key, key || '_kobo']),
      'configured', (
        SELECT jsonb_object_agg(change.name, fallback.kobo)
        FROM jsonb_object_keys(changes) AS change (name) JOIN money_limit fallback ON fallback.name = regexp_replace(change.name, '_kobo$', ''))),
    actor, 'limits set', organisation_label(organisation));
END $$;
