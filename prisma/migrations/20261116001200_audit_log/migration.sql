-- Every change made with `pnpm admin`. Rows are only added, and never deleted.
CREATE TABLE audit_log (
  id uuid NOT NULL,
  actor varchar(100) NOT NULL,
  database_user varchar(63) NOT NULL DEFAULT SESSION_USER,
  action varchar(64) NOT NULL,
  organisation_id uuid,
  target varchar(255) NOT NULL,
  before jsonb,
  after jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);

ALTER TABLE audit_log
  ADD CONSTRAINT audit_log_actor_check CHECK (actor <> ''),
  ADD CONSTRAINT audit_log_action_check CHECK (action <> '');

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
