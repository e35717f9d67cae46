-- Data of every domain for a database with the schema of version 0.1. Frozen: it never follows a later schema.

CREATE FUNCTION pg_temp.id(number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT ('019a0000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid $$;

-- Books a ledger transaction as version 0.1 does: balances first, then both entries in one statement.
CREATE FUNCTION pg_temp.book(kind text, subject uuid, source text, target text, kobo bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  booked uuid := uuidv7();
BEGIN
  INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id)
  VALUES (booked, pg_temp.id(2), kind::ledger_transaction_kind, subject);
  UPDATE ledger_account SET balance = balance + CASE ledger_account.kind::text WHEN source THEN -kobo ELSE kobo END
  WHERE organisation_id = pg_temp.id(2) AND ledger_account.kind::text IN (source, target) AND balance IS NOT NULL;
  INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
  SELECT booked, id, CASE ledger_account.kind::text WHEN source THEN -kobo ELSE kobo END, balance FROM ledger_account
  WHERE organisation_id = pg_temp.id(2) AND ledger_account.kind::text IN (source, target);
END $$;

-- Organisations and keys
INSERT INTO account (id, name) VALUES (pg_temp.id(1), 'Acme');
INSERT INTO organisation (id, account_id, mode, default_sender, requests_per_second, settings) VALUES
  (pg_temp.id(2), pg_temp.id(1), 'live', 'Acme', 100, '{"otp": {"countries": ["NG"]}}'),
  (pg_temp.id(3), pg_temp.id(1), 'test', 'Acme', NULL, '{}');
INSERT INTO api_key (id, organisation_id, name, prefix, hash, scopes, replaced_by) VALUES
  (pg_temp.id(11), pg_temp.id(2), 'New', 'sk_live_new', sha256('new'), '{sms:read,sms:write}', NULL),
  (pg_temp.id(10), pg_temp.id(2), 'Old', 'sk_live_old', sha256('old'), '{sms:read}', pg_temp.id(11));
INSERT INTO callback_secret (id, organisation_id, secret, retires_at) VALUES
  (pg_temp.id(12), pg_temp.id(2), 'whsec_old', now() + interval '1 day'), (pg_temp.id(13), pg_temp.id(2), 'whsec_new', NULL);
INSERT INTO sender (organisation_id, name) VALUES (pg_temp.id(2), 'Acme');
INSERT INTO idempotency_claim (organisation_id, key, method, path, operation_id, fingerprint, leased_until) VALUES
  (pg_temp.id(2), 'key-1', 'POST', '/sms', pg_temp.id(30), sha256('request'), now());
INSERT INTO price (service, prefix, kobo) VALUES ('sms', '234', 350);

-- Ledger: accounts of both organisations, and every kind of transaction
INSERT INTO ledger_account (id, organisation_id, kind, balance)
SELECT uuidv7(), organisation.id, kind, CASE WHEN kind IN ('wallet', 'reserved') THEN 0 END
FROM organisation, unnest(enum_range(NULL::ledger_account_kind)) AS kind;
SELECT pg_temp.book('top_up', pg_temp.id(20), 'funding', 'wallet', 100000);
SELECT pg_temp.book('adjustment', pg_temp.id(21), 'wallet', 'funding', 500);
SELECT pg_temp.book('charge', pg_temp.id(30), 'wallet', 'revenue', 2800);
SELECT pg_temp.book('refund', pg_temp.id(44), 'revenue', 'wallet', 350);
SELECT pg_temp.book('charge', pg_temp.id(50), 'wallet', 'revenue', 350);
SELECT pg_temp.book('reserve', pg_temp.id(60 + number), 'wallet', 'reserved', 10000) FROM generate_series(0, 3) AS number;
SELECT pg_temp.book('post', pg_temp.id(61), 'reserved', 'revenue', 10000);
SELECT pg_temp.book('void', pg_temp.id(62), 'reserved', 'wallet', 10000);
SELECT pg_temp.book('void', pg_temp.id(63), 'reserved', 'wallet', 10000);
SELECT pg_temp.book('loss', pg_temp.id(63), 'loss', 'revenue', 10000);

-- Messages: a delivery in every state, attempts, a tracked link
INSERT INTO template (id, organisation_id, name, channel, body, variables) VALUES
  (pg_temp.id(29), pg_temp.id(2), 'Welcome', 'sms', 'Hello {{name}}', '{name}');
INSERT INTO message (id, organisation_id, channel, sender, recipients, content, encoding, length, pages, charge_kobo,
  balance_kobo, template_id, request_id) VALUES
  (pg_temp.id(30), pg_temp.id(2), 'sms', 'Acme', '{08031234567}', 'Hello', 'GSM-7', 5, 1, 2800, 96700, pg_temp.id(29), 'r-1');
INSERT INTO delivery (id, organisation_id, lane, channel, recipient, recipient_given, pages, charge_kobo, message_id,
  state, next_attempt_at, attempt, provider, refunded)
SELECT pg_temp.id(39 + place::int), pg_temp.id(2), 'sms', 'sms', '+23480312345' || (60 + place), '080312345' || (60 + place),
  1, 350, pg_temp.id(30), state, CASE WHEN state IN ('queued', 'submitting', 'sent') THEN now() END,
  CASE state WHEN 'queued' THEN 0 ELSE 1 END, 'simulator', state = 'undelivered'
FROM unnest(enum_range(NULL::delivery_state)) WITH ORDINALITY AS states (state, place);
INSERT INTO delivery_attempt (delivery_id, attempt, provider) SELECT id, 1, 'simulator' FROM delivery WHERE attempt = 1;
INSERT INTO tracked_link (code, delivery_id, position, url) VALUES ('code1', pg_temp.id(42), 0, 'https://example.com/');
INSERT INTO link_click (id, code) VALUES (uuidv7(), 'code1');
INSERT INTO parked_report (provider, provider_reference, state) VALUES ('simulator', 'unknown', 'delivered');

-- OTPs
INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at, charge_kobo,
  request_id) VALUES
  (pg_temp.id(50), pg_temp.id(2), '+2348031234567', '08031234567', 'sms', sha256('otp'), 5, now(), 350, 'r-2');
INSERT INTO delivery (id, organisation_id, lane, channel, recipient, recipient_given, pages, charge_kobo, otp_id, state,
  next_attempt_at, sealed_body) VALUES
  (pg_temp.id(50), pg_temp.id(2), 'otp', 'sms', '+2348031234567', '08031234567', 1, 350, pg_temp.id(50), 'queued', now(),
   'sealed');
INSERT INTO otp_verification (id, otp_id, organisation_id, recipient, outcome, attempts_left) VALUES
  (uuidv7(), pg_temp.id(50), pg_temp.id(2), '+2348031234567', 'mismatch', 4);
INSERT INTO otp_spend (organisation_id, day, kobo) VALUES (pg_temp.id(2), current_date, 350);

-- Airtime: a purchase whose reservation is open
INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
  balance_before_kobo, state, refunded, next_attempt_at, request_id) VALUES
  (pg_temp.id(60), pg_temp.id(2), 'MTN', '+2348031234567', '08031234567', 10000, 96700, 'pending', false, now(), 'r-3');

