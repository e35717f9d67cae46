-- What the schema language cannot say: rules that hold whoever writes, and indexes over the few rows that somebody waits for.

-- Lists ---------------------------------------------------------------------------------------------------------------

-- An absent list is an empty one.
ALTER TABLE api_key ALTER COLUMN scopes SET NOT NULL;
ALTER TABLE message
  ALTER COLUMN recipients SET NOT NULL,
  ALTER COLUMN template_variables SET NOT NULL;
ALTER TABLE template ALTER COLUMN variables SET NOT NULL;
ALTER TABLE contact_column ALTER COLUMN options SET NOT NULL;
ALTER TABLE contact_import ALTER COLUMN columns SET NOT NULL;

-- Organisations ------------------------------------------------------------------------------------------------------

ALTER TABLE organisation
  ADD CONSTRAINT organisation_default_sender_check CHECK (default_sender <> ''),
  ADD CONSTRAINT organisation_limits_check CHECK (
    requests_per_second >= 0 AND request_burst >= 0 AND otp_sends_per_recipient >= 0
    AND otp_sends_per_prefix >= 0 AND otp_tries_per_recipient >= 0 AND otp_daily_spend_kobo >= 0),
  ADD CONSTRAINT organisation_settings_check CHECK (jsonb_typeof(settings) = 'object');

ALTER TABLE sender ADD CONSTRAINT sender_name_check CHECK (name <> '');

-- A SHA-256, not a key.
ALTER TABLE api_key ADD CONSTRAINT api_key_hash_check CHECK (octet_length(hash) = 32);

ALTER TABLE callback_secret ADD CONSTRAINT callback_secret_secret_check CHECK (secret LIKE 'whsec\_%');

-- One secret has no end; a predecessor lives on only until its own.
CREATE UNIQUE INDEX callback_secret_current_key ON callback_secret (organisation_id) WHERE retires_at IS NULL;

ALTER TABLE idempotency_claim
  ADD CONSTRAINT idempotency_claim_fingerprint_check CHECK (octet_length(fingerprint) = 32),
  ADD CONSTRAINT idempotency_claim_answer_check CHECK ((answer_status IS NULL) = (answer_body IS NULL)),
  ADD CONSTRAINT idempotency_claim_attempt_check CHECK (attempt >= 1);

-- Money --------------------------------------------------------------------------------------------------------------

-- Nobody spends what is not there, and exactly the accounts that can be spent from store a balance.
ALTER TABLE ledger_account
  ADD CONSTRAINT ledger_account_balance_check CHECK (balance >= 0),
  ADD CONSTRAINT ledger_account_stored_check CHECK ((kind IN ('wallet', 'reserved')) = (balance IS NOT NULL));

ALTER TABLE ledger_entry
  ADD CONSTRAINT ledger_entry_amount_check CHECK (amount <> 0),
  ADD CONSTRAINT ledger_entry_balance_after_check CHECK (balance_after >= 0);

-- A purchase is posted or voided, never both. (One charge, refund or reservation per subject: the unique key
-- on subject and kind.)
CREATE UNIQUE INDEX ledger_transaction_settled_key ON ledger_transaction (subject_id) WHERE kind IN ('post', 'void');

-- The entries that one statement adds to a transaction sum to zero; as entries never change, so do all of them
-- together. Checked per statement and not by a deferred trigger per row: a batch of 64 charges is one aggregate over
-- 128 rows instead of 128 queries, and nothing unbalanced can be seen even inside the transaction.
-- And where an entry tells the balance after it, that is what its account holds when the statement has ended: an
-- update that was lost or went elsewhere undoes the statement.
CREATE FUNCTION ledger_entry_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong uuid;
BEGIN
  SELECT transaction_id INTO wrong FROM fresh GROUP BY transaction_id HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of ledger transaction % do not sum to zero', wrong
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances', TABLE = 'ledger_entry',
            HINT = 'Insert all entries of a transaction in one statement.';
  END IF;
  SELECT account_id INTO wrong
  FROM (SELECT DISTINCT ON (account_id) account_id, balance_after FROM fresh WHERE balance_after IS NOT NULL
        ORDER BY account_id, transaction_id DESC) last
  WHERE balance_after IS DISTINCT FROM (SELECT balance FROM ledger_account WHERE id = account_id) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the balance of ledger account % is not what its last entry says', wrong
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balance_after', TABLE = 'ledger_entry',
            HINT = 'Change the balance before the entry is inserted, or in the same statement.';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_entry_balances AFTER INSERT ON ledger_entry
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_balances();

