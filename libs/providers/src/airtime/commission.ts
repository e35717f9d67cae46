import { isNetwork } from '@gangan/contracts';
import { type Cost, isExactAmount, parseMicros } from '../cost/money.js';

/** What a provider pays us for airtime and data bundles, in percent of the amount: by network, or `any`. */
export type CommissionSettings = Readonly<Record<string, string | number>>;

export const commissionSchema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { type: ['string', 'number'] },
};

const any = 'any';
const all = 100_000_000n;
const microsPerKobo = 10_000n;

/** All faults of settings that have the right shape. */
export const findCommissionFaults = (commission: CommissionSettings = {}): string[] =>
  Object.entries(commission).flatMap(([name, percent]) => [
    ...(name === any || isNetwork(name) ? [] : [`settings.commission.${name} is not a network, or any`]),
    ...(isExactAmount(String(percent)) && (parseMicros(String(percent)) ?? all) <= all
      ? []
      : [`settings.commission.${name} is not a percentage with at most 6 decimals`]),
  ]);

/** What a purchase costs, in naira; undefined if the commission is not known. Rounded half up. */
export function costLessCommission(
  commission: CommissionSettings | undefined,
  network: string,
  kobo: bigint,
): Cost | undefined {
  const percent = parseMicros(String(commission?.[network] ?? commission?.[any] ?? ''));
  if (percent === undefined) return undefined;
  return { currency: 'NGN', micros: (kobo * microsPerKobo * (all - percent) + all / 2n) / all };
}
