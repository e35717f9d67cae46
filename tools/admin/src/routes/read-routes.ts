import { channels, isKnownRegion, messageCategories, networks } from '@gangan/contracts';
import {
  type MessageConditions,
  messageRoute,
  purchaseRoute,
  type RouteDefinition,
  targetsInOrder,
} from '@gangan/management';
import { checkFields, type Fields, isOneOf, isText, type ReadEntry } from '../providers/entry-fields.js';
import { parseTargets } from './targets.js';

const categories = [...messageCategories, 'otp'];

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isText);
const organisation = [isText, 'a text such as acme/live, or left out'] as const;
const network = [isOneOf(networks), `one of ${networks.join(', ')}`] as const;

/** The fields of a route of messages in a file. */
const fields: Fields = {
  to: [isNames, "a list such as ['termii:80,other:20', backup]"],
  organisation,
  channel: [isOneOf(channels), `one of ${channels.join(', ')}`],
  category: [isOneOf(categories), `one of ${categories.join(', ')}`],
  operator: network,
  prefix: [(value) => isText(value) && /^[1-9]\d{0,14}$/.test(value), "digits in quotes, such as '234803'"],
  country: [(value) => isText(value) && isKnownRegion(value), 'an ISO 3166 code such as NG'],
};

/** The fields of a route of purchases in a file. */
const airtimeFields: Fields = { to: [isNames, 'a list such as [vtpass, reloadly]'], organisation, network };

/** A route whose fields have the right types. */
interface RouteEntry extends Partial<Omit<MessageConditions, 'organisationId'>> {
  readonly to: readonly string[];
  readonly organisation?: string;
  readonly network?: string;
}

export const readRoute: ReadEntry<RouteDefinition> = (given, organisationId, report) => {
  const hasShape = checkFields(given, fields, report, ['to']);
  if (isText(given['prefix']) && isText(given['country'])) report('it has a prefix and a country: give one');
  if (!hasShape) return undefined;
  const { to, organisation: label, ...conditions } = given as unknown as RouteEntry;
  const { channel = 'sms', category = null, operator = null, prefix = null, country = null } = conditions;
  const route = messageRoute({ organisationId, channel, category, operator, prefix, country }, label);
  return { route, targets: parseTargets(to, report) };
};

/** A route of purchases. */
export const readAirtimeRoute: ReadEntry<RouteDefinition> = (given, organisationId, report) => {
  if (!checkFields(given, airtimeFields, report, ['to'])) return undefined;
  const { to, organisation: label, network: of = null } = given as unknown as RouteEntry;
  return { route: purchaseRoute({ organisationId, network: of }, label), targets: targetsInOrder(to) };
};