CREATE FUNCTION ledger_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % refused: the ledger is written once', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_written_once', TABLE = TG_TABLE_NAME,
          HINT = 'Correct it with a further transaction.';
END $$;

CREATE TRIGGER ledger_entry_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_written_once();
CREATE TRIGGER ledger_transaction_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_written_once();

ALTER TABLE price
  ADD CONSTRAINT price_prefix_check CHECK (prefix ~ '^[0-9]*$'),
  ADD CONSTRAINT price_kobo_check CHECK (kobo >= 0);

-- Messages -----------------------------------------------------------------------------------------------------------

ALTER TABLE message
  ADD CONSTRAINT message_charge_check CHECK (charge_kobo >= 0 AND balance_kobo >= 0),
  ADD CONSTRAINT message_pages_check CHECK (pages >= 1 AND length >= 0);

ALTER TABLE message_expansion
  ADD CONSTRAINT message_expansion_due_check CHECK ((state = 'expanding') = (next_attempt_at IS NOT NULL)),
  ADD CONSTRAINT message_expansion_end_check CHECK ((state = 'expanding') = (ended_at IS NULL)),
  ADD CONSTRAINT message_expansion_charge_check CHECK (charge_kobo >= 0),
  -- Something became of every row.
  ADD CONSTRAINT message_expansion_rows_check CHECK (
    rows = recipients + duplicates + without_number + unsendable + unaffordable);

CREATE INDEX message_expansion_due_idx ON message_expansion (next_attempt_at) WHERE state = 'expanding';

ALTER TABLE delivery
  ADD CONSTRAINT delivery_recipient_check CHECK (recipient ~ '^\+[1-9][0-9]{1,14}$'),
  ADD CONSTRAINT delivery_charge_check CHECK (charge_kobo >= 0 AND pages >= 1 AND attempt >= 0),
  -- It belongs to a message or to an OTP, and its lane says to which.
  ADD CONSTRAINT delivery_parent_check CHECK (
    CASE lane WHEN 'otp' THEN otp_id IS NOT NULL AND message_id IS NULL
              ELSE message_id IS NOT NULL AND otp_id IS NULL END),
  -- What is not final has a moment at which a sweeper takes it up: nothing can be forgotten.
  ADD CONSTRAINT delivery_due_check CHECK ((state IN ('queued', 'submitting', 'sent')) = (next_attempt_at IS NOT NULL)),
  -- The clear text is gone as soon as the provider has it, or never will.
  ADD CONSTRAINT delivery_sealed_body_check CHECK (sealed_body IS NULL OR state IN ('queued', 'submitting'));

