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
    const rate = index === 0 && isRateLimited ? limitedRate : { requestsPerSecond: 0 };
    const created = await createOrganisation(database, sealer, { name: `Chaos ${index}`, startKobo, rate });
    organisations.push({ ...created, runsOut });
  }
  return organisations;
}

interface NewOrganisation {
  readonly name: string;
  readonly startKobo: bigint;
  readonly rate: Parameters<typeof setLimits>[2];
}

async function createOrganisation(
  database: Database,
  sealer: DataSealer,
  { name, startKobo, rate }: NewOrganisation,
): Promise<Omit<Organisation, 'runsOut'>> {
  const created = await database.$transaction(async (models) => {
    const account = await createAccount(models, sealer, { name, sender: 'Chaos' });
    const organisation = account.organisations.find(({ mode }) => mode === 'test');
    if (!organisation) throw new Error('An account has a test organisation');
    const { id, callbackSecret } = organisation;
    const unlimited = {
      dailySpendKobo: 0n,
      airtimeDailySpendKobo: 0n,
      airtimeDailySpendPerRecipientKobo: 0n,
    };
    const otp = { otpSendsPerRecipient: 0, otpSendsPerPrefix: 0, otpTriesPerRecipient: 0 };
    await setLimits(models, id, { ...unlimited, ...otp, otpDailyTriesPerRecipient: 0, ...rate });
    const { key } = await issueKey(models, 'test', { organisationId: id, name: 'chaos', scopes: keyScopes });
    return { id, callbackSecret, apiKey: key };
  });
  await aPayment(database, created.id, startKobo);
  return { ...created, startKobo };
}
