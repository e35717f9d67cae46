import type { RetryPolicy } from './retry-policy.js';

/** What a delay depends on. */
interface RetriedDelivery {
  readonly attempt: number;
  /** The time since the charge, or since it may be sent. */
  readonly ageMs: number;
}

/** The longest delay of a delivery whose providers are not available is a part of its age, and at least `max`. */
const unroutableDelayMs = { min: 1_000, max: 30_000, ofAge: 0.1 } as const;
/** The shortest delay between attempts after the last round. */
const minKeepTryingDelayMs = 30_000;

/** The delay after the round in which this attempt was made; undefined after the last one. */
export const roundDelay = (attempt: number, policy: RetryPolicy): number | undefined =>
  isLastAttempt(attempt, policy)
    ? undefined
    : policy.delaysMs[Math.ceil(attempt / policy.providersPerRound) - 1];

export const isLastAttempt = (
  attempt: number,
  { delaysMs, providersPerRound }: Pick<RetryPolicy, 'delaysMs' | 'providersPerRound'>,
): boolean => attempt >= providersPerRound * (delaysMs.length + 1);

export const remainingMs = (
  { ageMs }: { readonly ageMs: number },
  { validityMs }: Pick<RetryPolicy, 'validityMs'>,
): number => Math.max(0, Math.ceil(validityMs - ageMs));

/** The delay grows with the age, so that a long outage does not rewrite all waiting deliveries each time. */
export function unroutableDelay(
  { ageMs }: RetriedDelivery,
  { maxUnroutableMs }: RetryPolicy,
  retryInMs = Infinity,
): number {
  const { min, max, ofAge } = unroutableDelayMs;
  const longest = Math.min(maxUnroutableMs, Math.max(max, Math.ceil(ageMs * ofAge)));
  return Math.min(longest, Math.max(min, Math.ceil(retryInMs)));
}

/** The delay of a delivery that no provider has: the next provider of the round is tried at once. */
export function retryDelay({ attempt }: RetriedDelivery, policy: RetryPolicy): number | undefined {
  return policy.hasNextProvider && !isLastAttempt(attempt, policy) ? 0 : roundDelay(attempt, policy);
}

/** The delay until the provider may take the delivery; undefined if another one can, or if it is too late. */
export function waitingDelay(
  delivery: RetriedDelivery,
  policy: RetryPolicy,
  retryInMs: number | undefined,
): number | undefined {
  const leftMs = remainingMs(delivery, policy);
  if (retryInMs === undefined || policy.hasNextProvider || leftMs === 0) return undefined;
  return Math.min(leftMs, Math.ceil(retryInMs * (1 + delivery.ageMs / 60_000)));
}

/**
 * The delay until the first provider that refused the delivery in its quiet hours takes it; undefined if there is none,
 * or if the validity period has ended. @param quietMs of the provider of the last attempt
 */
export function quietDelay(
  delivery: RetriedDelivery & { readonly quietMs: number | null },
  policy: RetryPolicy,
  quietMs = Infinity,
): number | undefined {
  const soonestMs = Math.min(quietMs, delivery.quietMs ?? Infinity);
  return soonestMs === Infinity || remainingMs(delivery, policy) === 0 ? undefined : Math.ceil(soonestMs);
}

/** The delay after the last round, until the validity period ends. */
export function keepTryingDelay(delivery: RetriedDelivery, policy: RetryPolicy): number | undefined {
  if (remainingMs(delivery, policy) === 0) return undefined;
  return policy.hasNextProvider ? 0 : Math.max(minKeepTryingDelayMs, policy.askIntervalMs);
}
