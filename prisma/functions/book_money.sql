-- Books a top-up or an adjustment for an operator, once per subject, or requests its approval.
CREATE OR REPLACE FUNCTION book_money(
  action text, organisation uuid, subject uuid, kobo bigint, note text, reference text, actor text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_variable
BEGIN
  IF action NOT IN ('top_up', 'adjustment') OR kobo = 0 OR action = 'top_up' AND kobo < 0 THEN
    RAISE 'A top-up is more than 0, and an adjustment is not 0.';
  END IF;
  -- First: what follows locks the setting of approvals, which must not wait for a wallet.
  PERFORM lock_wallets(ARRAY[organisation]);
  IF reference IS NOT NULL THEN
    INSERT INTO payment_reference (subject_id, reference) VALUES (subject, reference) ON CONFLICT DO NOTHING;
  END IF;
  RETURN change_or_request(
    NOT EXISTS (SELECT FROM ledger_movement moved WHERE moved.subject_id = subject AND moved.kind::text = action)
      AND needs_approval(organisation, kobo),
    action, organisation, subject::text, kobo, note, jsonb_build_object('subject', subject),
    actor, CASE action WHEN 'top_up' THEN 'top-up' ELSE 'adjust' END, organisation_label(organisation));
END $$;
