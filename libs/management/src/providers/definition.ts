import type { Channel } from '@gangan/contracts';
import type { ProviderDomain } from '@gangan/database';
import { findKind, messageSettings, presets, providerKinds, type Secrets } from '@gangan/providers';
import { Refusal } from '../refusal.js';
import { flatten, type JsonObject, merge } from './merge.js';

/** What an operator decides about a provider. */
export interface ProviderDefinition {
  readonly name: string;
  /** The owner; `null` if all organisations may use it. */
  readonly organisationId: string | null;
  readonly kind: string;
  /** What it is for; the settings differ. */
  readonly domain: ProviderDomain;
  readonly channels: readonly Channel[];
  readonly settings: JsonObject;
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

/** What is absent stays. */
export interface ProviderChanges extends Partial<
  Pick<ProviderDefinition, 'enabled' | 'rate' | 'window' | 'registeredSenders'>
> {
  /** They are merged into the settings, one after the other; `null` removes a setting. */
  readonly settings?: readonly object[];
  /** `null` removes one. */
  readonly secrets?: Readonly<Record<string, string | null>>;
}

/** What is absent comes from the preset, or from the kind. */
export type NewProvider = ProviderChanges &
  Partial<Pick<ProviderDefinition, 'kind' | 'domain' | 'channels'>> &
  Pick<ProviderDefinition, 'name' | 'organisationId'> & { readonly preset?: string };

/** A shorter text could be part of an answer by chance, where it would be masked. */
const minSecretLength = 8;

/** The definition of a provider that is not stored yet. @throws Refusal if there is no such preset */
export function defineProvider({ preset, ...given }: NewProvider): ProviderDefinition {
  const base = preset === undefined ? undefined : findPreset(preset);
  const { name, organisationId, kind = base?.kind ?? 'http' } = given;
  const { domain = base?.domain ?? domainOf(kind) } = given;
  const { channels = base?.channels ?? findKind(kind, domain)?.channels ?? [] } = given;
  const { registeredSenders = false } = base ?? {};
  const limits = { enabled: true, rate: null, window: null, registeredSenders };
  const settings = { ...base?.settings };
  const start = { name, organisationId, kind, domain, channels, settings, secrets: {}, ...limits };
  return withProviderChanges(start, given);
}

export function withProviderChanges(before: ShownProvider, changes: ProviderChanges): ProviderDefinition {
  const { enabled, rate, window, registeredSenders } = { ...before, ...changes };
  const settings = (changes.settings ?? []).reduce<JsonObject>(merge, before.settings);
  const secrets = merge(before.secrets, changes.secrets ?? {}) as Secrets;
  return { ...before, enabled, rate, window, registeredSenders, settings, secrets };
}

function findPreset(name: string) {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset) return preset;
  const names = Object.keys(presets).join(', ');
  throw new Refusal('not_found', `There is no preset ${name}. The presets are ${names}.`);
}

/** What a provider of a kind is for, unless the operator says otherwise. */
const domainOf = (kind: string): ProviderDomain => {
  const [first = 'message'] = Object.keys(providerKinds[kind] ?? {}) as ProviderDomain[];
  return first;
};

const isProviderName = (name: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(name) && name !== 'simulator';

/** All faults at once. */
export function findFaults(definition: ProviderDefinition): string[] {
  const { name, kind, domain, channels, settings, secrets, rate, window } = definition;
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

/** Whether the provider sends requests to us. */
export function sendsReports({ kind, domain, settings }: ShownProvider): boolean {
  const { reports, incoming } = messageSettings(kind, settings);
  return domain === 'message' && (reports !== undefined || incoming !== undefined);
}

/** As operators and the audit log see it: without the values of secrets. */
export const describeProvider = (definition: ShownProvider) => ({
  organisation: definition.organisationId,
  kind: definition.kind,
  domain: definition.domain,
  channels: definition.channels,
  enabled: definition.enabled,
  rate: definition.rate,
  window: definition.window,
  registered_senders: definition.registeredSenders,
  secrets: definition.secrets ? Object.keys(definition.secrets).toSorted() : 'cannot be opened',
  settings: definition.settings,
});

/** What differs, one line each; secrets without their values. */
export function findDifferences(before: ShownProvider | undefined, after: ProviderDefinition): string[] {
  if (!before) return ['added'];
  const hidden = { id: '', domains: '', sealedToken: '', secrets: {} };
  const [old, current] = [flatten({ ...before, ...hidden }), flatten({ ...after, ...hidden })];
  const changed = namesOf([...old.keys(), ...current.keys()])
    .filter((name) => old.get(name) !== current.get(name))
    .map((name) => `${name}: ${old.get(name) ?? '(none)'} → ${current.get(name) ?? '(none)'}`);
  if (!before.secrets) return [...changed, 'secrets: replaced; the stored ones cannot be opened'];
  const stored = before.secrets;
  const secrets = namesOf([...Object.keys(stored), ...Object.keys(after.secrets)]).flatMap((name) => {
    const [was, is] = [stored[name], after.secrets[name]];
    if (was === is) return [];
    return [`secrets.${name}: ${was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}`];
  });
  return [...changed, ...secrets];
}

const namesOf = (names: readonly string[]): string[] => [...new Set(names)].toSorted();
