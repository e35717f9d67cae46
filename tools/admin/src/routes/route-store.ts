import type { Channel } from '@gangan/contracts';
import type { Models } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { RouteTarget } from '@gangan/providers';
import { CommandError } from '../session/errors.js';
import { withAccount } from '../session/find-organisation.js';
import type { AdminSession } from '../session/session.js';
import { formatTargets, targetFault } from './targets.js';

/** A condition that is `null` matches all deliveries. */
export interface RouteConditions {
  readonly organisationId: string | null;
  readonly channel: Channel;
  readonly category: string | null;
  readonly operator: string | null;
  readonly prefix: string | null;
  readonly country: string | null;
}

export interface RouteDefinition {
  readonly conditions: RouteConditions;
  /** The conditions in words. */
  readonly label: string;
  readonly targets: readonly RouteTarget[];
}

export const withTargets = {
  ...withAccount,
  targets: { include: { provider: true }, orderBy: { position: 'asc' } },
} as const;

export interface FoundRoute {
  readonly id: string;
  readonly targets: readonly RouteTarget[];
  /** The targets in words, such as `termii then backup`. */
  readonly providers: string;
}

/** Reads and changes the rows of routes, in transactions that have locked them. */
export class RouteStore {
  constructor(private readonly session: AdminSession) {}

  /** The route with exactly these conditions. */
  async find(models: Pick<Models, 'route'>, conditions: RouteConditions): Promise<FoundRoute | undefined> {
    const row = await models.route.findFirst({ where: conditions, include: withTargets });
    if (!row) return undefined;
    const targets = row.targets.map(({ provider, position, weight }) => ({
      provider: provider.name,
      position,
      weight,
    }));
    return { id: row.id, targets, providers: formatTargets(targets) };
  }

  /** Adds the route, or replaces its providers. */
  async save(models: Models, { conditions, label, targets }: RouteDefinition): Promise<void> {
    const before = await this.find(models, conditions);
    const found = await findTargets(models, targets, conditions);
    const id = before?.id ?? newId();
    if (before) await models.routeTarget.deleteMany({ where: { routeId: id } });
    else await models.route.create({ data: { id, ...conditions } });
    await models.routeTarget.createMany({ data: found.map((target) => ({ routeId: id, ...target })) });
    await this.session.audit(models, {
      organisationId: conditions.organisationId ?? undefined,
      target: label,
      before: before && { providers: before.providers },
      after: { providers: formatTargets(targets) },
    });
  }

  async remove(models: Models, { conditions, label }: Omit<RouteDefinition, 'targets'>): Promise<void> {
    const before = await this.find(models, conditions);
    if (!before) throw new CommandError(`There is no route of ${label}.`);
    await models.route.delete({ where: { id: before.id } });
    await this.session.audit(models, {
      organisationId: conditions.organisationId ?? undefined,
      target: label,
      before: { providers: before.providers },
    });
  }
}

/** @throws CommandError that names every provider that the route cannot use */
export async function findTargets(
  models: Pick<Models, 'provider'>,
  targets: readonly RouteTarget[],
  route: Pick<RouteConditions, 'organisationId' | 'channel'>,
): Promise<{ providerId: string; position: number; weight: number }[]> {
  const rows = await models.provider.findMany();
  const faults: string[] = [];
  const found = targets.flatMap(({ provider, position, weight }) => {
    const row = rows.find(({ name }) => name === provider);
    const fault = row && targetFault(row, route);
    if (!row) faults.push(`there is no provider ${provider}`);
    else if (fault !== undefined) faults.push(`${provider} ${fault}`);
    return row ? [{ providerId: row.id, position, weight }] : [];
  });
  if (faults.length > 0) throw new CommandError(`The route cannot be used: ${faults.join('; ')}.`);
  return found;
}

/** The conditions in words, such as `otp sms to NG of any organisation`. */
export function describeConditions(
  { organisationId, channel, category, operator, prefix, country }: RouteConditions,
  organisation = '',
): string {
  const to = [operator, prefix, country].filter((condition) => condition !== null);
  return [
    ...(category === null ? [] : [category]),
    channel,
    ...(to.length === 0 ? [] : [`to ${to.join(' ')}`]),
    organisationId === null ? 'of any organisation' : `of ${organisation}`,
  ].join(' ');
}
