-- Who may approve: a database login of the role of the operators. The owner of the tables adds it; once there are two, another
-- operator has to confirm it.
CREATE TABLE operator_login (
  name varchar(13) NOT NULL,
  login varchar(63) NOT NULL,
  person_id uuid,
  added_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  confirmed_by varchar(63),
  confirmed_at timestamptz(3),
  CONSTRAINT operator_login_pkey PRIMARY KEY (name)
);

ALTER TABLE operator_login
  ADD CONSTRAINT operator_login_name_check CHECK (name ~ '^[a-z][a-z0-9-]*$' AND name <> 'login'),
  ADD CONSTRAINT operator_login_confirmed_check CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
  ADD CONSTRAINT operator_login_confirmed_by_check CHECK (confirmed_by <> login);

CREATE UNIQUE INDEX operator_login_login_key ON operator_login (login);

-- What may be changed without an approval: kobo per operator and per account in 24 hours. NULL is no limit.
CREATE TABLE approval_setting (
  id smallint NOT NULL DEFAULT 1,
  limit_kobo bigint,
  CONSTRAINT approval_setting_pkey PRIMARY KEY (id)
);

ALTER TABLE approval_setting
  ADD CONSTRAINT approval_setting_id_check CHECK (id = 1),
  ADD CONSTRAINT approval_setting_limit_kobo_check CHECK (limit_kobo >= 0);

INSERT INTO approval_setting (limit_kobo) VALUES (100000000);

-- Money that was booked without an approval. Rows are needed for 24 hours.
CREATE TABLE unapproved_amount (
  id uuid NOT NULL DEFAULT uuidv7(),
  login varchar(63) NOT NULL,
  account_id uuid NOT NULL,
  kobo bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT unapproved_amount_pkey PRIMARY KEY (id)
);

ALTER TABLE unapproved_amount
  ADD CONSTRAINT unapproved_amount_kobo_check CHECK (kobo >= 0),
  ADD CONSTRAINT unapproved_amount_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE INDEX unapproved_amount_login_created_at_idx ON unapproved_amount (login, created_at);
CREATE INDEX unapproved_amount_account_id_created_at_idx ON unapproved_amount (account_id, created_at);

-- A request can be about more than a booking, and names the logins of both people. Who made the pending ones is not proved:
-- they have to be made again.
UPDATE approval SET state = 'expired' WHERE state = 'pending';

ALTER TABLE approval
  ADD COLUMN action varchar(32),
  ADD COLUMN subject varchar(255),
  ADD COLUMN change jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN requested_login varchar(63),
  ADD COLUMN decided_login varchar(63),
  DROP CONSTRAINT approval_amount_check,
  DROP CONSTRAINT approval_second_person_check;

ALTER TABLE approval DISABLE TRIGGER USER;
UPDATE approval SET action = kind::text, subject = subject_id::text;
ALTER TABLE approval ENABLE TRIGGER USER;

ALTER TABLE approval
  ALTER COLUMN action SET NOT NULL,
  ALTER COLUMN subject SET NOT NULL,
  ALTER COLUMN organisation_id DROP NOT NULL,
  ALTER COLUMN kobo DROP NOT NULL,
  DROP COLUMN kind,
  DROP COLUMN subject_id,
  ADD CONSTRAINT approval_action_check CHECK (
    action IN ('top_up', 'adjustment', 'price', 'limits', 'resolution', 'approval_limit')),
  ADD CONSTRAINT approval_amount_check CHECK (CASE action
    WHEN 'top_up' THEN kobo > 0 WHEN 'adjustment' THEN kobo <> 0 AND note IS NOT NULL ELSE true END),
  ADD CONSTRAINT approval_organisation_check CHECK (organisation_id IS NOT NULL OR action IN ('price', 'approval_limit')),
  ADD CONSTRAINT approval_requester_check CHECK (state <> 'pending' OR requested_login IS NOT NULL),
  -- Earlier approvals have no logins.
  ADD CONSTRAINT approval_second_login_check CHECK (
    state <> 'approved' OR CASE WHEN requested_login IS NULL THEN decided_login IS NULL
      ELSE decided_login IS NOT NULL AND decided_login <> requested_login END);

CREATE INDEX approval_action_subject_idx ON approval (action, subject);
CREATE UNIQUE INDEX approval_pending_key ON approval (action, subject) WHERE state = 'pending';

CREATE OR REPLACE FUNCTION approval_decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- For texts that people read.
CREATE FUNCTION naira(kobo bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(kobo / 100.0, 'FM999999999999999990.00')
$$;
REVOKE EXECUTE ON FUNCTION naira FROM PUBLIC;

CREATE FUNCTION organisation_label(organisation uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT account.name || '/' || mode FROM organisation own JOIN account ON account.id = own.account_id WHERE own.id = organisation
$$;
REVOKE EXECUTE ON FUNCTION organisation_label FROM PUBLIC;
