-- Operators, the log of what they change, and the approvals that they give each other.

-- The audit log ------------------------------------------------------------------------------------------------------

-- Every change made with `pnpm admin`. Rows are only added; `prune_audit_log` removes old ones.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  actor varchar(100) NOT NULL,
  database_user varchar(63) NOT NULL DEFAULT SESSION_USER,
  action varchar(64) NOT NULL,
  organisation_id uuid,
  target varchar(255) NOT NULL,
  before jsonb,
  after jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT audit_log_actor_check CHECK (actor <> ''),
  CONSTRAINT audit_log_action_check CHECK (action <> '')
);
CREATE INDEX audit_log_created_at_idx ON audit_log (created_at);
CREATE INDEX audit_log_organisation_id_created_at_idx ON audit_log (organisation_id, created_at);

-- The actor is what the writer says. The database adds what it knows itself, whatever the statement says.
CREATE FUNCTION audit_log_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.database_user := SESSION_USER;
  NEW.created_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER audit_log_stamp BEFORE INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_stamp();

CREATE FUNCTION audit_log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % refused: the audit log is append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_log_append_only', TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_append_only();
-- With session_replication_role = replica too.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;

-- Every entry has a number and a hash in the chain of its organisation. The hash covers the entry and the hash before it,
-- so that no entry can be changed, removed or added unseen. Entries without an organisation have a chain of their own.
CREATE TABLE audit_chain (
  id uuid PRIMARY KEY,
  organisation_id uuid,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  anchor_number bigint NOT NULL,
  anchor_hash bytea NOT NULL,
  logged_number bigint NOT NULL DEFAULT 0,
  logged_at timestamptz(3),
  CONSTRAINT audit_chain_id_check CHECK (id = coalesce(organisation_id, '00000000-0000-0000-0000-000000000000')),
  CONSTRAINT audit_chain_anchor_check CHECK (anchor_number BETWEEN 0 AND number)
);

CREATE TABLE audit_link (
  entry_id uuid PRIMARY KEY,
  chain_id uuid NOT NULL,
  number bigint,
  hash bytea,
  CONSTRAINT audit_link_numbered_check CHECK ((number IS NULL) = (hash IS NULL))
);
CREATE UNIQUE INDEX audit_link_chain_id_number_key ON audit_link (chain_id, number);
-- Those of open transactions; they are numbered when a transaction is committed.
CREATE INDEX audit_link_pending_idx ON audit_link (chain_id, entry_id) WHERE number IS NULL;

-- Each field with its length, so that no two entries have the same text. `pnpm admin audit check` computes it too.
CREATE FUNCTION audit_entry_hash(previous bytea, number bigint, entry audit_log) RETURNS bytea
LANGUAGE sql STABLE AS $$
  SELECT sha256(previous || convert_to(string_agg(coalesce(octet_length(field) || ':' || field, '-'), ',' ORDER BY place), 'UTF8'))
  FROM unnest(ARRAY[number::text, entry.id::text, entry.actor, entry.database_user, entry.action, entry.organisation_id::text,
    entry.target, entry.before::text, entry.after::text, (extract(epoch FROM entry.created_at) * 1000)::bigint::text])
    WITH ORDINALITY AS fields (field, place)
$$;
REVOKE EXECUTE ON FUNCTION audit_entry_hash FROM PUBLIC;

-- A chain begins with the hash of its organisation, so that no chain can stand for another.
CREATE FUNCTION audit_chain_origin(chain_id uuid) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to('gangan audit log ' || chain_id, 'UTF8'))
$$;
REVOKE EXECUTE ON FUNCTION audit_chain_origin FROM PUBLIC;

-- prisma/functions explains the next two. Later migrations add entries, so they are complete here, too.
CREATE FUNCTION audit_link_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO audit_link (entry_id, chain_id)
  VALUES (NEW.id, coalesce(NEW.organisation_id, '00000000-0000-0000-0000-000000000000'));
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION audit_link_added FROM PUBLIC;
CREATE TRIGGER audit_link_added AFTER INSERT ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_link_added();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_link_added;

CREATE FUNCTION audit_link_numbered() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  pending record;
  head audit_chain;
