import { nigerianPhoneFault } from '@gangan/contracts';
import { type AppError, fieldError, invalidRequest, noLiveProvider, notFound } from '@gangan/protocol';

// The gateway validates requests first. The worker checks again because a job is input too.
export const invalidRecipient = (given: string): AppError =>
  invalidRequest([fieldError('recipient', `recipient ${nigerianPhoneFault(given)}`, 'phone')]);

export const invalidAmount = (): AppError =>
  invalidRequest([
    { field: 'amount', message: 'amount must be naira with at most two decimals', type: 'value_error' },
  ]);

/** Unknown, no longer sold, or sold by a provider to which no route of the organisation leads. */
export const unknownProduct = (): AppError =>
  invalidRequest([
    {
      field: 'product_id',
      message: 'product_id does not match a product that is sold now: see GET /airtime/products',
      type: 'value_error',
    },
  ]);

export const wrongNetwork = (network: string): AppError =>
  invalidRequest([
    {
      field: 'network',
      message: `network must be ${network}, the network of the product`,
      type: 'value_error',
    },
  ]);

/** No provider gets purchases of the organisation for this network. */
export const noAirtimeRoute = (): AppError => noLiveProvider('airtime');

export const purchaseNotFound = (): AppError => notFound('The purchase');
