import type { SqlRunner } from '@gangan/database';
import { formatMicros } from '../cost/money.js';
import type { Credit } from './credit-settings.js';
import { storedCredit } from './stored-credit.js';

/** A provider that can be asked for our credit. */
export interface CreditSource {
  /** Below this amount, in millionths, the credit is low. */
  readonly warnBelow: bigint | undefined;
  /** Undefined if there is no answer that can be read. Never fails. */
  ask(): Promise<Credit | undefined>;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Asks the providers that are due, each by one worker, and logs when the credit becomes low or sufficient. */
export async function askCredits(
  database: SqlRunner,
  sources: ReadonlyMap<string, CreditSource>,
  logger: Log,
): Promise<void> {
  const due = await storedCredit.claimDue(database, [...sources.keys()]);
  await Promise.all(
    due.map(async (provider) => {
      const source = sources.get(provider);
      const credit = await source?.ask();
      if (!source || !credit) {
        logger.warn({ provider }, 'a provider did not say what our credit is');
        return;
      }
      const before = await storedCredit.store(database, provider, credit);
      const { warnBelow } = source;
      if (warnBelow === undefined) return;
      const [isLow, wasLow] = [credit.micros < warnBelow, before !== undefined && before < warnBelow];
      if (isLow === wasLow) return;
      const fields = { provider, credit: formatMicros(credit.micros), currency: credit.currency };
      if (isLow) logger.warn(fields, 'our credit at a provider is low: top it up');
      else logger.info(fields, 'our credit at a provider is sufficient again');
    }),
  );
}