CREATE INDEX delivery_message_id_idx ON delivery (message_id) WHERE message_id IS NOT NULL;
-- Finds the messages of which some recipient failed, or waits: leaping from one to the next.
CREATE INDEX delivery_state_idx ON delivery (organisation_id, state, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX delivery_otp_id_idx ON delivery (otp_id) WHERE otp_id IS NOT NULL;
CREATE INDEX delivery_provider_reference_idx ON delivery (provider, provider_reference) WHERE provider_reference IS NOT NULL;
-- Workers leap from organisation to organisation: what one of them has waiting hides nobody else's.
CREATE INDEX delivery_due_idx ON delivery (lane, organisation_id, next_attempt_at) WHERE state IN ('queued', 'submitting');
CREATE INDEX delivery_validity_idx ON delivery (next_attempt_at) WHERE state = 'sent';

CREATE INDEX simulated_message_report_due_idx ON simulated_message (report_due_at) WHERE report_due_at IS NOT NULL;

-- Nothing but a web address is ever redirected to.
ALTER TABLE tracked_link
  ADD CONSTRAINT tracked_link_url_check CHECK (url ~* '^https?://'),
  ADD CONSTRAINT tracked_link_clicks_check CHECK (clicks >= 0);

-- OTP ----------------------------------------------------------------------------------------------------------------

ALTER TABLE otp
  ADD CONSTRAINT otp_recipient_check CHECK (recipient ~ '^\+[1-9][0-9]{1,14}$'),
  ADD CONSTRAINT otp_hmac_check CHECK (octet_length(hmac) = 32),
  ADD CONSTRAINT otp_status_check CHECK (status BETWEEN 1 AND 5),
  -- No path, however parallel, counts beyond the cap.
  ADD CONSTRAINT otp_attempts_check CHECK (attempts BETWEEN 0 AND max_attempts AND max_attempts > 0),
  ADD CONSTRAINT otp_charge_check CHECK (charge_kobo >= 0);

ALTER TABLE otp_spend ADD CONSTRAINT otp_spend_kobo_check CHECK (kobo >= 0);

-- Sends to numbers that differ in their last four digits only.
CREATE INDEX otp_prefix_idx ON otp (organisation_id, left(recipient, -4), placed_at);

-- Wrong tries of a recipient within the hour.
CREATE INDEX otp_verification_wrong_idx ON otp_verification (organisation_id, recipient, created_at)
  WHERE outcome IN ('mismatch', 'exhausted');

-- Airtime ------------------------------------------------------------------------------------------------------------

ALTER TABLE airtime_purchase
  ADD CONSTRAINT airtime_purchase_recipient_check CHECK (recipient ~ '^\+[1-9][0-9]{1,14}$'),
  ADD CONSTRAINT airtime_purchase_amount_check CHECK (amount_kobo > 0 AND balance_before_kobo >= amount_kobo),
  ADD CONSTRAINT airtime_purchase_attempt_check CHECK (attempt >= 0),
  ADD CONSTRAINT airtime_purchase_refunded_check CHECK (NOT refunded OR state IN ('failed', 'duplicate')),
  ADD CONSTRAINT airtime_purchase_resolution_check CHECK (resolution IN ('success', 'failed')),
  -- What is not final has a moment at which a sweeper takes it up; what is in error waits for a person's word.
  ADD CONSTRAINT airtime_purchase_due_check CHECK (
    (state IN ('pending', 'submitting', 'sent') OR state = 'error' AND resolution IS NOT NULL)
    = (next_attempt_at IS NOT NULL)),
  -- Whoever was called can be asked.
  ADD CONSTRAINT airtime_purchase_submitted_check CHECK (
    state NOT IN ('submitting', 'sent', 'success', 'error') OR submitted_at IS NOT NULL AND provider IS NOT NULL);

CREATE INDEX airtime_purchase_due_idx ON airtime_purchase (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
-- Finds an organisation's few failures among its many successes, which do not pay for it.
CREATE INDEX airtime_purchase_state_idx ON airtime_purchase (organisation_id, state, id) WHERE state <> 'success';

-- Registry -----------------------------------------------------------------------------------------------------------

ALTER TABLE registry_import ADD CONSTRAINT registry_import_lines_check CHECK (lines >= 0 AND rejected >= 0);
ALTER TABLE ported_number
  ADD CONSTRAINT ported_number_phone_check CHECK (phone ~ '^\+[1-9][0-9]{1,14}$'),
  ADD CONSTRAINT ported_number_operator_check CHECK (operator <> '');
ALTER TABLE dnd_number ADD CONSTRAINT dnd_number_phone_check CHECK (phone ~ '^\+[1-9][0-9]{1,14}$');
ALTER TABLE live_finding
  ADD CONSTRAINT live_finding_phone_check CHECK (phone ~ '^\+[1-9][0-9]{1,14}$'),
  ADD CONSTRAINT live_finding_country_check CHECK (country ~ '^[A-Z]{2}$');

-- Two who import the same file at once are one.
CREATE UNIQUE INDEX registry_import_loading_key ON registry_import (registry, mode, digest) WHERE state = 'loading';

-- Contacts -----------------------------------------------------------------------------------------------------------

ALTER TABLE contact_column
  ADD CONSTRAINT contact_column_name_check CHECK (name <> ''),
  ADD CONSTRAINT contact_column_type_check CHECK (
    type IN ('TEXT', 'NUMBER', 'DATE', 'PHONE NUMBER', 'EMAIL', 'URL', 'SELECT', 'MULTI SELECT'));
ALTER TABLE contact_row
  ADD CONSTRAINT contact_row_cells_check CHECK (jsonb_typeof(cells) = 'object' AND jsonb_typeof(matched) = 'object');
ALTER TABLE smartlist ADD CONSTRAINT smartlist_filters_check CHECK (jsonb_typeof(filters) = 'array');
ALTER TABLE contact_scroll ADD CONSTRAINT contact_scroll_page_check CHECK (per_page BETWEEN 1 AND 1000 AND count_total >= 0);
ALTER TABLE contact_import
  ADD CONSTRAINT contact_import_due_check CHECK ((state IN ('queued', 'running')) = (next_attempt_at IS NOT NULL)),
  ADD CONSTRAINT contact_import_end_check CHECK ((state IN ('done', 'failed')) = (ended_at IS NOT NULL)),
  ADD CONSTRAINT contact_import_taken_check CHECK (taken BETWEEN 0 AND bytes),
  ADD CONSTRAINT contact_import_lines_check CHECK (lines = created + updated + rejected);
ALTER TABLE contact_export
  ADD CONSTRAINT contact_export_due_check CHECK ((state IN ('queued', 'running')) = (next_attempt_at IS NOT NULL)),
  ADD CONSTRAINT contact_export_end_check CHECK ((state IN ('done', 'failed')) = (ended_at IS NOT NULL));

-- One `All contacts` per table.
CREATE UNIQUE INDEX smartlist_everyone_key ON smartlist (table_id) WHERE everyone;
CREATE UNIQUE INDEX contact_column_name_key ON contact_column (table_id, lower(name)) WHERE removed_at IS NULL;
CREATE INDEX contact_column_removed_idx ON contact_column (removed_at) WHERE removed_at IS NOT NULL;

-- Text without its case, whatever the locale of the database.
CREATE FUNCTION contact_fold(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN casefold(value COLLATE pg_unicode_fast);

-- What a row can be found by: per cell the value as a whole, and every three neighbouring characters of it, as written
-- and as compared. A term holds the id of its column, so that no organisation's rows get in the way of another's.
-- The cost keeps the planner from computing it anew instead of asking the index. `substr` would count the characters
-- from the first one every time: an array knows where each is.
CREATE FUNCTION contact_terms(cells jsonb, matched jsonb) RETURNS int[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
DECLARE
  field text;
  written text;
  compared text;
  characters text[];
  terms int[] := '{}';
BEGIN
  FOR field, written IN SELECT key, value FROM jsonb_each_text(cells) LOOP
    written := casefold(written COLLATE pg_unicode_fast);
    compared := casefold((matched ->> field) COLLATE pg_unicode_fast);
    terms := terms || hashtext(field || '=' || coalesce(compared, written));
    characters := string_to_array(written, NULL);
    FOR place IN 3 .. cardinality(characters) LOOP
      terms := terms || hashtext(field || characters[place - 2] || characters[place - 1] || characters[place]);
    END LOOP;
    characters := string_to_array(compared, NULL);
    FOR place IN 3 .. coalesce(cardinality(characters), 0) LOOP
      terms := terms || hashtext(field || characters[place - 2] || characters[place - 1] || characters[place]);
    END LOOP;
  END LOOP;
  RETURN terms;
END $$;

-- The term of a cell that equals a value.
CREATE FUNCTION contact_value_term(field text, value text) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN hashtext(field || '=' || casefold(value COLLATE pg_unicode_fast));

-- The terms of a cell in which a text stands; none for texts of one or two characters.
CREATE FUNCTION contact_text_terms(field text, value text) RETURNS int[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  BEGIN ATOMIC
    SELECT coalesce(array_agg(DISTINCT hashtext(field || one || two || three)), '{}')
    FROM string_to_array(casefold(value COLLATE pg_unicode_fast), NULL) AS characters
    CROSS JOIN LATERAL unnest(characters, characters[2:], characters[3:]) AS neighbours (one, two, three)
    WHERE three IS NOT NULL;
  END;

-- New entries wait in a list that every search reads through: a short one.
CREATE INDEX contact_row_terms_idx ON contact_row USING gin (contact_terms(cells, matched))
  WITH (gin_pending_list_limit = 1024);

CREATE INDEX contact_tally_fresh_idx ON contact_tally (id) WHERE NOT summed;
CREATE FUNCTION contact_row_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO contact_tally (table_id, delta)
  SELECT table_id, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END FROM changed GROUP BY table_id;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_row_added AFTER INSERT ON contact_row
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_row_tally();
CREATE TRIGGER contact_row_removed AFTER DELETE ON contact_row
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_row_tally();

CREATE INDEX contact_import_due_idx ON contact_import (next_attempt_at) WHERE state IN ('queued', 'running');
CREATE INDEX contact_import_unfinished_idx ON contact_import (table_id) WHERE state IN ('uploading', 'queued', 'running');
CREATE INDEX contact_import_heard_idx ON contact_import (heard_at) WHERE state = 'uploading';
CREATE INDEX contact_import_ended_idx ON contact_import (ended_at) WHERE ended_at IS NOT NULL;
-- One at a time per table: two would not see each other's rows.
CREATE UNIQUE INDEX contact_import_running_key ON contact_import (table_id) WHERE state = 'running';
CREATE INDEX contact_export_due_idx ON contact_export (next_attempt_at) WHERE state IN ('queued', 'running');
CREATE INDEX contact_export_ended_idx ON contact_export (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX contact_export_running_key ON contact_export (table_id) WHERE state = 'running';

-- Callbacks ----------------------------------------------------------------------------------------------------------

ALTER TABLE callback
  ADD CONSTRAINT callback_attempt_check CHECK (attempt >= earlier_attempts AND earlier_attempts >= 0),
  ADD CONSTRAINT callback_due_check CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
  ADD CONSTRAINT callback_lease_check CHECK (state = 'pending' OR leased_until IS NULL),
  ADD CONSTRAINT callback_end_check CHECK ((state = 'pending') = (ended_at IS NULL));
ALTER TABLE callback_host ADD CONSTRAINT callback_host_check CHECK (pace_ms >= 0 AND failures >= 0);

-- By host, so that the backlog of one is no burden on the way to another's.
CREATE INDEX callback_due_idx ON callback (organisation_id, host, next_attempt_at) WHERE state = 'pending';
CREATE INDEX callback_due_since_idx ON callback (due_since) WHERE state = 'pending';
CREATE INDEX callback_leased_idx ON callback (organisation_id, host) WHERE leased_until IS NOT NULL;
CREATE INDEX callback_ended_idx ON callback (ended_at) WHERE ended_at IS NOT NULL;
-- What an organisation looks for: few, among many that arrived.
CREATE INDEX callback_undelivered_idx ON callback (organisation_id, id) WHERE state IN ('failed', 'gone');
CREATE INDEX callback_pending_idx ON callback (organisation_id, id) WHERE state = 'pending';
CREATE INDEX callback_host_failing_idx ON callback_host (failing_since) WHERE failing_since IS NOT NULL;
CREATE INDEX callback_attempt_answer_idx ON callback_attempt (started_at) WHERE answer IS NOT NULL;
