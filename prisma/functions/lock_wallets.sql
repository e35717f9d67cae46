-- Locks the wallets of these organisations in the order of their ids, until the transaction ends. For the rest of it a lock
-- is waited for at most 200 ms.
CREATE OR REPLACE FUNCTION lock_wallets(organisations uuid[])
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('lock_timeout', '200ms', true), set_config('enable_seqscan', 'off', true);
  PERFORM FROM ledger_account
  WHERE organisation_id = ANY (organisations) AND balance IS NOT NULL ORDER BY id FOR UPDATE;
END $$;
