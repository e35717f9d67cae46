-- Every entry of the audit log has a number and a hash in the chain of its organisation. The hash covers the entry and
-- the hash before it, so that no entry can be changed, removed or added unseen. Entries without an organisation have a
-- chain of their own.
CREATE TABLE audit_chain (
  id uuid NOT NULL,
  organisation_id uuid,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  anchor_number bigint NOT NULL,
  anchor_hash bytea NOT NULL,
  logged_number bigint NOT NULL DEFAULT 0,
  logged_at timestamptz(3),
  CONSTRAINT audit_chain_pkey PRIMARY KEY (id)
);

ALTER TABLE audit_chain
  ADD CONSTRAINT audit_chain_id_check CHECK (id = coalesce(organisation_id, '00000000-0000-0000-0000-000000000000')),
  ADD CONSTRAINT audit_chain_anchor_check CHECK (anchor_number BETWEEN 0 AND number);

CREATE TABLE audit_link (
  entry_id uuid NOT NULL,
  chain_id uuid NOT NULL,
  number bigint,
  hash bytea,
  CONSTRAINT audit_link_pkey PRIMARY KEY (entry_id)
);

ALTER TABLE audit_link
  ADD CONSTRAINT audit_link_numbered_check CHECK ((number IS NULL) = (hash IS NULL));

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

-- The entries that exist, in the order of their times: one pass.
LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;
DO $$
DECLARE
  entry audit_log;
  own uuid;
  chain uuid;
  last_number bigint;
  last_hash bytea;
BEGIN
  FOR entry IN
    SELECT * FROM audit_log
    ORDER BY coalesce(organisation_id, '00000000-0000-0000-0000-000000000000'), created_at, id
  LOOP
    own := coalesce(entry.organisation_id, '00000000-0000-0000-0000-000000000000');
    IF chain IS DISTINCT FROM own THEN
      IF chain IS NOT NULL THEN
        INSERT INTO audit_chain (id, organisation_id, number, hash, anchor_number, anchor_hash)
        VALUES (chain, nullif(chain, '00000000-0000-0000-0000-000000000000'), last_number, last_hash, 0, audit_chain_origin(chain));
      END IF;
      chain := own;
      last_number := 0;
      last_hash := audit_chain_origin(chain);
    END IF;
    last_number := last_number + 1;
    last_hash := audit_entry_hash(last_hash, last_number, entry);
    INSERT INTO audit_link (entry_id, chain_id, number, hash) VALUES (entry.id, chain, last_number, last_hash);
  END LOOP;
  IF chain IS NOT NULL THEN
    INSERT INTO audit_chain (id, organisation_id, number, hash, anchor_number, anchor_hash)
    VALUES (chain, nullif(chain, '00000000-0000-0000-0000-000000000000'), last_number, last_hash, 0, audit_chain_origin(chain));
  END IF;
END $$;

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
  FOR pending IN SELECT entry_id, chain_id FROM audit_link WHERE number IS NULL ORDER BY chain_id, entry_id LOOP
    IF head.id IS DISTINCT FROM pending.chain_id THEN
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
    UPDATE audit_chain SET number = head.number, hash = head.hash WHERE id = head.id;
  END LOOP;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION audit_link_numbered FROM PUBLIC;

CREATE CONSTRAINT TRIGGER audit_link_numbered AFTER INSERT ON audit_link
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_link_numbered();
ALTER TABLE audit_link ENABLE ALWAYS TRIGGER audit_link_numbered;
