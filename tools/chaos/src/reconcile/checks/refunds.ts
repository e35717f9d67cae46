import type { DeliveryFact, Facts, MessageFact } from '../facts.js';

/** Whether the charge of a delivery in this state is refunded. */
export const isRefundable = ({ state, errorCode }: Pick<DeliveryFact, 'state' | 'errorCode'>): boolean =>
  state === 'rejected' || state === 'failed' || (state === 'undelivered' && errorCode === 'dnd');

/** By message: what its deliveries cost. */
export function costsOf({ deliveries }: Pick<Facts, 'deliveries'>): ReadonlyMap<string, bigint> {
  const costs = new Map<string, bigint>();
  for (const { messageId, chargeKobo } of deliveries)
    if (messageId !== null) costs.set(messageId, (costs.get(messageId) ?? 0n) + chargeKobo);
  return costs;
}

/** The part of the charge of a smartlist message that its deliveries did not use. It is refunded. */
export const unusedKobo = (
  { id, isSmartlist, chargeKobo }: MessageFact,
  costs: ReadonlyMap<string, bigint>,
): bigint => (isSmartlist ? chargeKobo - (costs.get(id) ?? 0n) : 0n);
