import { AppError } from '@gangan/protocol';
import { nairaText } from './money.js';

/** Nothing was charged and nothing done. */
export function insufficientBalance(neededKobo: bigint, availableKobo: bigint): AppError {
  const message = `This costs NGN ${nairaText(neededKobo)}, and NGN ${nairaText(availableKobo)} is available: top up and try again`;
  return new AppError('insufficient_balance', 402, 'The balance is too low', {
    fields: [{ field: 'balance', message, type: 'insufficient_balance' }],
  });
}
