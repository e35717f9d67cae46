import { newId } from '@gangan/protocol';
import { repetitions, seededRandom } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { charge, checkLedger, type LedgerItem } from '../src/index.js';
import { onceUnlocked } from './support/once-unlocked.js';
import { Treasury } from './support/treasury.js';

const random = seededRandom('ledger crowd test');
const price = 400n;
const charges = repetitions(1_000, 10_000);
const batchSize = 50;

describe('thousands of concurrent charges against funds for half of them', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(16);
  });
  afterAll(() => treasury.close());

  it.each([1, 100])(
    'of %i organisations: exactly half of them succeed without a deadlock, and the ledger is clean',
    async (count) => {
      const each = charges / count;
      const organisations = await Promise.all(
        Array.from({ length: count }, () => treasury.organisation((price * BigInt(each)) / 2n)),
      );
      const items = shuffled(
        organisations.flatMap((organisationId) =>
          Array.from({ length: each }, () => ({ subjectId: newId(), organisationId, kobo: price })),
        ),
      );
      const results = await Promise.all(
        batchesOf(items).map((batch) => onceUnlocked(() => charge(treasury.database, 'message', batch))),
      );
      expect(results.flat().filter(({ ok }) => ok)).toHaveLength(charges / 2);
      for (const organisation of organisations) {
        expect(await treasury.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
      }
      expect(await checkLedger(treasury.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
    },
  );
});

const batchesOf = (items: readonly LedgerItem[]): LedgerItem[][] =>
  Array.from({ length: items.length / batchSize }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );

/** Sorting by a random key: the ids of accounts are made in the order of the organisations, so order would hide. */
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
