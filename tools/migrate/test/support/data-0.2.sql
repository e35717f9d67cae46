-- What an installation adds that began with version 0.1 and uses 0.2, for a database with the data of data-0.1.sql, in one
-- session with it. Version 0.2 has the schema of 0.1. Frozen: it never follows a later schema.

CREATE FUNCTION pg_temp.book(organisation uuid, kind text, subject uuid, source text, target text, kobo bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  booked uuid := uuidv7();
BEGIN
  INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note)
  VALUES (booked, organisation, kind::ledger_transaction_kind, subject, kind || ' of 0.2');
  UPDATE ledger_account SET balance = balance + CASE ledger_account.kind::text WHEN source THEN -kobo ELSE kobo END
  WHERE organisation_id = organisation AND ledger_account.kind::text IN (source, target) AND balance IS NOT NULL;
  INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
  SELECT booked, id, CASE ledger_account.kind::text WHEN source THEN -kobo ELSE kobo END, balance FROM ledger_account
  WHERE organisation_id = organisation AND ledger_account.kind::text IN (source, target);
END $$;

-- Organisations and keys: one that sent by a promotional route, and the demo organisation
INSERT INTO account (id, name) VALUES
  (pg_temp.id(100), 'Globex'), ('01900000-0000-7000-8000-000000000001', 'Demo');
INSERT INTO organisation (id, account_id, mode, default_sender, otp_daily_spend_kobo, settings) VALUES
  (pg_temp.id(101), pg_temp.id(100), 'live', 'Globex', 500000, '{"sms": {"respect_dnd": true}, "otp": {"countries": ["NG"]}}'),
  (pg_temp.id(102), pg_temp.id(100), 'test', 'Globex', NULL, '{"sms": {"respect_dnd": false}}'),
  ('01900000-0000-7000-8000-000000000002', '01900000-0000-7000-8000-000000000001', 'test', 'Gangan', 0, '{}');
INSERT INTO api_key (id, organisation_id, name, prefix, hash, scopes, revoked_at, expires_at) VALUES
  (pg_temp.id(103), pg_temp.id(101), 'Server', 'sk_live_Globex-o', sha256('sk_live_Globex-of-version-0-2-012345678901234567890'),
    '{sms:read,sms:write,billing:read}', NULL, NULL),
  (pg_temp.id(104), pg_temp.id(101), 'Revoked', 'sk_live_Globex-r', sha256('sk_live_Globex-revoked-0-2-012345678901234567890123'),
    '{sms:read}', now() - interval '1 hour', NULL),
  (pg_temp.id(105), pg_temp.id(101), 'Expired', 'sk_live_Globex-e', sha256('sk_live_Globex-expired-0-2-012345678901234567890123'),
    '{sms:read}', NULL, now() - interval '1 hour'),
  (pg_temp.id(106), '01900000-0000-7000-8000-000000000002', 'Demo', 'sk_test_demo', sha256('sk_test_demo'),
    '{sms:read,sms:write}', NULL, NULL);
INSERT INTO callback_secret (id, organisation_id, secret) VALUES
  (pg_temp.id(107), pg_temp.id(101), 'whsec_Z2xvYmV4LXNlY3JldC1vZi12ZXJzaW9uLTAuMiEhISE=');

