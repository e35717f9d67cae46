-- Prices may have a category. Those that were seeded, and not changed since, hold for test organisations only.
ALTER TABLE price
  ADD COLUMN category varchar(16) NOT NULL DEFAULT '',
  ADD COLUMN test_only boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT price_pkey,
  ADD CONSTRAINT price_pkey PRIMARY KEY (service, category, prefix),
  ADD CONSTRAINT price_category_check CHECK (
    category = '' OR category IN ('transactional', 'promotional', 'otp') AND service <> 'lookup'),
  ADD CONSTRAINT price_test_only_check CHECK (NOT test_only OR category = '' AND prefix = '');

ALTER TABLE organisation_price
  ADD COLUMN category varchar(16) NOT NULL DEFAULT '',
  DROP CONSTRAINT organisation_price_pkey,
  ADD CONSTRAINT organisation_price_pkey PRIMARY KEY (organisation_id, service, category, prefix),
  ADD CONSTRAINT organisation_price_category_check CHECK (
    category = '' OR category IN ('transactional', 'promotional', 'otp') AND service <> 'lookup');

-- A changed amount, or an entry in the audit log, shows that an operator has set the price.
UPDATE price SET test_only = true
WHERE prefix = '' AND (service::text, kobo) IN (('sms', 400), ('whatsapp', 500), ('lookup', 0)) AND NOT EXISTS (
  SELECT FROM audit_log WHERE action = 'prices set' AND target = price.service || ' any' AND organisation_id IS NULL);
