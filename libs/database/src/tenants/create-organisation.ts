import { sql } from '../sql/statement.js';
import type { Statements } from '../sql/statements.js';
import { defaultLimits, type Limits } from './limits.js';
import { openLedgerAccounts } from './open-ledger-accounts.js';
import type { Mode } from './tenant.js';

export interface NewOrganisation {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly sender: string;
  readonly callbackSecretId: string;
  readonly callbackSecret: string;
  readonly limits?: Limits;
}

/** An organisation with all that it cannot be without. What is already there stays as it is. */
export async function createOrganisation(
  transaction: Statements,
  { id, accountId, mode, sender, callbackSecretId, callbackSecret, limits = defaultLimits }: NewOrganisation,
): Promise<void> {
  await transaction.execute(sql`
    INSERT INTO organisation (id, account_id, mode, default_sender, requests_per_second, request_burst,
      otp_sends_per_recipient, otp_sends_per_prefix, otp_tries_per_recipient, otp_daily_spend_kobo)
    VALUES (${id}, ${accountId}, ${mode}, ${sender}, ${limits.requestsPerSecond}, ${limits.requestBurst},
      ${limits.otpSendsPerRecipient}, ${limits.otpSendsPerPrefix}, ${limits.otpTriesPerRecipient},
      ${limits.otpDailySpendKobo}) ON CONFLICT DO NOTHING`);
  await openLedgerAccounts(transaction, id);
  await transaction.execute(sql`
    INSERT INTO callback_secret (id, organisation_id, secret)
    VALUES (${callbackSecretId}, ${id}, ${callbackSecret}) ON CONFLICT DO NOTHING`);
}
