import type { Models } from '@gangan/database';
import type { RouteTarget } from '@gangan/providers';
import type { Access } from '../access.js';
import type { WriteAudit } from '../audit.js';
import { changeProviders } from '../providers/stored-provider.js';
import { Refusal } from '../refusal.js';

type Targets = readonly RouteTarget[];

/** A route of messages or of purchases: it has exactly these conditions, and may be stored. */
export interface StoredRoute {
  /** A condition that is `null` matches all. */
  readonly conditions: Owned;
  /** The conditions in words. */
  readonly label: string;
  /** The commands that change it. */
  readonly actions: { readonly save: string; readonly remove: string };
  /** Undefined if it is not stored. */
  findTargets(models: Models): Promise<Targets | undefined>;
  /** @throws Refusal that names every provider that the route cannot use */
  check(models: Models, targets: Targets): Promise<void>;
  /** Replaces the route; without targets it is removed. */
  store(models: Models, targets: Targets): Promise<unknown>;
  /** How the audit log shows the targets. */
  audited(targets: Targets): string | string[];
}

/** A route as an operator defines it. */
export interface RouteDefinition {
  readonly route: StoredRoute;
  readonly targets: Targets;
}

/** Adds the route, or replaces its providers. @returns those that it had */
export const saveRoute = (access: Access, { route, targets }: RouteDefinition) =>
  changeProviders(access, route.actions.save, (models, log) => replaceTargets(models, log, route, targets));

/** @throws Refusal if there is no such route */
export const removeRoute = (access: Access, route: StoredRoute) =>
  changeProviders(access, route.actions.remove, (models, log) => storeTargets(models, log, route, []));

/** In a transaction that has locked routes. @returns the targets before */
export async function replaceTargets(models: Models, log: WriteAudit, route: StoredRoute, targets: Targets) {
  if (targets.length === 0) throw new Refusal('invalid', 'Name a provider of the route.');
  await route.check(models, targets);
  return storeTargets(models, log, route, targets);
}

async function storeTargets(models: Models, log: WriteAudit, route: StoredRoute, targets: Targets) {
  const before = await route.findTargets(models);
  if (!before && targets.length === 0) throw new Refusal('not_found', `There is no route of ${route.label}.`);
  await route.store(models, targets);
  const audited = (shown: Targets = []) =>
    shown.length === 0 ? undefined : { providers: route.audited(shown) };
  const { organisationId } = route.conditions;
  await log({ organisationId, target: route.label, before: audited(before), after: audited(targets) });
  return before;
}

/** The change that makes the stored route lead to these targets; undefined if it does. */
export async function findRouteDifference(models: Models, { route, targets }: RouteDefinition) {
  const before = await route.findTargets(models);
  if (before && haveSameTargets(before, targets)) return undefined;
  return `${route.label}: ${before ? formatTargets(before) : '(no route)'} → ${formatTargets(targets)}`;
}

export interface Owned {
  readonly organisationId: string | null;
}

/** A provider of an organisation can be used only by routes of that organisation. */
export const routeMayUse = (route: Owned, { organisationId }: Owned): boolean =>
  organisationId === null || organisationId === route.organisationId;

export const ownedByOther = 'belongs to an organisation, which the route must name';

/** Providers that are tried one after the other. */
export const targetsInOrder = (names: readonly string[]): RouteTarget[] =>
  names.map((provider, position) => ({ provider, position, weight: 1 }));

/** `termii:80,other:20 then backup` */
export function formatTargets(targets: Targets): string {
  const positions = [...new Set(targets.map(({ position }) => position))].toSorted((a, b) => a - b);
  const groups = positions.map((position) => targets.filter((target) => target.position === position));
  const textOf = (group: Targets) =>
    group.map(({ provider, weight }) => (group.length === 1 ? provider : `${provider}:${weight}`)).join(',');
  return groups.map(textOf).join(' then ');
}

/** Whether two routes lead to the same providers; the order of targets with the same position does not matter. */
function haveSameTargets(one: Targets, other: Targets): boolean {
  const [own, theirs] = [one, other].map((targets) =>
    targets.map(({ provider, position, weight }) => `${position} ${provider} ${weight}`).toSorted(),
  );
  return own?.join() === theirs?.join();
}
