-- Sets a price, or removes it (NULL), or requests the approval: live organisations must not pay nothing, or less than the cost,
-- because one operator says so. The caller says what the providers charge, which only their settings know.
CREATE OR REPLACE FUNCTION set_price(
  service text, category text, prefix text, organisation uuid, kobo bigint, cost_kobo bigint, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
DECLARE
  id jsonb := jsonb_build_object('service', service, 'category', category, 'prefix', prefix);
  before jsonb := stored_price(organisation, id);
  after jsonb := jsonb_build_object('naira', trim_scale(kobo / 100.0));
  paid bigint := kobo;
BEGIN
  IF kobo IS NULL THEN
    IF before IS NULL OR before ? 'test_only' THEN
      RETURN '{"state": "absent"}';
    END IF;
    -- Test organisations keep the price for any number of the list, because they can send to every country.
    after := CASE WHEN organisation IS NULL AND category = '' AND prefix = '' THEN before || '{"test_only": true}' END;
    -- The shorter prefix that applies then. Lookups without a price are free.
    paid := (
      SELECT other.kobo FROM (
        SELECT own.kobo, own.prefix, own.category, 0 AS place FROM organisation_price own
        WHERE own.organisation_id = organisation AND own.service::text = service
        UNION ALL
        SELECT list.kobo, list.prefix, list.category, 1 FROM price list WHERE list.service::text = service AND NOT list.test_only) other
      WHERE starts_with(prefix, other.prefix) AND other.category IN ('', category)
        AND (other.prefix, other.category, other.place) <> (prefix, category, CASE WHEN organisation IS NULL THEN 1 ELSE 0 END)
      ORDER BY other.place, length(other.prefix) DESC, other.category DESC LIMIT 1);
    IF service = 'lookup' THEN
      paid := coalesce(paid, 0);
    END IF;
  END IF;
  RETURN change_or_request(
    (paid = 0 OR coalesce(paid < cost_kobo, false))
      AND (organisation IS NULL OR EXISTS (SELECT FROM organisation own WHERE own.id = organisation AND mode = 'live')),
    'price', organisation, concat_ws(' ', service, prefix, category, organisation), NULL, NULL,
    id || jsonb_build_object('before', before, 'after', after),
    actor, CASE WHEN kobo IS NULL THEN 'prices remove' ELSE 'prices set' END,
    concat_ws(' ', service, CASE prefix WHEN '' THEN 'any' ELSE prefix END, nullif(category, '')));
END $$;
