-- Records what a provider says about a purchase whose outcome is unknown, or requests the approval. A worker then settles it. A
-- purchase that was refunded and turns out to be delivered is booked as a loss.
CREATE OR REPLACE FUNCTION resolve_purchase(purchase uuid, outcome text, of_provider text, actor text, command text)
RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  found_purchase airtime_purchase;
  is_loss boolean;
BEGIN
  IF outcome NOT IN ('success', 'failed') OR command NOT IN ('airtime resolve', 'airtime reconcile') THEN
    RAISE 'A purchase is resolved as success or failed, with airtime resolve or airtime reconcile.';
  END IF;
  SELECT * INTO found_purchase FROM airtime_purchase own WHERE own.id = purchase;
  IF NOT FOUND THEN
    RAISE 'There is no purchase % (see `pnpm admin airtime unresolved`).', purchase;
  END IF;
  is_loss := command = 'airtime resolve' AND outcome = 'success' AND found_purchase.state IN ('failed', 'duplicate');
  -- It has got an outcome meanwhile, or a worker is submitting it.
  IF command = 'airtime reconcile' AND (found_purchase.state NOT IN ('sent', 'error')
    OR found_purchase.resolution IS NOT NULL OR found_purchase.provider IS DISTINCT FROM of_provider)
  THEN
    RETURN '{"state": "unchanged"}';
  ELSIF command = 'airtime resolve' AND NOT is_loss
    AND (found_purchase.state <> 'error' OR found_purchase.resolution IS NOT NULL)
  THEN
    RAISE 'Only a purchase in error can be resolved, once; this one is %.', found_purchase.state;
  END IF;
  RETURN change_or_request(
    needs_approval(found_purchase.organisation_id, found_purchase.amount_kobo),
    'resolution', found_purchase.organisation_id, purchase::text, found_purchase.amount_kobo, NULL,
    jsonb_build_object('outcome', CASE WHEN is_loss THEN 'loss' ELSE outcome END, 'state', found_purchase.state),
    actor, command, 'purchase ' || purchase);
END $$;
