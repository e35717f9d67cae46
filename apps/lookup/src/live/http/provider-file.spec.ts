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

  it('is taken when it can be used', async () => {
    expect(await read(usable, 'x')).toEqual(usable);
    await read({ ...usable, method: 'POST', body: { number: ['{e164}'] }, nothingKnown: [404] }, 'x');
  });

  it.each([
    ['no JSON', '{', /it is no JSON/],
    ['no object', [], /must be object/],
    ['nothing to understand', { ...usable, answer: {} }, /\/answer must NOT have fewer/],
    ['an unknown field', { ...usable, timeout: 5 }, /must NOT have additional properties/],
    ['no URL', { ...usable, url: 'https://' }, /\/url is no URL/],
    ['another scheme', { ...usable, url: 'ftp://x' }, /\/url must match/],
    ['an unknown placeholder', { ...usable, url: 'https://x/{phone}' }, /\{phone\} stands for nothing/],
    ['a body on GET', { ...usable, body: {} }, /\/body needs \/method POST/],
    ['a pointer that is none', { ...usable, answer: { dnd: { pointer: 'dnd' } } }, /\/answer\/dnd\/pointer/],
    [
      'a word for a truth',
      { ...usable, answer: { dnd: { pointer: '/x', values: { Y: 'yes' } } } },
      /\/answer\/dnd\/values\/Y must be boolean,null/,
    ],
  ])('is refused for %s', async (_, content, reason) => {
    await expect(read(content, 'hunter2')).rejects.toThrow(reason);
    await expect(read(content, 'hunter2')).rejects.not.toThrow(/hunter2/);
  });

  it('is refused when it needs a secret that is not there, or is not there itself', async () => {
    await expect(read(usable)).rejects.toThrow(/LOOKUP_PROVIDER_SECRET/);
    await expect(readProviderFile(join(folder, 'missing.json'), '')).rejects.toThrow(/ENOENT/);
  });

  it('has all its faults named together', async () => {
    await expect(read({ name: 'X', url: 'x', answer: { dnd: {} } })).rejects.toThrow(
      /\/name.*\/url.*\/answer/,
    );
  });
});
