import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toPostman } from './interface/postman.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);
const document = file('../../../docs/openapi.json');

interface Described {
  readonly summary: string;
  readonly security: readonly object[];
  readonly 'x-codeSamples'?: readonly { readonly source: string }[];
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

describe('Postman', () => {
  it('imports every operation with the key in the Authorization header', async () => {
    const source = await readFile(document, 'utf8');
    const { paths } = JSON.parse(source) as OpenApiDocument;
    const { auth, variables, requests } = await toPostman(source);
    expect(variables).toEqual({ baseUrl: 'http://{{host}}', host: 'localhost:3000' });
    const key = { type: 'apikey', key: 'Authorization', value: '{{apiKey}}', in: 'header' };
    expect(auth).toEqual(key);
    const expected = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, security }]) => ({
        name: summary,
        method: method.toUpperCase(),
        url: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        auth: security.length > 0 ? key : {},
        body: expect.any(String),
      })),
    );
    expect(requests).toHaveLength(expected.length);
    expect(requests).toEqual(expect.arrayContaining(expected));
    const send = requests.find(({ url }) => url === '{{baseUrl}}/sms/send');
    expect(JSON.parse(send?.body ?? '')).toMatchObject({ recipients: '07000000001, +2347000000011' });
  });
});

describe('a generated TypeScript client', () => {
  let folder: string;
  let operations: readonly Described[];
  let samples: readonly string[];
  /** The errors of the compiler: an error that is expected and absent is one, too. */
  let errors: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-client-'));
    await symlink(file('../node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await run(process.execPath, [
      file('../node_modules/openapi-typescript/bin/cli.js'),
      ...[document, '--output', join(folder, 'api.ts')],
    ]);
    const { paths } = JSON.parse(await readFile(document, 'utf8')) as OpenApiDocument;
    operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    samples = operations.flatMap((operation) => operation['x-codeSamples'] ?? []).map(({ source }) => source);
    errors = await compile({ 'client.ts': client, 'samples.ts': blocksOf(samples) });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Compiles the files together, because a start of the compiler takes seconds. */
  const compile = async (files: Readonly<Record<string, string>>): Promise<string> => {
    for (const [name, source] of Object.entries(files)) await writeFile(join(folder, name), source);
    const options = [
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
    ];
    const modules = ['--module', 'nodenext', '--lib', 'es2022,dom'];
    const tsc = file('../../../node_modules/typescript/bin/tsc');
    return run(process.execPath, [tsc, ...options, ...modules, ...Object.keys(files)], { cwd: folder }).then(
      () => '',
      (error: unknown) => (error as { readonly stdout: string }).stdout,
    );
  };

  it('compiles with right requests, and not with wrong ones', () => {
    expect(errors.split('\n').filter((line) => !line.startsWith('samples.ts'))).toEqual(['']);
  });

  it('is not needed by the samples, which use the SDK and compile', () => {
    expect(errors.split('\n').filter((line) => line.startsWith('samples.ts'))).toEqual([]);
    expect(samples).toHaveLength(operations.filter(({ security }) => security.length > 0).length);
  });
});

const sdkImport = `import { Gangan } from '@gangan/sdk';\n`;

/** Each sample in a block of its own, because all declare the same names. */
const blocksOf = (samples: readonly string[]): string =>
  sdkImport + samples.map((sample) => `{\n${sample.replace(sdkImport, '')}\n}\n`).join('');

const client = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const api = createClient<paths>({ baseUrl: 'http://localhost:3000', headers: { Authorization: 'sk_test_demo' } });

const { data, error } = await api.POST('/sms/send', { body: { recipients: '08031234567', content: 'Hello' } });
export const id: string | undefined = data?.id;
export const invalid: string[] | undefined = error?.errors.map(({ field }) => field);
await api.GET('/sms/{id}', { params: { path: { id: '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42' } } });
await api.POST('/templates', { body: { name: 'Hello', body: 'Dear {{name}}' } });
await api.POST('/lists/contact/rows/query', {
  body: { filters: [{ any: [{ name: 'Name', operator: 'is_empty' }, { name: 'Name', operator: 'equal', value: 'Ada' }] }] },
});

// @ts-expect-error A message needs recipients.
await api.POST('/sms/send', { body: { content: 'Hello' } });
// @ts-expect-error A message needs a text.
await api.POST('/sms/send', { body: { recipients: '08031234567' } });
// @ts-expect-error Recipients are one text.
await api.POST('/sms/send', { body: { recipients: ['08031234567'], content: 'Hello' } });
// @ts-expect-error A purchase needs an amount or a product.
await api.POST('/airtime/buy', { body: { network: 'MTN', recipient: '08031234567' } });
// @ts-expect-error A network of this name does not exist.
await api.POST('/airtime/buy', { body: { network: 'Mtn', amount: 100, recipient: '08031234567' } });
// @ts-expect-error A template of WhatsApp needs a name there.
await api.POST('/templates', { body: { name: 'Hello', body: 'Dear', channel: 'whatsapp' } });
// @ts-expect-error A filter needs a column.
await api.POST('/lists/contact/rows/query', { body: { filters: [{ operator: 'is_empty' }] } });
// @ts-expect-error The path has an id.
await api.GET('/sms/{id}', {});
// @ts-expect-error No such path.
await api.GET('/messages', {});
`;
