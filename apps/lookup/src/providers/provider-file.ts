import { readFile } from 'node:fs/promises';
import { parseUrl } from '@gangan/protocol';
import { StartupError } from '@gangan/runtime';
import { Ajv } from 'ajv';
import type { LiveField } from './live-provider.js';
import { fill, findNames, isPlaceholder, placeholders, templateValues } from './request-template.js';

/** The JSON pointer of a field in the response, and the meaning of its values; `null` means unknown. */
export interface FieldRule {
  readonly pointer: string;
  readonly values?: Readonly<Record<string, string | boolean | null>>;
}

/** Describes the requests to a provider and its responses. */
export interface ProviderFile {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Statuses that mean that the provider does not know the number. */
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

/** @throws StartupError that names every fault of the file without quoting its content */
export async function readProviderFile(path: string, secret: string | undefined): Promise<ProviderFile> {
  const fail = (faults: readonly string[]): never => {
    throw new StartupError(`LOOKUP_PROVIDER_FILE (${path}) cannot be used: ${faults.join('; ')}`);
  };
  const text = await readFile(path, 'utf8').catch((error: unknown) => fail([(error as Error).message]));
  const file = parseJson(text) ?? fail(['it is not JSON']);
  if (!isProviderFile(file)) {
    return fail(
      (isProviderFile.errors ?? []).map(({ instancePath, message = '' }) =>
        `${instancePath} ${message}`.trim(),
      ),
    );
  }
  const faults = findFaults(file, secret);
  return faults.length === 0 ? file : fail(faults);
}

/** `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function findFaults(file: ProviderFile, secret: string | undefined): string[] {
  const { url, headers, body, method } = file;
  const names = findNames([url, headers, body]);
  const example = fill(
    url,
    templateValues({ e164: '+2348031234567', nationalNumber: '8031234567' }),
    encodeURIComponent,
  );
  const unknown = [...new Set(names)].filter((name) => !isPlaceholder(name));
  return [
    ...unknown.map((name) => `{${name}} is not a placeholder; use one of ${placeholders.join(', ')}`),
    ...(names.includes('secret') && secret === undefined ? ['{secret} needs LOOKUP_PROVIDER_SECRET'] : []),
    ...(body !== undefined && method !== 'POST' ? ['/body needs /method POST'] : []),
    ...(parseUrl(example) ? [] : ['/url is not a URL']),
  ];
}
