import type { RequestContext } from '@gangan/protocol';
import { AppError } from '@gangan/protocol';
import type { Charge } from './charge.contract.js';

/** A charge with the ids that the gateway assigned. */
export interface Order extends Charge {
  readonly id: string;
  readonly organisation: string;
}

export const toOrder = ({ recipient, content }: Charge, context: RequestContext): Order => {
  if (context.organisationId === undefined) throw new Error('A charge needs an organisation');
  return { id: context.operationId, organisation: context.organisationId, recipient, content };
};

export const insufficientBalance = (): AppError =>
  new AppError('insufficient_balance', 402, 'The balance is too low');
