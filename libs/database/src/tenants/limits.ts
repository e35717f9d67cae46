import { sql } from '../sql/statement.js';
import type { Statements } from '../sql/statements.js';

/** What an organisation may do. `null` takes the configured default, 0 switches the limit off. */
export interface Limits {
  readonly requestsPerSecond: number | null;
  readonly requestBurst: number | null;
  readonly otpSendsPerRecipient: number | null;
  readonly otpSendsPerPrefix: number | null;
  readonly otpTriesPerRecipient: number | null;
  readonly otpDailySpendKobo: bigint | null;
}

export const defaultLimits: Limits = {
  requestsPerSecond: null,
  requestBurst: null,
  otpSendsPerRecipient: null,
  otpSendsPerPrefix: null,
  otpTriesPerRecipient: null,
  otpDailySpendKobo: null,
};

export async function limitsOf(
  statements: Pick<Statements, 'query'>,
  organisationId: string,
): Promise<Limits> {
  const [limits = defaultLimits] = await statements.query<Limits>(sql`
    SELECT requests_per_second AS "requestsPerSecond", request_burst AS "requestBurst",
           otp_sends_per_recipient AS "otpSendsPerRecipient", otp_sends_per_prefix AS "otpSendsPerPrefix",
           otp_tries_per_recipient AS "otpTriesPerRecipient", otp_daily_spend_kobo AS "otpDailySpendKobo"
    FROM organisation WHERE id = ${organisationId}`);
  return limits;
}

/** Changes the limits that are given and leaves the others. */
export async function setLimits(
  transaction: Statements,
  organisationId: string,
  wanted: Partial<Limits>,
): Promise<Limits> {
  await transaction.query(sql`SELECT id FROM organisation WHERE id = ${organisationId} FOR UPDATE`);
  const limits = { ...(await limitsOf(transaction, organisationId)), ...wanted };
  await transaction.execute(sql`
    UPDATE organisation SET requests_per_second = ${limits.requestsPerSecond}, request_burst = ${limits.requestBurst},
      otp_sends_per_recipient = ${limits.otpSendsPerRecipient}, otp_sends_per_prefix = ${limits.otpSendsPerPrefix},
      otp_tries_per_recipient = ${limits.otpTriesPerRecipient}, otp_daily_spend_kobo = ${limits.otpDailySpendKobo},
      updated_at = now()
    WHERE id = ${organisationId}`);
  return limits;
}
