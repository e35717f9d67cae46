-- Numbers the entries of a transaction when it is committed, chain by chain in the order of their ids. A chain is locked
-- only then, after all wallets and rows, and always in this order: two transactions never deadlock on chains. Entries of
-- open transactions of others are not visible here, those of committed ones have their number.
CREATE OR REPLACE FUNCTION audit_link_numbered() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  pending record;
  head audit_chain;
BEGIN
  -- The trigger of the first entry numbers all of them.
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
