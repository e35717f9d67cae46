import { readFile } from 'node:fs/promises';
import { parseUrl } from '@gangan/protocol';
import type { FieldRule, LookupFinding, LookupSettings } from '@gangan/providers';
import { StartupError } from '@gangan/runtime';
import { Ajv } from 'ajv';

type FileField = 'operator' | 'country' | 'ported' | 'dnd';

/** The form of LOOKUP_PROVIDER_FILE before providers were rows. */
interface ProviderFile {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Statuses that mean that the provider does not know the number. */
  readonly nothingKnown?: readonly number[];
  readonly answer: Readonly<Partial<Record<FileField & keyof LookupFinding, FieldRule>>>;
}

/** A provider in the form of a row. */
export interface FileProvider {
  readonly name: string;
  readonly settings: LookupSettings;
  readonly secrets: Readonly<Record<string, string>>;
}

const rule = (value: 'string' | 'boolean') => ({
  type: 'object',
  additionalProperties: false,
  required: ['pointer'],
  properties: {
    pointer: { type: 'string', pattern: '^(/.*)?$' },
    values: { type: 'object', additionalProperties: { type: [value, 'null'] } },
  },
});

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'url', 'answer'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9-]{1,40}$' },
    method: { enum: ['GET', 'POST'] },
    url: { type: 'string', pattern: '^https?://' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: {},
    nothingKnown: { type: 'array', items: { type: 'integer', minimum: 400, maximum: 499 } },
    answer: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        operator: rule('string'),
        country: rule('string'),
        ported: rule('boolean'),
        dnd: rule('boolean'),
      },
    },
  },
};

/** The placeholders of a file, and those of the settings. */
const placeholders = {
  e164: 'phone',
  digits: 'phone_digits',
  national: 'phone_national',
  country: 'country',
  secret: 'secret.secret',
} as const;

const inBraces = /\{([A-Za-z0-9_]+)\}/g;
const isPlaceholder = (name: string): name is keyof typeof placeholders => Object.hasOwn(placeholders, name);

/** @throws StartupError that names every fault of the file without quoting its content */
export async function readProviderFile(path: string, secret: string | undefined): Promise<FileProvider> {
  const fail = (faults: readonly string[]): never => {
    throw new StartupError(`LOOKUP_PROVIDER_FILE (${path}) cannot be used: ${faults.join('; ')}`);
  };
  const text = await readFile(path, 'utf8').catch((error: unknown) => fail([(error as Error).message]));
  const file = parseJson(text) ?? fail(['it is not JSON']);
  const isProviderFile = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<ProviderFile>(schema);
  if (!isProviderFile(file)) {
    return fail(
      (isProviderFile.errors ?? []).map(({ instancePath, message = '' }) =>
        `${instancePath} ${message}`.trim(),
      ),
    );
  }
  const faults = findFaults(file, secret);
  return faults.length === 0 ? toProvider(file, secret) : fail(faults);
}

/** A file could name private addresses and contain secrets, so neither is refused. */
function toProvider({ name, nothingKnown = [], answer, ...file }: ProviderFile, secret: string | undefined) {
  const { method = 'GET', url, headers, body } = rename(file) as typeof file;
  return {
    name,
    secrets: secret === undefined ? {} : { secret },
    settings: {
      request: { method, url, ...(headers && { headers }), ...(body !== undefined && { json: body }) },
      outcomes: nothingKnown.map((status) => ({ status, outcome: 'not_found' as const })),
      finding: answer,
      allowPrivate: true,
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Renames the placeholders in every string of a JSON document. */
function rename(template: unknown): unknown {
  if (typeof template === 'string')
    return template.replace(inBraces, (braced, name: string) =>
      isPlaceholder(name) ? `{${placeholders[name]}}` : braced,
    );
  if (Array.isArray(template)) return template.map(rename);
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, rename(value)]));
}

function findFaults({ url, headers, body, method }: ProviderFile, secret: string | undefined): string[] {
  const names = [...JSON.stringify([url, headers, body]).matchAll(inBraces)].map(([, name = '']) => name);
  const unknown = [...new Set(names)].filter((name) => !isPlaceholder(name));
  const known = Object.keys(placeholders).join(', ');
  return [
    ...unknown.map((name) => `{${name}} is not a placeholder; use one of ${known}`),
    ...(names.includes('secret') && secret === undefined ? ['{secret} needs LOOKUP_PROVIDER_SECRET'] : []),
    ...(body !== undefined && method !== 'POST' ? ['/body needs /method POST'] : []),
    ...(parseUrl(url.replace(inBraces, '1')) ? [] : ['/url is not a URL']),
  ];
}
