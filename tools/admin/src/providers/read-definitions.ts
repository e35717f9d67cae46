import { readFile } from 'node:fs/promises';
import type { Channel } from '@gangan/contracts';
import { ProviderDomain } from '@gangan/database';
import { Refusal } from '@gangan/management';
import { findKind, presets, type Secrets } from '@gangan/providers';
import { parse } from 'yaml';
import { readAirtimeRoute, readRoute } from '../routes/read-routes.js';
import type { MessageConditions, PurchaseConditions, RouteDefinition } from '../routes/route-store.js';
import { CommandError, describeFailure } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import { checkFields, type Entry, type Fields, isOneOf, isText, type Report } from './entry-fields.js';
import { domainOf, findFaults, isObject, merge, type ProviderDefinition } from './definition.js';

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isSecret = ([name, value]: [string, unknown]): boolean =>
  /^[a-z][a-z0-9_]*$/.test(name) && isText(value);

/** The fields of a provider in a file. */
const fields: Fields = {
  name: [isText, 'a text'],
  preset: [isOneOf(Object.keys(presets)), `one of ${Object.keys(presets).join(', ')}`],
  organisation: [isText, 'a text such as acme/live, or left out'],
  kind: [isText, 'a text'],
  domain: [isOneOf(Object.values(ProviderDomain)), `one of ${Object.values(ProviderDomain).join(', ')}`],
  channels: [(value) => Array.isArray(value) && value.every(isText), 'a list such as [sms]'],
  settings: [isObject, 'a map'],
  secrets: [
    (value) => isObject(value) && Object.entries(value).every(isSecret),
    'a map of lower-case names to texts; put numbers in quotes',
  ],
  enabled: [(value) => typeof value === 'boolean', 'true or false'],
  rate: [isNumber, 'a number'],
  window: [isNumber, 'a number'],
  registeredSenders: [(value) => typeof value === 'boolean', 'true or false'],
};

export interface Definitions {
  readonly providers: ReadonlyMap<string, ProviderDefinition>;
  readonly routes: readonly RouteDefinition<MessageConditions>[];
  readonly airtimeRoutes: readonly RouteDefinition<PurchaseConditions>[];
}

/** The providers and routes of a YAML file. @throws CommandError that names every fault of the file */
export async function readDefinitions(session: AdminSession, file: string): Promise<Definitions> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read.`, { cause });
  });
  const faults: string[] = [];
  const definitions = new Map<string, ProviderDefinition>();
  const entries = entriesOf(file, text);
  for (const [index, given] of entries.providers.entries()) {
    const name = isText(given['name']) ? given['name'] : '';
    const label = name === '' ? `entry ${index + 1}` : name;
    const report = (fault: string): number => faults.push(`${label}: ${fault}`);
    if (definitions.has(name)) report('it is twice in the file');
    const hasShape = checkFields(given, fields, report);
    const entry = withVariables(given, session.settings.variable, report);
    const organisationId = await ownerOf(session, entry['organisation'], report);
    if (!hasShape) continue;
    const definition = definitionOf(entry, organisationId);
    findFaults(name, definition).forEach(report);
    definitions.set(name, definition);
  }
  const readAll = async <T extends RouteDefinition>(
    given: readonly Entry[],
    name: string,
    read: (entry: Entry, owner: string | null, report: Report) => T | undefined,
  ): Promise<readonly T[]> => {
    const found = new Map<string, T>();
    for (const [index, entry] of given.entries()) {
      const report = (fault: string): number => faults.push(`${name} ${index + 1}: ${fault}`);
      const route = read(entry, await ownerOf(session, entry['organisation'], report), report);
      if (!route) continue;
      const key = JSON.stringify(route.conditions);
      if (found.has(key)) report('another route has the same conditions');
      found.set(key, route);
    }
    return [...found.values()];
  };
  const routes = await readAll(entries.routes, 'route', readRoute);
  const airtimeRoutes = await readAll(entries.airtimeRoutes, 'airtime route', readAirtimeRoute);
  if (faults.length > 0) throw new CommandError(`${file} cannot be used: ${faults.join('; ')}.`);
  return { providers: definitions, routes, airtimeRoutes };
}

function entriesOf(
  file: string,
  text: string,
): Readonly<Record<'providers' | 'routes' | 'airtimeRoutes', readonly Entry[]>> {
  let document: unknown;
  try {
    document = parse(text);
  } catch (cause) {
    throw new CommandError(`${file} is not YAML.`, { cause });
  }
  const { providers = [], routes = [], airtimeRoutes = [], ...others } = isObject(document) ? document : {};
  if (!isList(providers) || !isList(routes) || !isList(airtimeRoutes))
    throw new CommandError(`${file}: \`providers\`, \`routes\` and \`airtimeRoutes\` must be lists of maps.`);
  if (providers.length + routes.length + airtimeRoutes.length === 0)
    throw new CommandError(`${file} has no list \`providers\`, \`routes\` or \`airtimeRoutes\`.`);
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new CommandError(`${file} has unknown fields: ${unknown.join(', ')}.`);
  return { providers, routes, airtimeRoutes };
}

const isList = (value: unknown): value is readonly Entry[] => Array.isArray(value) && value.every(isObject);

async function ownerOf(session: AdminSession, given: unknown, report: Report): Promise<string | null> {
  if (!isText(given)) return null;
  try {
    return (await session.liveOrganisation(given)).id;
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof Refusal)) throw error;
    report(describeFailure(error).replace(/\.$/, ''));
    return null;
  }
}

function definitionOf(entry: Entry, organisationId: string | null): ProviderDefinition {
  const preset = isText(entry['preset']) ? presets[entry['preset']] : undefined;
  const { kind = preset?.kind ?? 'http' } = entry;
  const { domain = preset?.domain ?? domainOf(kind as string) } = entry;
  const {
    channels = preset?.channels ?? findKind(kind as string, domain as ProviderDomain)?.channels ?? [],
  } = entry;
  const { settings = {}, secrets = {}, enabled = true, rate = null, window = null } = entry;
  const { registeredSenders = preset?.registeredSenders ?? false } = entry;
  return {
    organisationId,
    kind: kind as string,
    domain: domain as ProviderDomain,
    channels: channels as readonly Channel[],
    settings: merge(preset?.settings ?? {}, settings) as ProviderDefinition['settings'],
    secrets: secrets as Secrets,
    enabled: enabled as boolean,
    rate: rate as number | null,
    window: window as number | null,
    registeredSenders: registeredSenders as boolean,
  };
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces `${NAME}` in the secrets and the URL. Elsewhere the value would be stored and shown in plain text. */
function withVariables(value: Entry, read: (name: string) => string | undefined, report: Report): Entry {
  const expand = (text: string, path: string): string =>
    text.replace(variable, (braced, name: string) => {
      if (!/^(secrets\..*|settings\.request\.url)$/.test(path)) {
        report(`${path} contains ${braced}: variables are only for secrets and settings.request.url`);
        return braced;
      }
      const found = read(name);
      if (found === undefined) report(`the variable ${name} is empty`);
      return found ?? braced;
    });
  const walk = (part: unknown, path: string): unknown => {
    if (typeof part === 'string') return expand(part, path);
    if (Array.isArray(part)) return part.map((item, index) => walk(item, `${path}.${index}`));
    return isObject(part) ? walkObject(part, `${path}.`) : part;
  };
  const walkObject = (part: Entry, path: string): Entry =>
    Object.fromEntries(Object.entries(part).map(([name, item]) => [name, walk(item, `${path}${name}`)]));
  return walkObject(value, '');
}
