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
    paid := price_after_removal(organisation, id);
  END IF;
  RETURN change_or_request(
    (paid = 0 OR coalesce(paid < cost_kobo, false))
      AND (organisation IS NULL OR EXISTS (SELECT FROM organisation own WHERE own.id = organisation AND mode = 'live')),
    'price', organisation, concat_ws(' ', service, prefix, category, organisation), NULL, NULL,
    id || jsonb_build_object('before', before, 'after', after) || jsonb_strip_nulls(jsonb_build_object(
      'paid', CASE WHEN kobo IS NULL THEN trim_scale(paid / 100.0) END, 'cost', trim_scale(cost_kobo / 100.0))),
    actor, CASE WHEN kobo IS NULL THEN 'prices remove' ELSE 'prices set' END,
    concat_ws(' ', service, CASE prefix WHEN '' THEN 'any' ELSE prefix END, nullif(category, '')));
END $$;
