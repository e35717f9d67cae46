-- Prices of organisations, prices for a category, and prices that hold for test organisations only.

-- The seeded prices for any number hold for test organisations only. So that live organisations can go on sending, each
-- country that they sent to in the last 90 days, and that has no price as a whole, gets the seeded one. First, because it
-- reads the deliveries: nobody waits for it.
DO $$
DECLARE
  -- A changed amount shows that an operator has set the price.
  seeded CONSTANT text[] := ARRAY(
    SELECT service FROM price WHERE prefix = '' AND (service::text, kobo) IN (('sms', 400), ('whatsapp', 500)));
  live CONSTANT uuid[] := ARRAY(SELECT id FROM organisation WHERE mode = 'live');
  -- No alternative is the beginning of another one, because the longest match would count.
  calling_code CONSTANT text :=
    '^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[035789]|9[679])\d)';
  added record;
BEGIN
  FOR added IN
    WITH sent AS (
      SELECT DISTINCT channel::text AS service, substring(recipient FROM calling_code) AS code
      FROM delivery
      WHERE organisation_id = ANY (live) AND created_at > now() - interval '90 days' AND state NOT IN ('rejected', 'failed')
    ), inserted AS (
      INSERT INTO price (service, prefix, kobo)
      SELECT price.service, code, kobo
      FROM sent JOIN price ON price.service::text = sent.service AND price.prefix = ''
      WHERE code IS NOT NULL AND sent.service = ANY (seeded)
        AND NOT EXISTS (
          SELECT FROM price AS own
          WHERE own.service = price.service AND own.prefix <> '' AND starts_with(code, own.prefix))
      RETURNING service, prefix, kobo
    ), audited AS (
      INSERT INTO audit_log (id, actor, action, target, after)
      SELECT uuidv7(), 'pnpm migrate', 'prices set', service || ' ' || prefix,
        jsonb_build_object('naira', trim_scale(kobo / 100.0))
      FROM inserted)
    SELECT * FROM inserted ORDER BY service, prefix COLLATE "C"
  LOOP
    RAISE INFO 'Price: % to % costs NGN %, because live organisations sent there in the last 90 days',
      added.service, added.prefix, round(added.kobo / 100.0, 2);
  END LOOP;
  IF cardinality(seeded) > 0 AND cardinality(live) > 0 THEN
    RAISE INFO 'Live organisations can no longer send to countries without a price: check `pnpm admin prices list`';
  END IF;
END $$;

ALTER TABLE price
  ADD COLUMN category varchar(16) NOT NULL DEFAULT '',
  ADD COLUMN test_only boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT price_pkey,
  ADD CONSTRAINT price_pkey PRIMARY KEY (service, category, prefix),
  ADD CONSTRAINT price_category_check CHECK (
    category = '' OR category IN ('transactional', 'promotional', 'otp') AND service <> 'lookup'),
  ADD CONSTRAINT price_test_only_check CHECK (NOT test_only OR category = '' AND prefix = '');
UPDATE price SET test_only = true
WHERE prefix = '' AND (service::text, kobo) IN (('sms', 400), ('whatsapp', 500), ('lookup', 0));

-- Prices of one organisation. They override the list for every number that they match.
CREATE TABLE organisation_price (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  service priced_service NOT NULL,
  category varchar(16) NOT NULL DEFAULT '' CONSTRAINT organisation_price_category_check CHECK (
    category = '' OR category IN ('transactional', 'promotional', 'otp') AND service <> 'lookup'),
  prefix varchar(15) NOT NULL CONSTRAINT organisation_price_prefix_check CHECK (prefix ~ '^[0-9]*$'),
  kobo bigint NOT NULL CONSTRAINT organisation_price_kobo_check CHECK (kobo >= 0),
  PRIMARY KEY (organisation_id, service, category, prefix)
);
