import { createAccount, issueKey, type Mode, setLimits } from '@gangan/database';
import type { KeyScope } from '@gangan/protocol';
import { aPayment } from '@gangan/testing';
import type { BenchEnvironment } from './bench-environment.js';

export interface Customer {
  readonly organisationId: string;
  readonly key: string;
}

const balanceKobo = 1_000_000_000_000n;

export interface CustomerOptions {
  readonly mode: Mode;
  readonly scopes: readonly KeyScope[];
  /** 0, the default, is no limit. */
  readonly requestsPerSecond?: number;
}

/** An organisation with a large balance; everything else is default. */
export async function createCustomer(
  { database, sealer }: BenchEnvironment,
  { mode, scopes, requestsPerSecond = 0 }: CustomerOptions,
): Promise<Customer> {
  // Live ones, too, pay the seeded prices.
  await database.price.updateMany({ data: { testOnly: false } });
  const customer = await database.$transaction(async (models) => {
    const account = await createAccount(models, sealer, { name: 'Bench', sender: 'Bench' });
    const organisationId = account.organisations.find((one) => one.mode === mode)?.id ?? '';
    await setLimits(models, organisationId, { requestsPerSecond, dailySpendKobo: 0n });
    const { key } = await issueKey(models, mode, { organisationId, name: 'bench', scopes });
    return { organisationId, key };
  });
  await aPayment(database, customer.organisationId, balanceKobo);
  return customer;
}
