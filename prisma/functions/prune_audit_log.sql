-- Removes the entries of the audit log from before a time, at least a year ago, and returns how many. Of each chain only its first
-- entries go; the number and hash of the last of them stay as the anchor, from which a check begins. A new entry of the chain names
-- the anchor, so that a check tells it from one that someone has set by hand. Only the owner of the tables can call it.
CREATE OR REPLACE FUNCTION prune_audit_log(before_time timestamptz, actor text)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  pruned uuid[]; -- the organisations of the chains that have lost entries
  removed bigint;
BEGIN
  IF before_time > now() - interval '1 year' THEN
    RAISE 'Entries are kept for at least a year: give an earlier time. Nothing was removed.';
  END IF;
  -- New entries wait until the transaction ends.
  LOCK TABLE audit_chain, audit_log IN SHARE ROW EXCLUSIVE MODE;
  WITH moved AS (
    UPDATE audit_chain chain SET anchor_number = last.number, anchor_hash = last.hash
    FROM audit_link last
    WHERE last.chain_id = chain.id AND last.number > chain.anchor_number AND last.number = coalesce(
      (SELECT min(kept.number) FROM audit_link kept LEFT JOIN audit_log entry ON entry.id = kept.entry_id
        WHERE kept.chain_id = chain.id AND (entry.created_at >= before_time OR entry.id IS NULL)) - 1, chain.number)
    RETURNING chain.organisation_id)
  SELECT array_agg(organisation_id) FILTER (WHERE organisation_id IS NOT NULL) INTO pruned FROM moved;
  ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
  DELETE FROM audit_log entry USING audit_link link, audit_chain chain
  WHERE link.entry_id = entry.id AND chain.id = link.chain_id AND link.number <= chain.anchor_number;
  GET DIAGNOSTICS removed = ROW_COUNT;
  ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
  DELETE FROM audit_link link USING audit_chain chain
  WHERE chain.id = link.chain_id AND link.number <= chain.anchor_number;
  PERFORM add_audit_entry(actor, 'audit prune', organisation_id, 'audit log', NULL, jsonb_strip_nulls(jsonb_build_object(
    'before', before_time, 'removed', CASE WHEN organisation_id IS NULL THEN removed END,
    'anchor', (SELECT anchor_number FROM audit_chain chain WHERE chain.organisation_id IS NOT DISTINCT FROM owner.organisation_id))))
  FROM unnest(array_append(pruned, NULL)) AS owner (organisation_id);
  RETURN removed;
END $$;