-- Ledger: payments with a reference, whose ids are hashes, and every kind of refund
INSERT INTO ledger_account (id, organisation_id, kind, balance)
SELECT uuidv7(), organisation.id, kind, CASE WHEN kind IN ('wallet', 'reserved') THEN 0 END
FROM organisation, unnest(enum_range(NULL::ledger_account_kind)) AS kind
WHERE organisation.id NOT IN (SELECT organisation_id FROM ledger_account);
SELECT pg_temp.book(pg_temp.id(101), 'top_up', '7d5b1c0d-1234-8abc-9def-0123456789ab', 'funding', 'wallet', 5000000);
SELECT pg_temp.book(pg_temp.id(101), 'top_up', 'd75b1c0d-1234-8abc-9def-0123456789ab', 'funding', 'wallet', 20000);
SELECT pg_temp.book(pg_temp.id(101), 'charge', pg_temp.id(110), 'wallet', 'revenue', 4000); -- a message to a smartlist
SELECT pg_temp.book(pg_temp.id(101), 'refund', pg_temp.id(110), 'revenue', 'wallet', 800);  -- the rest of it
SELECT pg_temp.book(pg_temp.id(101), 'refund', pg_temp.id(122), 'revenue', 'wallet', 500);  -- one of its deliveries
SELECT pg_temp.book(pg_temp.id(101), 'charge', pg_temp.id(111), 'wallet', 'revenue', 1200);
SELECT pg_temp.book(pg_temp.id(101), 'charge', pg_temp.id(140), 'wallet', 'revenue', 400);
SELECT pg_temp.book(pg_temp.id(101), 'refund', pg_temp.id(140), 'revenue', 'wallet', 400);  -- an OTP
SELECT pg_temp.book(pg_temp.id(101), 'charge', pg_temp.id(150), 'wallet', 'revenue', 100);  -- a lookup
SELECT pg_temp.book(pg_temp.id(101), 'reserve', pg_temp.id(160), 'wallet', 'reserved', 10000);
SELECT pg_temp.book(pg_temp.id(101), 'reserve', pg_temp.id(161), 'wallet', 'reserved', 20000);
SELECT pg_temp.book(pg_temp.id(101), 'post', pg_temp.id(161), 'reserved', 'revenue', 20000);
SELECT pg_temp.book('01900000-0000-7000-8000-000000000002', 'top_up', '01900000-0000-7000-8000-000000000005', 'funding',
  'wallet', 100000000000);

-- Messages: to a smartlist that was read, to one that is being read, and one to several countries
INSERT INTO message (id, organisation_id, channel, sender, recipients, smartlist_id, content, personalisation, external_ref,
  trackable, encoding, length, pages, charge_kobo, balance_kobo, request_id) VALUES
  (pg_temp.id(110), pg_temp.id(101), 'whatsapp', 'Globex', '{}', pg_temp.id(181), 'Hello {{name}}', '[{"to": "08031234567", "substitutions": {"name": "Ada"}}]',
    'campaign-1', true, 'GSM-7', 12, 1, 3200, 5016000, 'r-110'),
  (pg_temp.id(111), pg_temp.id(101), 'sms', 'Globex', '{}', pg_temp.id(181), 'Second', NULL, NULL, false, 'GSM-7', 6, 1, 1200,
    5016100, 'r-111'),
  (pg_temp.id(112), '01900000-0000-7000-8000-000000000002', 'sms', 'Gangan', '{08031234567}', NULL, 'Test', NULL, NULL, false,
    'GSM-7', 4, 1, 400, 99999999600, 'r-112');
INSERT INTO message_expansion (message_id, organisation_id, state, list, rows, recipients, duplicates, without_number,
  unsendable, unaffordable, charge_kobo, next_attempt_at, ended_at) VALUES
  (pg_temp.id(110), pg_temp.id(101), 'done', '{}', 8, 4, 1, 1, 1, 1, 3200, NULL, now()),
  (pg_temp.id(111), pg_temp.id(101), 'expanding', '{}', 0, 0, 0, 0, 0, 0, 0, now() + interval '1 day', NULL);
INSERT INTO delivery (id, organisation_id, lane, channel, recipient, recipient_given, pages, charge_kobo, message_id, state,
  attempt, provider, provider_reference, refunded, created_at) VALUES
  (pg_temp.id(120), pg_temp.id(101), 'sms', 'whatsapp', '+2348031234567', '08031234567', 1, 800, pg_temp.id(110), 'delivered',
    1, 'simulator', 'a', false, now() - interval '1 day'),
  (pg_temp.id(121), pg_temp.id(101), 'sms', 'sms', '+233201234567', '+233201234567', 1, 800, pg_temp.id(110), 'delivered', 2,
    'simulator', 'b', false, now() - interval '89 days'),
  (pg_temp.id(122), pg_temp.id(101), 'sms', 'sms', '+254712345678', '+254712345678', 1, 500, pg_temp.id(110), 'rejected', 0,
    NULL, NULL, true, now() - interval '1 day'),
  (pg_temp.id(123), pg_temp.id(101), 'sms', 'sms', '+447911123456', '+447911123456', 1, 800, pg_temp.id(110), 'delivered', 1,
    'simulator', 'c', false, now() - interval '91 days'),
  (pg_temp.id(124), '01900000-0000-7000-8000-000000000002', 'sms', 'sms', '+12025550123', '+12025550123', 1, 400,
    pg_temp.id(112), 'delivered', 1, 'simulator', 'd', false, now());
