-- What is paid for numbers with a prefix when its price is removed: the price of the next shorter prefix, of the organisation or else
-- of the list. NULL: nothing can be sent there. Lookups without a price are free.
CREATE OR REPLACE FUNCTION price_after_removal(organisation uuid, removed jsonb)
RETURNS bigint STABLE LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT coalesce((
    SELECT other.kobo FROM (
      SELECT own.kobo, own.prefix, own.category, 0 AS place FROM organisation_price own
      WHERE own.organisation_id = organisation AND own.service::text = removed ->> 'service'
      UNION ALL
      SELECT list.kobo, list.prefix, list.category, 1 FROM price list
      WHERE list.service::text = removed ->> 'service' AND NOT list.test_only) other
    WHERE starts_with(removed ->> 'prefix', other.prefix) AND other.category IN ('', removed ->> 'category')
      AND (other.prefix, other.category, other.place)
        <> (removed ->> 'prefix', removed ->> 'category', CASE WHEN organisation IS NULL THEN 1 ELSE 0 END)
    ORDER BY other.place, length(other.prefix) DESC, other.category DESC LIMIT 1),
    CASE WHEN removed ->> 'service' = 'lookup' THEN 0 END)
$$;
