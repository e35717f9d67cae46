import { readFile } from 'node:fs/promises';
import type { SmsEstimate } from '@gangan/contracts';
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

describe('the examples of the OpenAPI document', () => {
  let api: DocumentedApi;
  let text: string;
  beforeAll(async () => {
    text = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    api = new DocumentedApi(JSON.parse(text) as ConstructorParameters<typeof DocumentedApi>[0]);
  });

  it('contain a response of every operation, as it is described', () => {
    for (const operation of api.operations) {
      const { id, example } = operation;
      expect([id, example === undefined, operation.faults(200, example)]).toEqual([id, false, undefined]);
    }
  });

  it('contain only numbers of the simulator, and no URL of others that receives callbacks', () => {
    const numbers = text.match(/(?<![\w-])(\+?234|0)\d{10}(?!\d)/g) ?? [];
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers.filter((number) => !/^(\+?234|0)7000000\d{3}$/.test(number))).toEqual([]);
    for (const { body } of api.operations)
      for (const example of body?.examples ?? []) expect(example).not.toHaveProperty('callback');
  });

  it('agree with the request and with each other', () => {
    const send = api.operations.find(({ id }) => id === 'smsSend');
    const [request] = send?.body?.examples ?? [];
    const recipients = String(request?.['recipients']).split(', ');
    const { content, sender_id, external_ref, is_trackable } = request ?? {};
    expect(send?.example).toMatchObject({ recipients, content, sender_id, external_ref, is_trackable });
    const example = send?.example as { readonly meta: { readonly estimate: SmsEstimate } } | undefined;
    const { charge, pages = 0, available_balance } = example?.meta.estimate ?? {};
    const pricePerPage = 4;
    expect(charge).toBe(recipients.length * pages * pricePerPage);
    const balance = api.operations.find(({ id }) => id === 'billingBalance')?.example;
    expect(balance).toMatchObject({ available_balance });
  });
});

describe('the callbacks of docs/use/callbacks.md', () => {
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
    const [page, text] = [await read('use/callbacks.md'), await read('openapi.json')];
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
