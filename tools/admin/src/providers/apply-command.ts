import { readFile } from 'node:fs/promises';
import type { Channel } from '@gangan/contracts';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { findDifferences, findFaults, findPreset, merge, type ProviderDefinition } from './definition.js';
import { ProviderStore } from './provider-store.js';

const fields = [
  ...['name', 'preset', 'organisation', 'kind', 'channels'],
  ...['settings', 'secrets', 'enabled', 'rate', 'window'],
];

export function addApplyCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'apply <file>',
    'add and change providers as a YAML file says; shows the differences first',
    ['providers.yaml'],
    `Providers that are not in the file stay as they are. \${NAME} stands for an environment variable. Example:

  providers:
    - name: termii
      preset: termii
      secrets: { api_key: '\${TERMII_API_KEY}' }
      settings: { request: { json: { channel: generic } } }
      rate: 50`,
  ).action(async (file: string) => {
    const database = await session.database();
    const store = new ProviderStore(session, await session.sealer());
    const wanted = await readDefinitions(session, file);
    const changes: { name: string; after: ProviderDefinition; differences: string[] }[] = [];
    for (const [name, after] of wanted) {
      const before = await store.find(database, name);
      const differences = before ? findDifferences(before, after) : ['added'];
      if (differences.length > 0) changes.push({ name, after, differences });
    }
    if (changes.length === 0) {
      session.done('Nothing differs; nothing was changed.', { changed: [] });
      return;
    }
    for (const { name, differences } of changes)
      session.remark(differences.map((line) => `${name}: ${line}`).join('\n'));
    await session.confirm(
      `Apply these changes of ${changes.length === 1 ? 'a provider' : `${changes.length} providers`}?`,
    );
    await database.$transaction(async (models) => {
      for (const { name, after } of changes) await store.save(models, name, after);
    });
    const changed = changes.map(({ name }) => name);
    session.done(`Applied: ${changed.join(', ')}.`, { changed });
  });
}

/** @throws CommandError that names every fault of the file */
async function readDefinitions(
  session: AdminSession,
  file: string,
): Promise<ReadonlyMap<string, ProviderDefinition>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read.`, { cause });
  });
  const entries = entriesOf(file, text);
  const faults: string[] = [];
  const definitions = new Map<string, ProviderDefinition>();
  for (const given of entries) {
    const name = typeof given['name'] === 'string' ? given['name'] : '';
    const entry = withVariables(given, (variable) => {
      const value = session.settings.variable(variable);
      if (value === undefined) faults.push(`${name}: the variable ${variable} is empty`);
      return value ?? '';
    });
    const unknown = Object.keys(entry).filter((field) => !fields.includes(field));
    faults.push(...unknown.map((field) => `${name}: there is no field ${field}`));
    if (definitions.has(name)) faults.push(`${name} is twice in the file`);
    const definition = await definitionOf(session, entry);
    faults.push(...findFaults(name, definition).map((fault) => `${name}: ${fault}`));
    definitions.set(name, definition);
  }
  if (faults.length > 0) throw new CommandError(`${file} cannot be used: ${faults.join('; ')}.`);
  return definitions;
}

type Entry = Readonly<Record<string, unknown>>;

function entriesOf(file: string, text: string): readonly Entry[] {
  let document: unknown;
  try {
    document = parse(text);
  } catch (cause) {
    throw new CommandError(`${file} is not YAML.`, { cause });
  }
  const list = (document as { providers?: unknown } | null)?.providers;
  const isEntry = (entry: unknown): entry is Entry => typeof entry === 'object' && entry !== null;
  if (Array.isArray(list) && list.length > 0 && list.every(isEntry)) return list;
  throw new CommandError(`${file} has no list \`providers\`.`);
}

async function definitionOf(session: AdminSession, entry: Entry): Promise<ProviderDefinition> {
  const preset = typeof entry['preset'] === 'string' ? findPreset(entry['preset']) : undefined;
  const owner =
    typeof entry['organisation'] === 'string' ? await session.organisation(entry['organisation']) : undefined;
  const { kind = preset?.kind ?? 'http', channels = preset?.channels ?? ['sms'] } = entry;
  const { settings = {}, secrets = {}, enabled = true, rate = null, window = null } = entry;
  return {
    organisationId: owner?.id ?? null,
    kind: String(kind),
    channels: channels as readonly Channel[],
    settings: merge(preset?.settings ?? {}, settings) as ProviderDefinition['settings'],
    secrets: secrets as ProviderDefinition['secrets'],
    enabled: enabled === true,
    rate: rate as number | null,
    window: window as number | null,
  };
}

/** Replaces `${NAME}` in every string. */
function withVariables<T>(value: T, read: (variable: string) => string): T {
  if (typeof value === 'string')
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => read(name)) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withVariables(item, read)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withVariables(part as unknown, read)]),
  ) as T;
}
