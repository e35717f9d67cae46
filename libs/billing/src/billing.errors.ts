import type { PricedService } from '@gangan/database';
import { AppError, fieldError, type FieldError } from '@gangan/protocol';
import type { Refusal } from './ledger/charge.js';
import { formatNaira } from './money.js';

/** The error for an item that was not charged or reserved. */
export const spendError = (kobo: bigint, { limit, available }: Refusal): AppError =>
  limit ? dailyLimitReached(limit, kobo) : insufficientBalance(kobo, available);

/** The error of a request that the balance does not cover: nothing was charged, and nothing was done. */
export function insufficientBalance(neededKobo: bigint, availableKobo: bigint): AppError {
  const message = `This costs NGN ${formatNaira(neededKobo)}, and NGN ${formatNaira(availableKobo)} is available: top up and try again`;
  return new AppError('insufficient_balance', 402, 'The balance is too low', {
    fields: [{ field: 'balance', message, type: 'insufficient_balance' }],
  });
}

/**
 * The error of a request that exceeds a limit of the day: nothing was charged, and nothing was done.
 * @param limit with the name that `pnpm admin limits` shows
 */
export function dailyLimitReached(
  limit: { readonly name: string; readonly kobo: bigint; readonly left: bigint },
  neededKobo: bigint,
  now = new Date(),
): AppError {
  const [needed, most, left] = [neededKobo, limit.kobo, limit.left].map(formatNaira);
  const what = limit.name.replaceAll('_', ' ');
  const message =
    `The limit ${limit.name} is NGN ${most} a day. NGN ${left} is left today, and this costs NGN ${needed}. ` +
    'Retry after 00:00 UTC, or ask the operator for a higher limit.';
  return new AppError(
    'daily_limit',
    429,
    `The ${what} limit of the organisation is reached until 00:00 UTC`,
    {
      fields: [{ field: limit.name, message, type: 'daily_limit' }],
      retryAfter: secondsUntilMidnight(now),
    },
  );
}

const secondsPerDay = 86_400;

const secondsUntilMidnight = (now: Date): number =>
  secondsPerDay - (Math.floor(now.getTime() / 1_000) % secondsPerDay);

/** @param to what has no price: a country, if the number has one */
export const noPriceFault = (field: string, service: PricedService, to = 'this number'): FieldError =>
  fieldError(
    field,
    `${field}: there is no price for ${service} to ${to}; ask the operator to set one`,
    'no_price',
  );