-- Callbacks
INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, state, next_attempt_at, ended_at)
SELECT pg_temp.id(69 + place::int), pg_temp.id(2), 'sms.delivered', pg_temp.id(30), 'https://example.com/', 'example.com',
  '{}', 'r-1', state, CASE state WHEN 'pending' THEN now() END, CASE WHEN state <> 'pending' THEN now() END
FROM unnest(enum_range(NULL::callback_state)) WITH ORDINALITY AS states (state, place);
INSERT INTO callback_attempt (callback_id, attempt) VALUES (pg_temp.id(71), 1);
INSERT INTO callback_host (organisation_id, host, pace_ms) VALUES (pg_temp.id(2), 'example.com', 0);

-- Contacts
INSERT INTO contact_table (id, organisation_id) VALUES (pg_temp.id(80), pg_temp.id(2));
INSERT INTO contact_column (id, table_id, name, type, position) VALUES (pg_temp.id(81), pg_temp.id(80), 'name', 'TEXT', 0);
INSERT INTO contact_row (id, table_id, cells, matched)
SELECT uuidv7(), pg_temp.id(80), jsonb_build_object(pg_temp.id(81), 'Ada'), '{}' FROM generate_series(1, 3);
INSERT INTO smartlist (id, table_id, name) VALUES (pg_temp.id(82), pg_temp.id(80), 'All');
INSERT INTO contact_import (id, table_id, delimiter, columns, state, ended_at) VALUES
  (pg_temp.id(83), pg_temp.id(80), ',', '{}', 'done', now());
INSERT INTO contact_export (id, table_id, columns, state, next_attempt_at) VALUES (pg_temp.id(84), pg_temp.id(80), '[]', 'queued', now());

-- Lookup
INSERT INTO registry_import (id, registry, mode, state, source) VALUES
  (pg_temp.id(90), 'ported', 'merge', 'active', 'file'), (pg_temp.id(91), 'dnd', 'merge', 'active', 'file');
INSERT INTO ported_number (phone, import_id, operator) VALUES ('+2348031234567', pg_temp.id(90), 'Glo');
INSERT INTO dnd_number (phone, import_id) VALUES ('+2348031234568', pg_temp.id(91));
INSERT INTO live_finding (phone, provider, kept_until) VALUES ('+2348031234567', 'simulator', now());
