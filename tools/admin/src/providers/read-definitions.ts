import { readFile } from 'node:fs/promises';
import { ProviderDomain } from '@gangan/database';
import {
  defineProvider,
  type Definitions,
  findFaults,
  isJsonObject as isObject,
  type NewProvider,
  type ProviderDefinition,
  Refusal,
  type RouteDefinition,
} from '@gangan/management';
import { presets } from '@gangan/providers';
import { parse } from 'yaml';
import { readAirtimeRoute, readRoute } from '../routes/read-routes.js';
import { CommandError, describeFailure } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import {
  checkFields,
  type Entry,
  type Fields,
  isOneOf,
  isText,
  type ReadEntry,
  type Report,
} from './entry-fields.js';

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

/** A provider whose fields have the right types. */
type ProviderEntry = Omit<NewProvider, 'settings'> & { readonly settings?: object };

/** The providers and routes of a YAML file. @throws CommandError that names every fault of the file */
export async function readDefinitions(session: AdminSession, file: string): Promise<Definitions> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read.`, { cause });
  });
  const entries = entriesOf(file, text);
  const faults: string[] = [];
  const providers = new Map<string, ProviderDefinition>();
  for (const [index, given] of entries.providers.entries()) {
    const name = isText(given['name']) ? given['name'] : '';
    const report = (fault: string): number => faults.push(`${name || `entry ${index + 1}`}: ${fault}`);
    if (providers.has(name)) report('it is twice in the file');
    const hasShape = checkFields(given, fields, report);
    const entry = withVariables(given, session.settings.variable, report) as ProviderEntry;
    const organisationId = await ownerOf(session, given['organisation'], report);
    if (!hasShape) continue;
    const settings = [entry.settings ?? {}];
    const definition = defineProvider({ ...entry, name, organisationId, settings });
    findFaults(definition).forEach(report);
    providers.set(name, definition);
  }
  const readAll = async (given: readonly Entry[], what: string, read: ReadEntry<RouteDefinition>) => {
    const found = new Map<string, RouteDefinition>();
    for (const [index, entry] of given.entries()) {
      const report = (fault: string): number => faults.push(`${what} ${index + 1}: ${fault}`);
      const definition = read(entry, await ownerOf(session, entry['organisation'], report), report);
      if (!definition) continue;
      const key = JSON.stringify(definition.route.conditions);
      if (found.has(key)) report('another route has the same conditions');
      found.set(key, definition);
    }
    return [...found.values()];
  };
  const routes = await readAll(entries.routes, 'route', readRoute);
  const airtimeRoutes = await readAll(entries.airtimeRoutes, 'airtime route', readAirtimeRoute);
  if (faults.length > 0) throw new CommandError(`${file} cannot be used: ${faults.join('; ')}.`);
  return { providers: [...providers.values()], routes: [...routes, ...airtimeRoutes] };
}

function entriesOf(file: string, text: string) {
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
    if (!isObject(part)) return part;
    const entries = Object.entries(part);
    return Object.fromEntries(
      entries.map(([name, item]) => [name, walk(item, path === '' ? name : `${path}.${name}`)]),
    );
  };
  return walk(value, '') as Entry;
}