INSERT INTO delivery_attempt (delivery_id, attempt, provider, outcome, error_code) VALUES
  (pg_temp.id(121), 1, 'simulator', 'failed', 'busy'), (pg_temp.id(121), 2, 'simulator', 'accepted', NULL);
INSERT INTO tracked_link (code, delivery_id, position, url, clicks) VALUES ('code2', pg_temp.id(120), 0, 'https://example.com/a', 3);

-- OTPs: verified ones of yesterday and today, with what was spent
INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, status, attempts, max_attempts, expires_at,
  charge_kobo, request_id) VALUES
  (pg_temp.id(140), pg_temp.id(101), '+2348031234567', '08031234567', 'whatsapp', sha256('otp'), 2, 1, 5, now(), 400, 'r-140');
INSERT INTO delivery (id, organisation_id, lane, channel, recipient, recipient_given, pages, charge_kobo, otp_id, state, refunded)
VALUES (pg_temp.id(140), pg_temp.id(101), 'otp', 'sms', '+2348031234567', '08031234567', 1, 400, pg_temp.id(140), 'failed', true);
INSERT INTO otp_spend (organisation_id, day, kobo)
SELECT pg_temp.id(101), (clock_timestamp() AT TIME ZONE 'UTC')::date - days, 400 + days FROM generate_series(0, 1) AS days;

-- Airtime: submitted, and paid
INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo, balance_before_kobo,
  state, attempt, next_attempt_at, submitted_at, provider, provider_reference, external_ref, request_id) VALUES
  (pg_temp.id(160), pg_temp.id(101), 'MTN', '+2348031234567', '08031234567', 10000, 5016000, 'sent', 1,
    now() + interval '1 day', now(), 'simulator', 'e', NULL, 'r-160'),
  (pg_temp.id(161), pg_temp.id(101), 'Glo', '+2348051234567', '08051234567', 20000, 5006000, 'success', 1, NULL, now(),
    'simulator', 'f', 'order-1', 'r-161');

-- Contacts: rows with several cells, and smartlists with and without filters
INSERT INTO contact_table (id, organisation_id) VALUES (pg_temp.id(180), pg_temp.id(101));
INSERT INTO contact_column (id, table_id, name, type, position) VALUES
  (pg_temp.id(183), pg_temp.id(180), 'name', 'TEXT', 0), (pg_temp.id(184), pg_temp.id(180), 'phone', 'PHONE NUMBER', 1);
INSERT INTO smartlist (id, table_id, name, filters, everyone) VALUES
  (pg_temp.id(181), pg_temp.id(180), 'All contacts', '[]', true),
  (pg_temp.id(182), pg_temp.id(180), 'Named', '[{"column": "name", "operator": "is set"}]', false);
INSERT INTO contact_row (id, table_id, cells, matched)
SELECT pg_temp.id(190 + number), pg_temp.id(180), jsonb_build_object(pg_temp.id(183), 'Ngọzi ' || number,
  pg_temp.id(184), '+23480312345' || 60 + number), '{}' FROM generate_series(1, 5) AS number;
INSERT INTO contact_import (id, table_id, delimiter, columns, state, lines, created, rejected, problems, ended_at) VALUES
  (pg_temp.id(197), pg_temp.id(180), ',', ARRAY[pg_temp.id(183)], 'done', 6, 5, 1, '[{"line": 6}]', now());
