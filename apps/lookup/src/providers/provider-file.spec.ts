import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readProviderFile } from './provider-file.js';

const usable = {
  name: 'hlr',
  url: 'https://hlr.example.com/{digits}',
  headers: { authorization: 'Bearer {secret}' },
  answer: { operator: { pointer: '/operator' } },
};

describe('the file of a provider', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-provider-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const read = async (content: unknown, secret?: string) => {
    const path = join(folder, 'provider.json');
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return readProviderFile(path, secret);
  };

  it('is read as the settings of a provider', async () => {
    expect(await read(usable, 'x')).toEqual({
      name: 'hlr',
      secrets: { secret: 'x' },
      settings: {
        request: {
          method: 'GET',
          url: 'https://hlr.example.com/{phone_digits}',
          headers: { authorization: 'Bearer {secret.secret}' },
        },
        outcomes: [],
        finding: usable.answer,
        allowPrivate: true,
      },
    });
    const posted = {
      ...usable,
      method: 'POST',
      body: { number: ['{e164}', '{national}', 1], country: '{country}' },
      nothingKnown: [404],
    };
    expect((await read(posted, 'x')).settings).toMatchObject({
      request: {
        method: 'POST',
        json: { number: ['{phone}', '{phone_national}', 1], country: '{country}' },
      },
      outcomes: [{ status: 404, outcome: 'not_found' }],
    });
  });

  it('needs no secret if it names none', async () => {
    const { secrets, settings } = await read({ ...usable, headers: {} });
    expect([secrets, settings.request.headers]).toEqual([{}, {}]);
  });

  it.each([
    ['no JSON', '{', /it is not JSON/],
    ['no object', [], /must be object/],
    ['no fields', { ...usable, answer: {} }, /\/answer must NOT have fewer/],
    ['an unknown field', { ...usable, timeout: 5 }, /must NOT have additional properties/],
    ['no URL', { ...usable, url: 'https://' }, /\/url is not a URL/],
    ['another scheme', { ...usable, url: 'ftp://x' }, /\/url must match/],
    ['an unknown placeholder', { ...usable, url: 'https://x/{phone}' }, /\{phone\} is not a placeholder/],
    ['a body on GET', { ...usable, body: {} }, /\/body needs \/method POST/],
    ['an invalid pointer', { ...usable, answer: { dnd: { pointer: 'dnd' } } }, /\/answer\/dnd\/pointer/],
    [
      'a string for a boolean',
      { ...usable, answer: { dnd: { pointer: '/x', values: { Y: 'yes' } } } },
      /\/answer\/dnd\/values\/Y must be boolean,null/,
    ],
  ])('is rejected for %s', async (_, content, reason) => {
    await expect(read(content, 'hunter2')).rejects.toThrow(reason);
    await expect(read(content, 'hunter2')).rejects.not.toThrow(/hunter2/);
  });

  it('is rejected if its secret or the file itself is missing', async () => {
    await expect(read(usable)).rejects.toThrow(/LOOKUP_PROVIDER_SECRET/);
    await expect(readProviderFile(join(folder, 'missing.json'), '')).rejects.toThrow(/ENOENT/);
  });

  it('is rejected with all its faults', async () => {
    await expect(read({ name: 'X', url: 'x', answer: { dnd: {} } })).rejects.toThrow(
      /\/name.*\/url.*\/answer/,
    );
  });
});
