import { createHash } from 'node:crypto';
import type { Channel, MessageCategory, ParsedPhone } from '@gangan/contracts';
import { type AppError, noMessageRoute } from '@gangan/protocol';
import { senderNotApproved } from '../senders/sender-errors.js';
import { SenderRegistrations } from '../senders/sender-registrations.js';
import { parseRecipient } from './parse-recipient.js';
import { operatorOf } from './ported-numbers.js';

/** A condition that is `null` matches all deliveries. */
export interface Route {
  readonly id: string;
  readonly organisationId: string | null;
  readonly channel: Channel;
  readonly category: string | null;
  /** The network of the recipient. */
  readonly operator: string | null;
  /** The first international digits of the recipient. */
  readonly prefix: string | null;
  readonly country: string | null;
  /** Ordered by position. */
  readonly targets: readonly RouteTarget[];
}

export interface RouteTarget {
  /** The name of the provider. */
  readonly provider: string;
  readonly position: number;
  readonly weight: number;
}

/** What a delivery is for: a message has a category of its own. */
export type RouteCategory = MessageCategory | 'otp';

/** What decides whether a provider of a route can be used. */
export interface RoutedProvider {
  readonly name: string;
  /** The organisation that alone may use it; `null` if all may. */
  readonly organisationId: string | null;
  readonly channels: readonly Channel[];
  readonly enabled: boolean;
  /** Whether it takes only senders that are registered there. */
  readonly registeredSenders: boolean;
}

/** What an organisation sends, and with which sender. */
export interface RouteSender {
  readonly organisationId: string;
  readonly channel: Channel;
  readonly category: RouteCategory;
  readonly sender: string;
}

export interface RouteRecipient {
  /** E.164. */
  readonly recipient: string;
  /** The operator that the recipient was ported to; read only if a route names an operator. */
  readonly portedTo: string | null;
}

/** A delivery that needs a provider. */
export interface RouteSubject extends RouteSender, RouteRecipient {
  readonly id: string;
}

/** Why a delivery must not go to a provider. */
export interface RouteFault {
  readonly why: string;
  /** Whether the provider could be used with another sender. */
  readonly isSender: boolean;
}

export interface RouteDecision {
  readonly route: Route | undefined;
  /** The providers of one round, in the order in which they are tried. */
  readonly providers: readonly string[];
  /** The providers of the route that cannot be used, and why. */
  readonly unusable: readonly (RouteFault & { readonly provider: string })[];
}

/** Routes, the most specific first, the providers by name, and the senders that are registered there. */
export interface RouteTable {
  readonly routes: readonly Route[];
  /** Whether a route names an operator. If none does, the registry of ported numbers is not needed. */
  readonly namesOperators: boolean;
  readonly providers: ReadonlyMap<string, RoutedProvider>;
  readonly registrations: SenderRegistrations;
}

export const routeTable = (
  routes: readonly Route[],
  providers: readonly RoutedProvider[],
  registrations = new SenderRegistrations([]),
): RouteTable => ({
  routes: routes.toSorted(byPrecedence),
  namesOperators: routes.some(({ operator }) => operator !== null),
  providers: new Map(providers.map((provider) => [provider.name, provider])),
  registrations,
});

/** An organisation counts more than a category, then come the operator, the length of the prefix, and the country. */
const precedence = ({ organisationId, category, operator, prefix, country }: Route): readonly number[] => [
  organisationId === null ? 0 : 1,
  category === null ? 0 : 1,
  operator === null ? 0 : 1,
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
  const route = findRoute(table, subject, subject);
  if (!route) return { route, providers: [], unusable: [] };
  const unusable = route.targets.flatMap(({ provider }) => {
    const fault = findFault(table, provider, subject);
    return fault ? [{ provider, ...fault }] : [];
  });
  const names = new Set(unusable.map(({ provider }) => provider));
  const usable = route.targets.filter(({ provider }) => !names.has(provider));
  return { route, providers: orderTargets(usable, subject.id), unusable };
}

/** Whether any delivery of an organisation on a channel can have a provider. */
export const hasRoute = (table: RouteTable, sender: RouteSender): boolean =>
  faultsOf(table, sender).includes(undefined);

/**
 * The error for a message without a provider: 400 if another sender could be used, else 503. If only some numbers have no
 * provider, it names them.
 * @param to absent if the recipients are not known yet
 */
export function noRouteError(table: RouteTable, sender: RouteSender, to?: RouteRecipient): AppError {
  const { channel, category } = sender;
  const all = faultsOf(table, sender);
  const route = to && findRoute(table, sender, to);
  const own = route?.targets.map(({ provider }) => findFault(table, provider, sender)) ?? [];
  const numbers = all.includes(undefined) && to ? numbersLike(table, to) : undefined;
  return (to ? own : all).some((fault) => fault?.isSender)
    ? senderNotApproved(sender.sender, category === 'otp', numbers)
    : noMessageRoute(channel, numbers);
}

function numbersLike({ namesOperators }: RouteTable, { recipient, portedTo }: RouteRecipient): string {
  const phone = parseRecipient(recipient);
  const operator = phone && namesOperators ? operatorOf(phone, portedTo) : undefined;
  const { country = 'no country', callingCode = '' } = phone ?? {};
  return `${operator === undefined ? '' : `${operator} `}numbers of ${country} (+${callingCode})`;
}

/** One entry for each provider of each route that the organisation may use; undefined if it can be used. */
const faultsOf = (table: RouteTable, sender: RouteSender): (RouteFault | undefined)[] =>
  table.routes
    .filter((route) => isFor(route, sender))
    .flatMap(({ targets }) => targets.map(({ provider }) => findFault(table, provider, sender)));

function findRoute(
  { routes }: RouteTable,
  sender: Omit<RouteSender, 'sender'>,
  { recipient, portedTo }: RouteRecipient,
): Route | undefined {
  const digits = recipient.slice(1);
  let phone: ParsedPhone | undefined;
  return routes.find((route) => {
    if (!isFor(route, sender)) return false;
    if (route.prefix !== null && !digits.startsWith(route.prefix)) return false;
    if (route.operator === null && route.country === null) return true;
    phone ??= parseRecipient(recipient);
    return (
      phone !== undefined &&
      (route.operator === null || route.operator === operatorOf(phone, portedTo)) &&
      (route.country === null || route.country === phone.country)
    );
  });
}

const isFor = (route: Route, { organisationId, channel, category }: Omit<RouteSender, 'sender'>): boolean =>
  route.channel === channel &&
  (route.organisationId === null || route.organisationId === organisationId) &&
  (route.category === null || route.category === category);

/** Why a delivery must not go to a provider; undefined if it may. */
export function findFault(
  { providers, registrations }: RouteTable,
  name: string,
  sender: Omit<RouteSender, 'category'>,
): RouteFault | undefined {
  const provider = providers.get(name);
  if (!provider) return { why: 'it cannot be used by this process', isSender: false };
  const why = unusableReason(provider, sender);
  if (why !== undefined) return { why, isSender: false };
  const refusal = registrations.refusalOf(provider, sender.sender, sender.organisationId);
  return refusal === undefined ? undefined : { why: refusal, isSender: true };
}

function unusableReason(
  provider: RoutedProvider,
  { organisationId, channel }: Omit<RouteSender, 'category'>,
): string | undefined {
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
