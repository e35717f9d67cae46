-- Adds an entry to the audit log, in the transaction of the change.
CREATE OR REPLACE FUNCTION add_audit_entry(actor text, command text, organisation uuid, target text, before jsonb, after jsonb)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO audit_log (id, actor, action, organisation_id, target, before, after)
  VALUES (uuidv7(), actor, command, organisation, target, before, after)
$$;
