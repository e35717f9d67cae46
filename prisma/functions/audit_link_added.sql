-- A new entry of the audit log waits for its number until the transaction is committed.
CREATE OR REPLACE FUNCTION audit_link_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO audit_link (entry_id, chain_id)
  VALUES (NEW.id, coalesce(NEW.organisation_id, '00000000-0000-0000-0000-000000000000'));
  RETURN NULL;
END $$;
