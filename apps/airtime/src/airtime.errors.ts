import { nigerianPhoneMessage } from '@gangan/contracts';
import { type AppError, invalidRequest, notFound, unavailable } from '@gangan/protocol';

/** The gateway refuses these first, but a job is input too. */
export const notAPhone = (): AppError =>
  invalidRequest([{ field: 'recipient', message: `recipient ${nigerianPhoneMessage}`, type: 'phone' }]);

export const notAnAmount = (): AppError =>
  invalidRequest([
    { field: 'amount', message: 'amount must be naira with at most two decimals', type: 'value_error' },
  ]);

export const noSuchPurchase = (): AppError => notFound('The purchase');

export const noProvider = (): AppError =>
  unavailable(
    'No provider of airtime is configured for live organisations: try again later, or ask the operator',
  );
