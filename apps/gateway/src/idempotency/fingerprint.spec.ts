import { isDeepStrictEqual } from 'node:util';
import { newQueueKey } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Fingerprints } from './fingerprint.js';

const [older, newer] = [newQueueKey(), newQueueKey()];
const fingerprints = new Fingerprints([older]);
const one = (query: string, body: unknown) => fingerprints.of(query, body)[0]?.toString('hex');
const objects = fc.dictionary(fc.string(), fc.jsonValue());

/** The same fields, the last first, at every depth. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}

/** As it arrives: `-0` and the like do not survive JSON. */
const arrived = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a fingerprint', () => {
  it('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(objects, (body) => {
        expect(one('', reversed(body))).toBe(one('', body));
      }),
    );
  });

  it('differs when anything else does', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        expect(one('', first) === one('', second)).toBe(isDeepStrictEqual(arrived(first), arrived(second)));
      }),
    );
    expect(one('', { list: [1, 2] })).not.toBe(one('', { list: [2, 1] }));
    expect(one('', { a: 1 })).not.toBe(one('', { a: '1' }));
    expect(one('page=1', {})).not.toBe(one('page=2', {}));
  });

  it('is the same without a body and with an empty one', () => {
    expect(one('', undefined)).toBe(one('', {}));
  });

  it('depends on the key; during a rotation the first key writes and both are recognised', () => {
    const written = (...secrets: string[]) => new Fingerprints(secrets).of('', { a: 1 });
    expect(written(older)).not.toEqual(written(newer));
    expect(written(older, newer)).toEqual([...written(older), ...written(newer)]);
    expect(written(newer, older)[0]).toEqual(written(newer)[0]);
  });
});
