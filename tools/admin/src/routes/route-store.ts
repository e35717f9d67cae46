import type { Models } from '@gangan/database';
import type { Route, RouteTarget } from '@gangan/providers';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import { formatTargets, haveSameTargets } from './targets.js';

/** Which deliveries a route is for. */
export type MessageConditions = Omit<Route, 'id' | 'targets'>;

/** Which purchases a route is for. A condition that is `null` matches all. */
export interface PurchaseConditions {
  readonly organisationId: string | null;
  readonly network: string | null;
}

export type RouteConditions = MessageConditions | PurchaseConditions;

export interface RouteDefinition<Conditions extends RouteConditions = RouteConditions> {
  readonly conditions: Conditions;
  /** The conditions in words. */
  readonly label: string;
  readonly targets: readonly RouteTarget[];
}

export interface StoredTarget {
  readonly providerId: string;
  readonly position: number;
  readonly weight: number;
}

export type RouteModels = Pick<Models, 'route' | 'airtimeRoute' | 'provider'>;

/** Where the routes of messages, or those of purchases, are stored. */
export interface StoredRoutes<Conditions extends RouteConditions> {
  /** The targets of the route with exactly these conditions; undefined if there is none. */
  find(models: RouteModels, conditions: Conditions): Promise<readonly RouteTarget[] | undefined>;
  /** @throws CommandError that names every provider that the route cannot use */
  check(
    models: RouteModels,
    targets: readonly RouteTarget[],
    conditions: Conditions,
  ): Promise<readonly StoredTarget[]>;
  /** Replaces the route; without targets it is removed. */
  store(models: Models, conditions: Conditions, targets: readonly StoredTarget[]): Promise<unknown>;
  /** How the audit log shows the targets. */
  audited(targets: readonly RouteTarget[]): string | string[];
}

/** Reads and changes routes, in transactions that have locked them. */
export class RouteStore<Conditions extends RouteConditions> {
  constructor(
    private readonly session: AdminSession,
    readonly table: StoredRoutes<Conditions>,
  ) {}

  /** Adds the route, or replaces its providers. @returns those that it had */
  async save(
    models: Models,
    route: RouteDefinition<Conditions>,
  ): Promise<readonly RouteTarget[] | undefined> {
    const { conditions, targets } = route;
    const before = await this.table.find(models, conditions);
    await this.table.store(models, conditions, await this.table.check(models, targets, conditions));
    await this.audit(models, route, before, targets);
    return before;
  }

  /** @throws CommandError if there is no such route */
  async remove(models: Models, route: Omit<RouteDefinition<Conditions>, 'targets'>): Promise<void> {
    const before = await this.table.find(models, route.conditions);
    if (!before) throw new CommandError(`There is no route of ${route.label}.`);
    await this.table.store(models, route.conditions, []);
    await this.audit(models, route, before);
  }

  private audit(
    models: Models,
    { conditions, label }: Omit<RouteDefinition<Conditions>, 'targets'>,
    before: readonly RouteTarget[] | undefined,
    after?: readonly RouteTarget[],
  ): Promise<void> {
    return this.session.audit(models, {
      organisationId: conditions.organisationId ?? undefined,
      target: label,
      ...(before && { before: { providers: this.table.audited(before) } }),
      ...(after && { after: { providers: this.table.audited(after) } }),
    });
  }
}

/** The change that makes the stored route lead to these targets; undefined if it does. */
export async function findRouteDifference<Conditions extends RouteConditions>(
  models: RouteModels,
  table: StoredRoutes<Conditions>,
  { conditions, label, targets }: RouteDefinition<Conditions>,
): Promise<string | undefined> {
  const before = await table.find(models, conditions);
  if (before && haveSameTargets(before, targets)) return undefined;
  return `${label}: ${before ? formatTargets(before) : '(no route)'} → ${formatTargets(targets)}`;
}
