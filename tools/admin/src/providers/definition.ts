import type { Channel } from '@gangan/contracts';
import type { ProviderDomain } from '@gangan/database';
import {
  findKind,
  type LookupPreset,
  messageSettings,
  type Preset,
  presets,
  providerKinds,
  type Secrets,
} from '@gangan/providers';
import { CommandError } from '../session/errors.js';
import { type Row, StoredJson } from '../session/print.js';

/** What an operator decides about a provider. */
export interface ProviderDefinition {
  /** The owner; `null` if all organisations may use it. */
  readonly organisationId: string | null;
  readonly kind: string;
  /** What it is for; the settings differ. */
  readonly domain: ProviderDomain;
  readonly channels: readonly Channel[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
  readonly enabled: boolean;
  readonly rate: number | null;
  readonly window: number | null;
  /** Whether it takes only senders that are registered there. */
  readonly registeredSenders: boolean;
}

/** As operators see it. */
export interface ShownProvider extends Omit<ProviderDefinition, 'secrets'> {
  /** `undefined` if they cannot be opened. */
  readonly secrets: Secrets | undefined;
}

/** A shorter text could be part of an answer by chance, where it would be masked. */
const minSecretLength = 8;

export function findPreset(name: string): Preset | LookupPreset {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset) return preset;
  throw new CommandError(`There is no preset ${name}. The presets are ${Object.keys(presets).join(', ')}.`);
}

/** What a provider of a kind is for, unless the operator says otherwise. */
export const domainOf = (kind: string): ProviderDomain => {
  const [first = 'message'] = Object.keys(providerKinds[kind] ?? {}) as ProviderDomain[];
  return first;
};

const isProviderName = (name: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(name) && name !== 'simulator';

/** All faults at once. */
export function findFaults(name: string, definition: ProviderDefinition): string[] {
  const { kind, domain, channels, settings, secrets, rate, window } = definition;
  const known = findKind(kind, domain);
  const isForMessages = domain === 'message';
  const nameRule = 'the name has 1 to 32 lower-case letters, digits and hyphens, and starts with a letter';
  const isWithin = (value: number | null, min: number, max: number): boolean =>
    value === null || (Number.isInteger(value) && value >= min && value <= max);
  return [
    ...(isProviderName(name) ? [] : [`${nameRule}; simulator is reserved`]),
    ...(known ? [] : [`the kind must be one of ${Object.keys(providerKinds).join(', ')}`]),
    ...(isForMessages &&
    (channels.length === 0 || channels.some((channel) => known && !known.channels.includes(channel)))
      ? [`the channels must be among ${known?.channels.join(', ') ?? 'those of its kind'}`]
      : []),
    ...(!isForMessages && (channels.length > 0 || definition.registeredSenders || (rate ?? window) !== null)
      ? ['channels, rate, window and registered senders are only for messages']
      : []),
    ...(isWithin(rate, 0, 1_000_000) ? [] : ['the rate is a whole number from 0 to 1000000']),
    ...(isWithin(window, 1, 1_000) ? [] : ['the window is a whole number from 1 to 1000']),
    ...Object.entries(secrets)
      .filter(([, value]) => value.length < minSecretLength)
      .map(([secret]) => `the secret ${secret} must have at least ${minSecretLength} characters`),
    ...(known?.findFaults(settings, Object.keys(secrets)) ?? []),
  ];
}

type ReportingProvider = Pick<ProviderDefinition, 'kind' | 'domain' | 'settings'>;

/** Whether the provider sends requests to us. */
export function sendsReports({ kind, domain, settings }: ReportingProvider): boolean {
  const { reports, incoming } = messageSettings(kind, settings);
  return domain === 'message' && (reports !== undefined || incoming !== undefined);
}

/** As operators and the audit log see it: without the values of secrets. */
export const describeProvider = (definition: ShownProvider): Row => ({
  organisation: definition.organisationId,
  kind: definition.kind,
  domain: definition.domain,
  channels: definition.channels,
  enabled: definition.enabled,
  rate: definition.rate,
  window: definition.window,
  registered_senders: definition.registeredSenders,
  secrets: definition.secrets ? Object.keys(definition.secrets).toSorted() : 'cannot be opened',
  settings: new StoredJson(definition.settings),
});

/** What differs, one line each; secrets without their values. */
export function findDifferences(before: ShownProvider | undefined, after: ProviderDefinition): string[] {
  if (!before) return ['added'];
  const [old, current] = [
    flatten({ ...before, secrets: {}, id: '' }),
    flatten({ ...after, secrets: {}, id: '' }),
  ];
  const names = [...new Set([...old.keys(), ...current.keys()])].toSorted();
  const changed = names
    .filter((name) => old.get(name) !== current.get(name))
    .map((name) => `${name}: ${old.get(name) ?? '(none)'} → ${current.get(name) ?? '(none)'}`);
  if (!before.secrets) return [...changed, 'secrets: replaced; the stored ones cannot be opened'];
  const stored = before.secrets;
  const secrets = [...new Set([...Object.keys(stored), ...Object.keys(after.secrets)])].toSorted();
  return [
    ...changed,
    ...secrets.flatMap((name) => {
      const [was, is] = [stored[name], after.secrets[name]];
      if (was === is) return [];
      return [`secrets.${name}: ${was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}`];
    }),
  ];
}

/** Every value that is not an object, by its dotted path, as JSON. */
function flatten(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return new Map([[path, JSON.stringify(value)]]);
  return new Map(
    Object.entries(value).flatMap(([name, part]) => [
      ...flatten(part, path === '' ? name : `${path}.${name}`),
    ]),
  );
}

/** Objects are merged; all other values are replaced. `null` removes one. */
export function merge(base: unknown, changes: unknown): unknown {
  if (!isObject(changes)) return changes;
  const merged = new Map(Object.entries(isObject(base) ? base : {}));
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `request.json.channel=generic` as an object. The value is JSON if it can be read as JSON, else a text. */
export function settingFrom(assignment: string): object | undefined {
  const [, path = '', given = ''] = /^([A-Za-z0-9_.-]+)=(.*)$/s.exec(assignment) ?? [];
  if (path === '') return undefined;
  return path
    .split('.')
    .reduceRight<unknown>((value, name) => ({ [name]: value }), readValue(given)) as object;
}

/** A long id stays a text, because JSON.parse would round it. */
function readValue(text: string): unknown {
  if (/^\d{16,}$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
