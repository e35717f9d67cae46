import type { Channel, ParsedPhone } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import {
  decideRoute,
  operatorOf,
  portedNumberReader,
  readRoutableProviders,
  readRoutes,
  type RouteCategory,
  routeTable,
  SenderRegistrationReader,
  storedHealth,
} from '@gangan/providers';
import type { Organisation } from '../organisations/find-organisation.js';
import { describeMessages } from './message-routes.js';
import { formatTargets } from './stored-route.js';

interface ExplainedMessage {
  readonly channel: Channel;
  readonly category: RouteCategory;
  /** Absent: the default sender of the organisation. */
  readonly sender?: string;
}

/** Why a provider of the route gets no messages now. */
const stateReasons = {
  up: 'it works',
  open: 'it keeps failing, and is tested from time to time',
  paused: 'it refuses our account, and is tested from time to time',
} as const;

/** Which providers a message to a number goes to, and why. */
export async function explainRoute(
  database: Database,
  { id: organisationId, label, mode }: Organisation,
  phone: ParsedPhone,
  { sender: named, ...options }: ExplainedMessage,
) {
  const { defaultSender } = await database.organisation.findUniqueOrThrow({ where: { id: organisationId } });
  const sender = named ?? defaultSender;
  const recipient = phone.e164;
  const portedTo = (await portedNumberReader(database)([recipient])).get(recipient) ?? null;
  const about = {
    ...{ organisation: label, ...options, sender, recipient, country: phone.country },
    ...{ operator: operatorOf(phone, portedTo), ported_to: portedTo },
  };
  if (mode === 'test') {
    const why = 'test organisations always use the simulator';
    return { isRouted: true, explanation: { ...about, decision: 'simulator', why } };
  }
  const table = routeTable(
    await readRoutes(database),
    await readRoutableProviders(database),
    await new SenderRegistrationReader(database).read(),
  );
  const subject = { id: newId(), organisationId, sender, recipient, portedTo, ...options };
  const { route, providers, unusable } = decideRoute(table, subject);
  const usable = route?.targets.filter(({ provider }) => providers.includes(provider)) ?? [];
  const refusal = unusable.some(({ isSender }) => isSender)
    ? '400: no provider of the route takes the sender'
    : '503';
  const health = await storedHealth.readAll(database, 'message');
  const stopped = health.filter(({ provider, state }) => state !== 'up' && providers.includes(provider));
  const explanation = {
    ...about,
    decision: usable.length > 0 ? formatTargets(usable) : `none: the message is refused with ${refusal}`,
    why: route
      ? `the most specific route that matches: ${describeMessages(route, label)}`
      : 'no route matches',
    left_out: unusable.map(({ provider, why }) => `${provider}: ${why}.`),
    sent_as: providers.flatMap((name) => {
      const originator = table.registrations.find(name, sender, organisationId)?.originator ?? sender;
      return originator === sender ? [] : [`${originator} by ${name}`];
    }),
    passed_over: stopped.map(({ provider, state }) => `${provider}: ${stateReasons[state]}.`),
  };
  return { isRouted: providers.length > 0, explanation };
}
