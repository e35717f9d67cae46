import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DescribedInterface } from './interface/described.js';

/** What random requests are unlikely to meet. */
describe('what is refused is not as described', () => {
  let api: DescribedInterface;
  beforeAll(async () => {
    const document = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    api = new DescribedInterface(JSON.parse(document) as ConstructorParameters<typeof DescribedInterface>[0]);
  });

  const fits = (schema: string, body: object): boolean =>
    api.fits({ $ref: `#/components/schemas/${schema}` })(body);

  it.each([[['gold']], [['gold', 'rose gold']], [['a\nb', 'Gold', 'gold']]])(
    'options may be %j',
    (options) => {
      expect(fits('AddContactColumnRequest', { name: 'Level', type: 'SELECT', options })).toBe(true);
      expect(fits('ChangeContactColumnFields', { options })).toBe(true);
    },
  );

  it.each([[[]], [['']], [[' ']], [['a,b']], [['gold', 'gold']], [['gold', 'gold ']]])(
    'options are not %j',
    (options) => {
      expect(fits('AddContactColumnRequest', { name: 'Level', type: 'SELECT', options })).toBe(false);
      expect(fits('ChangeContactColumnFields', { options })).toBe(false);
    },
  );

  it('no carrier calls a template by a blank', () => {
    const template = { name: 'Dear', channel: 'whatsapp', body: 'Dear', language: 'en' };
    expect(fits('CreateTemplateRequest', { ...template, provider_name: 'dear' })).toBe(true);
    expect(fits('CreateTemplateRequest', { ...template, provider_name: ' ' })).toBe(false);
    expect(fits('ChangeTemplateFields', { provider_name: 'dear' })).toBe(true);
    expect(fits('ChangeTemplateFields', { provider_name: ' ' })).toBe(false);
  });
});
