import { AppError } from '@gangan/protocol';
import { formatNaira } from './money.js';

/** Nothing was charged and nothing done. */
export function insufficientBalance(neededKobo: bigint, availableKobo: bigint): AppError {
  const message = `This costs NGN ${formatNaira(neededKobo)}, and NGN ${formatNaira(availableKobo)} is available: top up and try again`;
  return new AppError('insufficient_balance', 402, 'The balance is too low', {
    fields: [{ field: 'balance', message, type: 'insufficient_balance' }],
  });
}