BEGIN
  IF EXISTS (SELECT FROM audit_link WHERE entry_id = NEW.entry_id AND number IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  FOR pending IN SELECT entry_id, chain_id FROM audit_link WHERE number IS NULL ORDER BY chain_id, entry_id LOOP
    IF head.id IS DISTINCT FROM pending.chain_id THEN
      UPDATE audit_chain SET number = head.number, hash = head.hash WHERE id = head.id;
      INSERT INTO audit_chain (id, organisation_id, number, hash, anchor_number, anchor_hash)
      VALUES (pending.chain_id, nullif(pending.chain_id, '00000000-0000-0000-0000-000000000000'), 0,
        audit_chain_origin(pending.chain_id), 0, audit_chain_origin(pending.chain_id))
      ON CONFLICT DO NOTHING;
      SELECT * INTO STRICT head FROM audit_chain WHERE id = pending.chain_id FOR UPDATE;
    END IF;
    head.number := head.number + 1;
    head.hash := (
      SELECT audit_entry_hash(head.hash, head.number, entry) FROM audit_log entry WHERE entry.id = pending.entry_id);
    UPDATE audit_link SET number = head.number, hash = head.hash WHERE entry_id = pending.entry_id;
  END LOOP;
  UPDATE audit_chain SET number = head.number, hash = head.hash WHERE id = head.id;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION audit_link_numbered FROM PUBLIC;
CREATE CONSTRAINT TRIGGER audit_link_numbered AFTER INSERT ON audit_link
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_link_numbered();
ALTER TABLE audit_link ENABLE ALWAYS TRIGGER audit_link_numbered;

-- Operators ----------------------------------------------------------------------------------------------------------

-- Who may approve: a database login of the role of the operators. The owner of the tables adds it; once there are two, another
-- operator has to confirm it.
CREATE TABLE operator_login (
  name varchar(13) PRIMARY KEY,
  login varchar(63) NOT NULL,
  person_id uuid,
  added_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  confirmed_by varchar(63),
  confirmed_at timestamptz(3),
  CONSTRAINT operator_login_name_check CHECK (name ~ '^[a-z][a-z0-9-]*$' AND name <> 'login'),
  CONSTRAINT operator_login_confirmed_check CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
  CONSTRAINT operator_login_confirmed_by_check CHECK (confirmed_by <> login)
);
CREATE UNIQUE INDEX operator_login_login_key ON operator_login (login);

-- What may be changed without an approval: kobo per operator and per account in 24 hours. NULL is no limit.
CREATE TABLE approval_setting (
  id smallint PRIMARY KEY DEFAULT 1,
  limit_kobo bigint,
  CONSTRAINT approval_setting_id_check CHECK (id = 1),
  CONSTRAINT approval_setting_limit_kobo_check CHECK (limit_kobo >= 0)
);
INSERT INTO approval_setting (limit_kobo) VALUES (100000000);

-- Money that was booked without an approval. Rows are needed for 24 hours.
CREATE TABLE unapproved_amount (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  login varchar(63) NOT NULL,
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  kobo bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT unapproved_amount_kobo_check CHECK (kobo >= 0)
);
-- `needs_approval` compares logins by `is_same_principal`, which no index serves.
CREATE INDEX unapproved_amount_account_id_created_at_idx ON unapproved_amount (account_id, created_at);

-- For texts that people read.
CREATE FUNCTION naira(kobo bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(kobo / 100.0, 'FM999999999999999990.00')
$$;
REVOKE EXECUTE ON FUNCTION naira FROM PUBLIC;

CREATE FUNCTION organisation_label(organisation uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT account.name || '/' || mode FROM organisation own JOIN account ON account.id = own.account_id WHERE own.id = organisation
$$;
REVOKE EXECUTE ON FUNCTION organisation_label FROM PUBLIC;

-- Approvals ----------------------------------------------------------------------------------------------------------

-- Changes that wait for a second person, or waited. Rows are never deleted.
CREATE TYPE approval_state AS ENUM ('pending', 'approved', 'rejected', 'expired');

CREATE TABLE approval (
  id uuid PRIMARY KEY,
  organisation_id uuid REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  action varchar(32) NOT NULL,
  subject varchar(255) NOT NULL,
  kobo bigint,
  change jsonb NOT NULL DEFAULT '{}',
  note text,
  state approval_state NOT NULL DEFAULT 'pending',
  requested_by varchar(100) NOT NULL,
  requested_login varchar(63),
  requested_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  decided_by varchar(100),
  decided_login varchar(63),
  decided_at timestamptz(3),
  CONSTRAINT approval_action_check CHECK (
    action IN ('top_up', 'adjustment', 'price', 'limits', 'resolution', 'refund', 'approval_limit')),
  CONSTRAINT approval_amount_check CHECK (CASE action
    WHEN 'top_up' THEN kobo > 0 WHEN 'adjustment' THEN kobo <> 0 AND note IS NOT NULL ELSE true END),
  CONSTRAINT approval_organisation_check CHECK (organisation_id IS NOT NULL OR action IN ('price', 'approval_limit')),
  CONSTRAINT approval_requester_check CHECK (state <> 'pending' OR requested_login IS NOT NULL),
  CONSTRAINT approval_decision_check CHECK (
    (state IN ('approved', 'rejected')) = (decided_by IS NOT NULL)
    AND (decided_by IS NULL) = (decided_at IS NULL)),
  CONSTRAINT approval_second_login_check CHECK (
    state <> 'approved' OR CASE WHEN requested_login IS NULL THEN decided_login IS NULL
      ELSE decided_login IS NOT NULL AND decided_login <> requested_login END),
  CONSTRAINT approval_in_time_check CHECK (state <> 'approved' OR decided_at < expires_at)
);
CREATE INDEX approval_organisation_id_id_idx ON approval (organisation_id, id);
CREATE INDEX approval_action_subject_idx ON approval (action, subject);
-- A change is requested once at a time.
CREATE UNIQUE INDEX approval_pending_key ON approval (action, subject) WHERE state = 'pending';

-- What was requested is what is approved, and a decision is final.
CREATE FUNCTION approval_decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.state = 'pending' AND NEW.state <> 'pending'
      AND to_jsonb(NEW) - '{state,decided_by,decided_login,decided_at}'::text[]
        = to_jsonb(OLD) - '{state,decided_by,decided_login,decided_at}'::text[]
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% of % refused: a request is decided once, and never changed or deleted', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'check_violation', CONSTRAINT = 'approval_decided_once', TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER approval_decided_once BEFORE UPDATE OR DELETE ON approval
  FOR EACH ROW EXECUTE FUNCTION approval_decided_once();
CREATE TRIGGER approval_not_truncated BEFORE TRUNCATE ON approval
  FOR EACH STATEMENT EXECUTE FUNCTION approval_decided_once();
