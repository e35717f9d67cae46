import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DocumentedApi } from './interface/documented-api.js';

/** Cases that random requests are unlikely to find. */
describe('the schema', () => {
  let api: DocumentedApi;
  beforeAll(async () => {
    const document = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    api = new DocumentedApi(JSON.parse(document) as ConstructorParameters<typeof DocumentedApi>[0]);
  });

  const fits = (schema: string, body: object): boolean =>
    api.fits({ $ref: `#/components/schemas/${schema}` })(body);

  it.each([[['gold']], [['gold', 'rose gold']], [['a\nb', 'Gold', 'gold']]])(
    'accepts the options %j',
    (options) => {
      expect(fits('AddContactColumnRequest', { name: 'Level', type: 'SELECT', options })).toBe(true);
      expect(fits('ChangeContactColumnFields', { options })).toBe(true);
    },
  );

  it.each([[[]], [['']], [[' ']], [['a,b']], [['gold', 'gold']], [['gold', 'gold ']]])(
    'rejects the options %j',
    (options) => {
      expect(fits('AddContactColumnRequest', { name: 'Level', type: 'SELECT', options })).toBe(false);
      expect(fits('ChangeContactColumnFields', { options })).toBe(false);
    },
  );

  it('rejects a blank provider name of a template', () => {
    const template = { name: 'Dear', channel: 'whatsapp', body: 'Dear', language: 'en' };
    expect(fits('CreateTemplateRequest', { ...template, provider_name: 'dear' })).toBe(true);
    expect(fits('CreateTemplateRequest', { ...template, provider_name: ' ' })).toBe(false);
    expect(fits('ChangeTemplateFields', { provider_name: 'dear' })).toBe(true);
    expect(fits('ChangeTemplateFields', { provider_name: ' ' })).toBe(false);
  });
});

describe('the callbacks of docs/callbacks.md', () => {
  interface Webhooks {
    readonly webhooks: Readonly<
      Record<
        string,
        { readonly post: { readonly requestBody: { readonly content: Record<string, { schema: object }> } } }
      >
    >;
  }
  const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

  it('name every type, and match the webhooks of the OpenAPI document', async () => {
    const [page, text] = [await read('callbacks.md'), await read('openapi.json')];
    const document = JSON.parse(text) as ConstructorParameters<typeof DocumentedApi>[0] & Webhooks;
    const api = new DocumentedApi(document);
    for (const type of Object.keys(document.webhooks)) expect(page).toContain(`\`${type}\``);
    const examples = [...page.matchAll(/```json\n(\{\n {2}"type": "([\w.]+)"[^]*?)```/g)];
    expect(examples.length).toBeGreaterThan(8);
    for (const [, example = '', type = ''] of examples) {
      const content = document.webhooks[type]?.post.requestBody.content['application/json'];
      const fits = api.fits(content?.schema ?? { not: {} });
      expect([type, fits(JSON.parse(example)), fits({ ...JSON.parse(example), data: {} })]).toEqual([
        type,
        true,
        false,
      ]);
    }
  });
});
