-- Bookings of money that wait for a second person, or waited. Rows are never deleted.
CREATE TYPE approval_state AS ENUM ('pending', 'approved', 'rejected', 'expired');

CREATE TABLE approval (
  id uuid NOT NULL,
  organisation_id uuid NOT NULL,
  kind ledger_transaction_kind NOT NULL,
  subject_id uuid NOT NULL,
  kobo bigint NOT NULL,
  note text,
  state approval_state NOT NULL DEFAULT 'pending',
  requested_by varchar(100) NOT NULL,
  requested_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  decided_by varchar(100),
  decided_at timestamptz(3),
  CONSTRAINT approval_pkey PRIMARY KEY (id)
);

ALTER TABLE approval
  ADD CONSTRAINT approval_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD CONSTRAINT approval_amount_check CHECK (
    (kind = 'top_up' AND kobo > 0) OR (kind = 'adjustment' AND kobo <> 0 AND note IS NOT NULL)),
  ADD CONSTRAINT approval_decision_check CHECK (
    (state IN ('approved', 'rejected')) = (decided_by IS NOT NULL)
    AND (decided_by IS NULL) = (decided_at IS NULL)),
  ADD CONSTRAINT approval_second_person_check CHECK (
    state <> 'approved' OR lower(decided_by) <> lower(requested_by)),
  ADD CONSTRAINT approval_in_time_check CHECK (state <> 'approved' OR decided_at < expires_at);

CREATE INDEX approval_organisation_id_id_idx ON approval (organisation_id, id);
CREATE INDEX approval_subject_id_kind_idx ON approval (subject_id, kind);
-- A reference is requested once at a time.
CREATE UNIQUE INDEX approval_pending_key ON approval (subject_id, kind) WHERE state = 'pending';

-- What was requested is what is approved, and a decision is final.
CREATE FUNCTION approval_decided_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.state = 'pending' AND NEW.state <> 'pending'
      AND (NEW.id, NEW.organisation_id, NEW.kind, NEW.subject_id, NEW.kobo, NEW.requested_by, NEW.requested_at, NEW.expires_at)
        = (OLD.id, OLD.organisation_id, OLD.kind, OLD.subject_id, OLD.kobo, OLD.requested_by, OLD.requested_at, OLD.expires_at)
      AND NEW.note IS NOT DISTINCT FROM OLD.note
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
