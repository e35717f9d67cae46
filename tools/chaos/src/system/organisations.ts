import { createAccount, type Database, issueKey, setLimits } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import type { DataSealer } from '@gangan/sealing';
import { aPayment } from '@gangan/testing';

export interface Organisation {
  readonly id: string;
  readonly apiKey: string;
  readonly callbackSecret: string;
  readonly startKobo: bigint;
  /** Whether it has too little money for its requests. */
  readonly runsOut: boolean;
}

const plentyKobo = 100_000_000_00n;
/** The last organisation runs out of money. */
const littleKobo = 100_00n;
/** The first organisation has a rate limit that it sometimes reaches. */
const limitedRate = { requestsPerSecond: 20, requestBurst: 20 };
const unlimited = {
  requestsPerSecond: 0,
  dailySpendKobo: 0n,
  airtimeDailySpendKobo: 0n,
  airtimeDailySpendPerRecipientKobo: 0n,
  otpSendsPerRecipient: 0,
  otpSendsPerPrefix: 0,
  otpTriesPerRecipient: 0,
  otpDailyTriesPerRecipient: 0,
};

/** Test organisations, which use the simulator. */
export async function createOrganisations(
  database: Database,
  sealer: DataSealer,
  { count, isRateLimited }: { readonly count: number; readonly isRateLimited: boolean },
): Promise<Organisation[]> {
  const organisations: Organisation[] = [];
  for (let index = 0; index < count; index += 1) {
    const runsOut = index > 0 && index === count - 1;
    const startKobo = runsOut ? littleKobo : plentyKobo;
    const account = await createAccount(database, sealer, { name: `Chaos ${index}`, sender: 'Chaos' });
    const organisation = account.organisations.find(({ mode }) => mode === 'test');
    if (!organisation) throw new Error('An account has a test organisation');
    const { id, callbackSecret } = organisation;
    await setLimits(database, id, { ...unlimited, ...(index === 0 && isRateLimited && limitedRate) });
    const { key } = await issueKey(database, 'test', {
      organisationId: id,
      name: 'chaos',
      scopes: keyScopes,
    });
    await aPayment(database, id, startKobo);
    organisations.push({ id, callbackSecret, apiKey: key, startKobo, runsOut });
  }
  return organisations;
}
