import { createAccount, issueKey, type Mode, setLimits } from '@gangan/database';
import type { KeyScope } from '@gangan/protocol';
import { aPayment } from '@gangan/testing';
import type { BenchEnvironment } from './bench-environment.js';

export interface Customer {
  readonly organisationId: string;
  readonly key: string;
}

export interface CustomerOptions {
  readonly mode: Mode;
  readonly scopes: readonly KeyScope[];
  /** 0, the default, is no limit. */
  readonly requestsPerSecond?: number;
}

const balanceKobo = 1_000_000_000_000n;

/** An organisation with a large balance; everything else is default. */
export async function createCustomer(
  { database, sealer }: BenchEnvironment,
  { mode, scopes, requestsPerSecond = 0 }: CustomerOptions,
): Promise<Customer> {
  // Live ones, too, pay the seeded prices.
  await database.price.updateMany({ data: { testOnly: false } });
  const account = await createAccount(database, sealer, { name: 'Bench', sender: 'Bench' });
  const organisationId = account.organisations.find((one) => one.mode === mode)?.id ?? '';
  await setLimits(database, organisationId, { requestsPerSecond, dailySpendKobo: 0n });
  const { key } = await issueKey(database, mode, { organisationId, name: 'bench', scopes });
  await aPayment(database, organisationId, balanceKobo);
  return { organisationId, key };
}
