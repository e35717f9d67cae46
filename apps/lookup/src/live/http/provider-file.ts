import { readFile } from 'node:fs/promises';
import { StartupError } from '@gangan/runtime';
import { Ajv } from 'ajv';
import type { LiveField } from '../live-provider.js';
import { fill, isPlaceholder, namesIn, placeholders, valuesOf } from './template.js';

/** Where in the answer a field stands, and what its values mean; one that means nothing is `null`. */
export interface FieldRule {
  readonly pointer: string;
  readonly values?: Readonly<Record<string, string | boolean | null>>;
}

/** How a provider is asked over HTTP, and how its answer is understood. */
export interface ProviderFile {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: unknown;
  /** Statuses by which it says that it knows nothing of a number. */
  readonly nothingKnown?: readonly number[];
  readonly answer: Readonly<Partial<Record<LiveField, FieldRule>>>;
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

const isProviderFile = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<ProviderFile>(schema);

/** @throws StartupError that names everything that is wrong with it, and repeats nothing of what stands in it */
export async function readProviderFile(path: string, secret: string | undefined): Promise<ProviderFile> {
  const refuse = (faults: readonly string[]): never => {
    throw new StartupError(`LOOKUP_PROVIDER_FILE (${path}) cannot be used: ${faults.join('; ')}`);
  };
  const text = await readFile(path, 'utf8').catch((error: unknown) => refuse([(error as Error).message]));
  const file = parsed(text) ?? refuse(['it is no JSON']);
  if (!isProviderFile(file)) {
    return refuse(
      (isProviderFile.errors ?? []).map(({ instancePath, message = '' }) =>
        `${instancePath} ${message}`.trim(),
      ),
    );
  }
  const faults = faultsOf(file, secret);
  return faults.length === 0 ? file : refuse(faults);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultsOf(file: ProviderFile, secret: string | undefined): string[] {
  const { url, headers, body, method } = file;
  const names = namesIn([url, headers, body]);
  const example = fill(
    url,
    valuesOf({ e164: '+2348031234567', nationalNumber: '8031234567' }),
    encodeURIComponent,
  );
  const unknown = [...new Set(names)].filter((name) => !isPlaceholder(name));
  return [
    ...unknown.map((name) => `{${name}} stands for nothing: known are ${placeholders.join(', ')}`),
    ...(names.includes('secret') && secret === undefined ? ['{secret} needs LOOKUP_PROVIDER_SECRET'] : []),
    ...(body !== undefined && method !== 'POST' ? ['/body needs /method POST'] : []),
    ...(URL.canParse(example) ? [] : ['/url is no URL']),
  ];
}
