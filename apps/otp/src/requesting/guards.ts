import type { AppError } from '@gangan/protocol';
import { dailySpendUsedUp, prefixSendsUsedUp, recipientSendsUsedUp } from '../otp.errors.js';
import { type Order, prefixOf } from './order.js';

/** What was done already when an order came, as far as its caps ask. Waits are seconds. */
export interface Sighting {
  /** The order was placed before: it is run again, and not counted again. */
  readonly placed: boolean;
  readonly toRecipient: number;
  readonly recipientWait: number | null;
  readonly toPrefix: number;
  readonly verifiedOfPrefix: number;
  readonly prefixWait: number | null;
  readonly spentKobo: bigint;
  readonly dayEndsIn: number;
}

export const windowSeconds = 600;

/** From this share of verified OTPs on, a prefix is one that people sign up from. */
const trustedShare = 0.2;

/**
 * Decides about a batch in its order; what is admitted counts against those behind it. `undefined` admits.
 * To be called while nobody else decides for the same organisations.
 */
export function admit(orders: readonly Order[], sightings: readonly Sighting[]): (AppError | undefined)[] {
  const counts = new Map<string, number>();
  const spent = new Map<string, bigint>();
  return orders.map((order, place) => {
    const sighting = sightings[place];
    if (!sighting) throw new Error(`Nothing is known about order ${order.id}`);
    if (sighting.placed) return undefined;
    const recipient = `${order.organisationId} to ${order.recipient}`;
    const prefix = `${order.organisationId} below ${prefixOf(order)}`;
    const refusal = refusalOf(order, sighting, {
      toRecipient: sighting.toRecipient + (counts.get(recipient) ?? 0),
      toPrefix: sighting.toPrefix + (counts.get(prefix) ?? 0),
      kobo: sighting.spentKobo + (spent.get(order.organisationId) ?? 0n),
    });
    if (refusal) return refusal;
    for (const key of [recipient, prefix]) counts.set(key, (counts.get(key) ?? 0) + 1);
    spent.set(order.organisationId, (spent.get(order.organisationId) ?? 0n) + order.kobo);
    return undefined;
  });
}

interface Sums {
  readonly toRecipient: number;
  readonly toPrefix: number;
  readonly kobo: bigint;
}

function refusalOf({ caps, kobo }: Order, sighting: Sighting, sums: Sums): AppError | undefined {
  const { sendsPerRecipient, sendsPerPrefix, dailySpendKobo } = caps;
  if (sendsPerRecipient > 0 && sums.toRecipient >= sendsPerRecipient) {
    return recipientSendsUsedUp(sendsPerRecipient, sighting.recipientWait ?? windowSeconds);
  }
  const trusted = sighting.verifiedOfPrefix >= trustedShare * sums.toPrefix;
  if (sendsPerPrefix > 0 && sums.toPrefix >= sendsPerPrefix && !trusted) {
    return prefixSendsUsedUp(sendsPerPrefix, sighting.prefixWait ?? windowSeconds);
  }
  return dailySpendKobo > 0n && sums.kobo + kobo > dailySpendKobo
    ? dailySpendUsedUp(sighting.dayEndsIn)
    : undefined;
}
