import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deliveryReasons } from '@gangan/contracts';
import { messagePresets } from '@gangan/providers';
import { describe, expect, it } from '@jest/globals';

const source = fileURLToPath(new URL('../../../../libs/providers/src/', import.meta.url));

/** Customers never see them: they are another outcome, or our account is at fault. */
const internal = new Set(['provider_account', 'not_found']);

const unknownOf = (codes: Iterable<string>): string[] =>
  [...new Set(codes)].filter((code) => !internal.has(code) && !Object.hasOwn(deliveryReasons, code));

/** Every `reason` in the settings of a preset. */
const reasonsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'reason' && typeof inner === 'string' ? [inner] : reasonsIn(inner),
  );
};

describe('the reasons of providers', () => {
  it.each(Object.entries(messagePresets))('have a sentence in the preset %s', (_, { settings }) => {
    const codes = reasonsIn(settings);
    expect(codes).not.toEqual([]);
    expect(unknownOf(codes)).toEqual([]);
  });

  it('have a sentence if the code of HTTP or WhatsApp providers uses them', async () => {
    const files = (await readdir(source, { recursive: true })).filter(
      (file) => /^(http|whatsapp)\/.*(?<!\.spec)\.ts$/.test(file) && !file.includes('lookup'),
    );
    const texts = await Promise.all(files.map((file) => readFile(join(source, file), 'utf8')));
    const codes = texts.flatMap((text) => [
      ...[...text.matchAll(/\breason: '(\w+)'|\b(?:failed|refused)\('(\w+)'/g)].map(
        ([, one, other]) => one ?? other ?? '',
      ),
      ...[...text.matchAll(/const defaultReasons[^;]*;/g)].flatMap(([block]) =>
        [...block.matchAll(/\w: '(\w+)'/g)].map(([, code = '']) => code),
      ),
    ]);
    expect(codes).toEqual(expect.arrayContaining(['window_closed', 'not_submitted', 'validity_ended']));
    expect(unknownOf(codes)).toEqual([]);
  });
});
