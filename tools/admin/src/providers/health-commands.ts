import type { Prisma } from '@gangan/database';
import { countedMinutes, formatMicros, rateGrowth } from '@gangan/providers';
import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import type { ProviderStore } from './provider-store.js';

type Health = Prisma.ProviderHealthGetPayload<object> | null;

/** A provider that was never used has no health. */
export function describeHealth(
  {
    enabled,
    rate,
    health,
  }: { readonly enabled: boolean; readonly rate: number | null; readonly health: Health },
  now = Date.now(),
): Row {
  const { submitted, notAccepted } = countsOf(health, now);
  return {
    state: enabled ? (health?.state ?? 'up') : 'disabled',
    tested_at: enabled ? health?.testAt : undefined,
    waits_until: isPostponed(health, now) ? health?.retryAfter : undefined,
    rate: slowedRate(health, rate, now) ?? rate,
    submitted,
    not_accepted: submitted === 0 ? undefined : `${((100 * notAccepted) / submitted).toFixed(1)} %`,
    last_error: health?.errorCode,
    last_error_at: health?.errorAt,
    credit: creditOf(health),
    credit_at: health?.creditAt,
  };
}

/** It said with Retry-After when it takes messages again. */
const isPostponed = (health: Health, now: number): boolean => (health?.retryAfter?.getTime() ?? 0) > now;

/** As the provider said last; undefined if it was never asked. */
const creditOf = (health: Health): string | undefined =>
  health?.creditMicros == null ? undefined : `${health.creditCurrency} ${formatMicros(health.creditMicros)}`;

/** Of the last 5 to 10 minutes. */
function countsOf(health: Health, now: number): { readonly submitted: number; readonly notAccepted: number } {
  const age = health ? (now - health.countedSince.getTime()) / (countedMinutes * 60_000) : Infinity;
  if (!health || age >= 2) return { submitted: 0, notAccepted: 0 };
  const { submitted, notAccepted, submittedBefore, notAcceptedBefore } = health;
  if (age >= 1) return { submitted, notAccepted };
  return { submitted: submitted + submittedBefore, notAccepted: notAccepted + notAcceptedBefore };
}

/** Undefined if it is not slowed down any more. */
function slowedRate(health: Health, rate: number | null, now: number): number | undefined {
  if (!health?.slowedAt || health.slowedRate === null) return undefined;
  const grown = health.slowedRate * rateGrowth ** ((now - health.slowedAt.getTime()) / 1_000);
  return grown < (rate || 10_000) ? Math.floor(grown) : undefined;
}

export function addResumeCommand(group: Command, session: AdminSession, store: ProviderStore): void {
  addCommand(
    group,
    'resume <name>',
    'send messages to a paused or open provider again at once',
    ['termii'],
    'A provider that refuses our account is paused; one that keeps failing is open. Both are also tested again from time to time.',
  ).action(async (name: string) => {
    const before = await store.change(async (models) => {
      const { id, organisationId } = await store.get(models, name);
      const health = await models.providerHealth.findUnique({ where: { providerId: id } });
      if (!health || (health.state === 'up' && !isPostponed(health, Date.now()))) return undefined;
      await models.providerHealth.update({
        where: { providerId: id },
        data: { state: 'up', since: new Date(), testAt: null, failures: 0, retryAfter: null },
      });
      await session.audit(models, {
        organisationId: organisationId ?? undefined,
        target: name,
        before: { state: health.state, last_error: health.errorCode },
        after: { state: 'up' },
      });
      return health.state;
    });
    if (before === undefined)
      throw new CommandError(`${name} is neither paused nor open, and did not ask us to wait.`);
    session.done(`${name} gets messages again. Workers apply it within 5 s.`, { name, before, state: 'up' });
  });
}
