import { describe, expect, it } from '@jest/globals';
import { dataKeyNames, deriveDataKeys, neededDataKeys } from './data-keys.js';
import { DataSealer, masterSealer, type SealedPlace } from './data-sealer.js';
import { NamedKeys } from './named-keys.js';
import { newSealingKey } from './sealing-keys.js';

const row = { organisationId: 'o1', id: 'r1' };
const place: SealedPlace = { ...row, column: 'callback_secret.sealed_secret' };
const key = newSealingKey();

/** The sealer of an app, with its own keys only. */
function sealerOf(app: string): DataSealer {
  const keys = NamedKeys.parse(deriveDataKeys([key], app));
  if (!keys) throw new Error(`${app} has no keys`);
  return new DataSealer(keys);
}

describe('DataSealer', () => {
  it('opens a text only at the place that it was sealed for', () => {
    const sealer = masterSealer([key]);
    const sealed = sealer.seal('whsec_x', place);
    expect(sealer.open(sealed, place)).toBe('whsec_x');
    const others = [
      { column: 'callback_endpoint_secret.sealed_secret' },
      { column: 'delivery.sealed_body' },
      { organisationId: 'o2' },
      { id: 'r2' },
    ] as const;
    for (const other of others) expect(() => sealer.open(sealed, { ...place, ...other })).toThrow();
  });

  it('marks a text with the key that sealed it', () => {
    const next = newSealingKey();
    const [old, rotated] = [masterSealer([key]), masterSealer([next, key])];
    const begins = (sealed: Buffer): Buffer => sealed.subarray(0, 4);
    expect(old.sealingIds).toContainEqual(begins(old.seal('x', place)));
    expect(rotated.sealingIds).toContainEqual(begins(rotated.seal('x', place)));
    expect(old.sealingIds).toHaveLength(dataKeyNames.length);
    expect(rotated.openableIds).toEqual(expect.arrayContaining([...rotated.sealingIds, ...old.sealingIds]));
    expect(rotated.open(old.seal('x', place), place)).toBe('x');
    expect(() => masterSealer([next]).open(old.seal('x', place), place)).toThrow('DATA_KEYS');
  });

  const ofProvider = (domain: 'message' | 'airtime' | 'lookup') =>
    ({ ...row, column: 'provider.sealed_secrets', domain }) as const;

  it.each([
    ['messaging', ofProvider('message')],
    ['airtime', ofProvider('airtime')],
    ['lookup', ofProvider('lookup')],
    ['messaging', { ...row, column: 'message.sealed_text' }],
    ['messaging', { ...row, column: 'delivery.sealed_body' }],
    ['messaging', { ...row, column: 'inbound_request.sealed_content' }],
    ['otp', { ...row, column: 'otp.sealed_token' }],
    ['callback', place],
    ['callback', { ...row, column: 'callback_endpoint_secret.sealed_secret' }],
  ] as const)('what %s seals in %j is opened by no other app', (owner, where) => {
    const sealed = sealerOf(owner).seal('secret', where);
    expect(sealerOf(owner).open(sealed, where)).toBe('secret');
    expect(masterSealer([key]).open(sealed, where)).toBe('secret');
    const apps = ['messaging', 'otp', 'airtime', 'lookup', 'callback'].filter((app) => app !== owner);
    for (const app of apps) expect(() => sealerOf(app).open(sealed, where)).toThrow('DATA_KEYS');
  });

  it.each([
    ['otp', 'messaging', { ...row, column: 'delivery.sealed_body' }],
    ['messaging', 'callback', { ...row, column: 'callback.sealed_body' }],
  ] as const)('what %s seals for %s is opened by both and no other app', (writer, reader, where) => {
    const sealed = sealerOf(writer).seal('text', where);
    for (const app of [writer, reader]) expect(sealerOf(app).open(sealed, where)).toBe('text');
    for (const app of ['airtime', 'lookup']) expect(() => sealerOf(app).open(sealed, where)).toThrow();
  });

  it('names the key that an app lacks', () => {
    expect(() => sealerOf('otp').open(Buffer.alloc(40), place)).toThrow(
      'DATA_KEYS has no key for callback/secrets',
    );
  });

  it('does not say which domain a provider belongs to by itself', () => {
    const unknown = { ...row, column: 'provider.sealed_token' } as const;
    expect(() => masterSealer([key]).seal('x', unknown)).toThrow('needs a domain');
  });
});

describe('the data keys of an app', () => {
  it.each([
    ['messaging', ['messaging/providers', 'messaging/texts', 'messaging/callbacks', 'otp/deliveries']],
    ['otp', ['otp/deliveries', 'otp/tokens']],
    ['airtime', ['airtime/providers']],
    ['lookup', ['lookup/providers']],
    ['callback', ['messaging/callbacks', 'callback/secrets']],
    ['gateway', []],
    ['contacts', []],
  ])('of %s are %j', (app, names) => {
    expect(neededDataKeys(app)).toEqual(names);
    expect(NamedKeys.parse(deriveDataKeys([key], app))?.names ?? []).toEqual(names);
  });
});
