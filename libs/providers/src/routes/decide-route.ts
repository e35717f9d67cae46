import { createHash } from 'node:crypto';
import { type Channel, parsePhone } from '@gangan/contracts';
import { type AppError, noMessageRoute } from '@gangan/protocol';

/** A condition that is `null` matches all deliveries. */
export interface Route {
  readonly id: string;
  readonly organisationId: string | null;
  readonly channel: Channel;
  readonly category: string | null;
  /** The first international digits of the recipient. */
  readonly prefix: string | null;
  readonly country: string | null;
  /** By position. */
  readonly targets: readonly RouteTarget[];
}

export interface RouteTarget {
  /** The name of the provider. */
  readonly provider: string;
  readonly position: number;
  readonly weight: number;
}

/** What decides whether a provider of a route can be used. */
export interface RoutedProvider {
  readonly name: string;
  /** The organisation that alone may use it; `null` if all may. */
  readonly organisationId: string | null;
  readonly channels: readonly Channel[];
  readonly enabled: boolean;
}

/** A delivery that needs a provider. */
export interface RouteSubject {
  readonly id: string;
  readonly organisationId: string;
  readonly channel: Channel;
  readonly category?: 'otp';
  /** E.164. */
  readonly recipient: string;
}

export interface RouteDecision {
  readonly route: Route | undefined;
  /** The providers of one round, in the order in which they are tried. */
  readonly providers: readonly string[];
  /** The providers of the route that cannot be used, and why. */
  readonly unusable: readonly { readonly provider: string; readonly why: string }[];
}

/** Routes, the most specific first, and the providers by name. */
export interface RouteTable {
  readonly routes: readonly Route[];
  readonly providers: ReadonlyMap<string, RoutedProvider>;
}

export const routeTable = (routes: readonly Route[], providers: readonly RoutedProvider[]): RouteTable => ({
  routes: routes.toSorted(byPrecedence),
  providers: new Map(providers.map((provider) => [provider.name, provider])),
});

/** An organisation counts more than a category, that more than a prefix, and a longer prefix more than a country. */
const precedence = ({ organisationId, category, prefix, country }: Route): readonly number[] => [
  organisationId === null ? 0 : 1,
  category === null ? 0 : 1,
  prefix?.length ?? 0,
  country === null ? 0 : 1,
];

function byPrecedence(one: Route, other: Route): number {
  const [own, theirs] = [precedence(one), precedence(other)];
  const index = own.findIndex((value, at) => value !== theirs[at]);
  return index === -1 ? (one.id < other.id ? -1 : 1) : (theirs[index] ?? 0) - (own[index] ?? 0);
}

/** Decides which providers a delivery goes to. Pure: the same delivery gets the same providers on every attempt. */
export function decideRoute(table: RouteTable, subject: RouteSubject): RouteDecision {
  const route = findRoute(table, subject);
  if (!route) return { route, providers: [], unusable: [] };
  const faults = route.targets.map(({ provider }) => ({
    provider,
    why: unusableReason(table.providers.get(provider), subject),
  }));
  const unusable = faults.flatMap(({ provider, why }) => (why === undefined ? [] : [{ provider, why }]));
  const names = new Set(unusable.map(({ provider }) => provider));
  const usable = route.targets.filter(({ provider }) => !names.has(provider));
  return { route, providers: orderTargets(usable, subject.id), unusable };
}

/** Whether any delivery of an organisation on a channel can have a provider. */
export const hasRoute = (
  table: RouteTable,
  organisationId: string,
  channel: Channel,
  category?: 'otp',
): boolean =>
  table.routes.some(
    (route) =>
      isFor(route, { organisationId, channel, ...(category && { category }) }) &&
      route.targets.some(
        ({ provider }) =>
          unusableReason(table.providers.get(provider), { organisationId, channel }) === undefined,
      ),
  );

/** The error for a recipient without a provider: if others of the organisation have one, it names the numbers. */
export function noRouteError(table: RouteTable, subject: Omit<RouteSubject, 'id'>): AppError {
  const { organisationId, channel, category, recipient } = subject;
  if (!hasRoute(table, organisationId, channel, category)) return noMessageRoute(channel);
  const { country, callingCode = '' } = parsePhone(recipient) ?? {};
  return noMessageRoute(channel, `numbers of ${country ?? 'no country'} (+${callingCode})`);
}

function findRoute({ routes }: RouteTable, subject: RouteSubject): Route | undefined {
  const digits = subject.recipient.slice(1);
  let country: string | undefined;
  return routes.find((route) => {
    if (!isFor(route, subject)) return false;
    if (route.prefix !== null) return digits.startsWith(route.prefix);
    if (route.country === null) return true;
    country ??= parsePhone(subject.recipient)?.country ?? '';
    return route.country === country;
  });
}

const isFor = (
  route: Route,
  { organisationId, channel, category }: Pick<RouteSubject, 'organisationId' | 'channel' | 'category'>,
): boolean =>
  route.channel === channel &&
  (route.organisationId === null || route.organisationId === organisationId) &&
  (route.category === null || route.category === category);

/** Why a delivery must not go to a provider; undefined if it may. */
export function unusableReason(
  provider: RoutedProvider | undefined,
  { organisationId, channel }: Pick<RouteSubject, 'organisationId' | 'channel'>,
): string | undefined {
  if (!provider) return 'it cannot be used by this process';
  if (!provider.enabled) return 'it is disabled';
  if (!provider.channels.includes(channel)) return `it has no channel ${channel}`;
  if (provider.organisationId !== null && provider.organisationId !== organisationId)
    return 'it belongs to another organisation';
  return undefined;
}

/** Lower positions first. Targets of one position are drawn by weight, with the delivery's id as the source of chance. */
function orderTargets(targets: readonly RouteTarget[], id: string): string[] {
  const positions = [...new Set(targets.map(({ position }) => position))].toSorted((a, b) => a - b);
  return positions.flatMap((position) => {
    const group = targets.filter((target) => target.position === position);
    if (group.length === 1) return group.map(({ provider }) => provider);
    return group
      .map(({ provider, weight }) => ({ provider, drawn: -Math.log(fraction(id, provider)) / weight }))
      .toSorted((one, other) => one.drawn - other.drawn)
      .map(({ provider }) => provider);
  });
}

/** Evenly distributed in (0, 1]. */
const fraction = (id: string, provider: string): number =>
  (createHash('sha256').update(`${id} ${provider}`).digest().readUInt32BE() + 1) / 2 ** 32;
