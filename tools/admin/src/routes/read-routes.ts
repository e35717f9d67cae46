import { type Channel, channels, isKnownRegion, messageCategories, networks } from '@gangan/contracts';
import { InvalidArgumentError } from 'commander';
import {
  checkFields,
  type Entry,
  type Fields,
  isOneOf,
  isText,
  type Report,
} from '../providers/entry-fields.js';
import { describeMessages } from './message-routes.js';
import { describePurchases } from './purchase-routes.js';
import type { MessageConditions, PurchaseConditions, RouteDefinition } from './route-store.js';
import { parseTargets, targetsInOrder } from './targets.js';

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

/**
 * One route of a file; undefined if it has faults.
 * @param owner the id of the organisation that it names
 */
export function readRoute(
  entry: Entry,
  owner: string | null,
  report: Report,
): RouteDefinition<MessageConditions> | undefined {
  const hasShape = checkFields(entry, fields, report, ['to']);
  if (isText(entry['prefix']) && isText(entry['country'])) report('it has a prefix and a country: give one');
  if (!hasShape) return undefined;
  const { channel = 'sms', category = null, operator = null, prefix = null, country = null } = entry;
  const conditions = {
    organisationId: owner,
    channel: channel as Channel,
    category,
    operator,
    prefix,
    country,
  } as MessageConditions;
  const label = describeMessages(conditions, entry['organisation'] as string | undefined);
  try {
    return { conditions, label, targets: parseTargets(entry['to'] as readonly string[]) };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    report(error.message);
    return undefined;
  }
}

/** One route of purchases; undefined if it has faults. */
export function readAirtimeRoute(
  entry: Entry,
  owner: string | null,
  report: Report,
): RouteDefinition<PurchaseConditions> | undefined {
  if (!checkFields(entry, airtimeFields, report, ['to'])) return undefined;
  const {
    to,
    organisation,
    network = null,
  } = entry as { to: string[]; organisation?: string; network?: string };
  const conditions = { organisationId: owner, network };
  return { conditions, label: describePurchases(conditions, organisation), targets: targetsInOrder(to) };
}
