-- The next migration keeps the seeded prices for test organisations. So that live organisations can go on sending, each
-- country that they sent to in the last 90 days, and that has no price as a whole, gets the seeded one. An OTP with a
-- fallback may have been sent on either channel. In a migration of its own, because it reads the deliveries: nobody waits
-- for it.
DO $$
DECLARE
  -- A changed amount, or an entry in the audit log, shows that an operator has set the price.
  seeded CONSTANT text[] := ARRAY(
    SELECT service FROM price WHERE prefix = '' AND (service::text, kobo) IN (('sms', 400), ('whatsapp', 500))
      AND NOT EXISTS (
        SELECT FROM audit_log
        WHERE action = 'prices set' AND target = price.service || ' any' AND organisation_id IS NULL));
  live CONSTANT uuid[] := ARRAY(SELECT id FROM organisation WHERE mode = 'live');
  -- No alternative is the beginning of another one, because the longest match would count.
  calling_code CONSTANT text :=
    '^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[035789]|9[679])\d)';
  added record;
BEGIN
  FOR added IN
    WITH sent AS (
      SELECT organisation_id, channel::text AS service, substring(recipient FROM calling_code) AS code
      FROM delivery
      WHERE organisation_id = ANY (live) AND coalesce(send_at, created_at) > now() - interval '90 days'
        AND state::text NOT IN ('rejected', 'failed', 'canceled')
      UNION
      SELECT organisation_id, unnest(ARRAY['sms', 'whatsapp']), substring(recipient FROM calling_code)
      FROM otp
      WHERE organisation_id = ANY (live) AND created_at > now() - interval '90 days' AND fallback_after IS NOT NULL
    ), inserted AS (
      INSERT INTO price (service, prefix, kobo)
      SELECT DISTINCT price.service, code, kobo
      FROM sent JOIN price ON price.service::text = sent.service AND price.prefix = ''
      WHERE code IS NOT NULL AND sent.service = ANY (seeded)
        AND NOT EXISTS (
          SELECT FROM price AS own
          WHERE own.service = price.service AND own.prefix <> '' AND starts_with(code, own.prefix))
        AND NOT EXISTS (
          SELECT FROM organisation_price AS own
          WHERE own.organisation_id = sent.organisation_id AND own.service = price.service
            AND starts_with(code, own.prefix))
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
