import type { Database, Provider, ProviderHealth } from '@gangan/database';
import { countedMinutes, findRefusedPatterns, formatMicros, rateGrowth } from '@gangan/providers';
import type { Access } from '../access.js';
import { labelOf, withAccount } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';
import { changeProviders, findProviderRow } from './stored-provider.js';

/** A provider that was never used has none. */
type Health = ProviderHealth | null;

/** All providers with their health. */
export async function listProviders(database: Database, now = Date.now()) {
  const providers = await database.provider.findMany({
    orderBy: { name: 'asc' },
    include: { ...withAccount, health: true },
  });
  return providers.map(({ organisation, ...row }) => ({
    name: row.name,
    owner: organisation ? labelOf(organisation) : 'installation',
    kind: row.kind,
    domain: row.domains[0],
    channels: row.channels,
    ...describeHealth(row, now),
    ...(findRefusedPatterns(row.settings).length > 0 && { state: 'unusable' }),
    window: row.window,
    changed: row.updatedAt ?? row.createdAt,
  }));
}

/** Sends messages to a paused or open provider again at once. @returns the state before */
export const resumeProvider = (access: Access, name: string) =>
  changeProviders(access, 'providers resume', async (models, log) => {
    const { id, organisationId } = await findProviderRow(models, name);
    const where = { providerId: id };
    const health = await models.providerHealth.findUnique({ where });
    if (!health || (health.state === 'up' && !isPostponed(health, Date.now())))
      throw new Refusal('conflict', `${name} is neither paused nor open, and did not ask us to wait.`);
    await models.providerHealth.update({
      where,
      data: { state: 'up', since: new Date(), testAt: null, failures: 0, retryAfter: null },
    });
    const before = { state: health.state, last_error: health.errorCode };
    await log({ organisationId, target: name, before, after: { state: 'up' } });
    return health.state;
  });

function describeHealth(
  { enabled, rate, health }: Pick<Provider, 'enabled' | 'rate'> & { readonly health: Health },
  now: number,
) {
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
