import { sql, sqlState, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  charge,
  checkLedger,
  lockWallets,
  type LedgerItem,
  post,
  reserve,
  isolateLockedWallets,
  voidReservation,
} from '../src/index.js';
import { topUp } from './support/bookings.js';
import { Treasury } from './support/treasury.js';

describe('a locked wallet', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open();
  });
  afterAll(() => treasury.close());
  afterEach(async () => {
    expect(await checkLedger(treasury.database)).toMatchObject({ findings: [], warnings: [] });
  });

  const item = (organisationId: string, kobo: bigint): LedgerItem => ({
    subjectId: newId(),
    organisationId,
    kobo,
  });

  /** Keeps the transaction of `first` open until `other` waits for its lock; returns the result of `other`. */
  const whileLocked = async <T>(
    first: (transaction: Statements) => Promise<unknown>,
    other: () => Promise<T>,
  ): Promise<T> => {
    let waiting: Promise<T> | undefined;
    await treasury.database.transaction(async (transaction) => {
      await first(transaction);
      waiting = other();
      waiting.catch(() => undefined);
      await untilLockIsAwaited();
    });
    return waiting as Promise<T>;
  };

  const untilLockIsAwaited = (): Promise<unknown> =>
    until('a statement waits for a lock', async () => {
      const waiting = await treasury.database.query(sql`SELECT pid FROM pg_locks WHERE NOT granted`);
      return waiting.length > 0;
    });

  /** How long statements wait for a locked wallet. The usual time is too short for a test on a busy machine. */
  const setLockTimeout = async (time: string): Promise<void> => {
    const { database } = treasury;
    const functions = await database.query<{ text: string }>(
      sql`SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE proname IN ('move_money', 'lock_wallets')`,
    );
    const pattern = /(?<='lock_timeout', ')\w+/;
    expect(functions.filter(({ text }) => pattern.test(text))).toHaveLength(2);
    for (const { text } of functions) await database.$executeRawUnsafe(text.replace(pattern, time));
  };

  describe('that a statement waits for', () => {
    beforeAll(() => setLockTimeout('60s'));
    afterAll(() => setLockTimeout('200ms'));

    it('lets a charge see money that was spent while it waited for the lock', async () => {
      const organisation = await treasury.organisation(100n);
      const results = await whileLocked(
        (transaction) => charge(transaction, 'message', [item(organisation, 60n)]),
        () => charge(treasury.database, 'message', [item(organisation, 50n), item(organisation, 40n)]),
      );
      expect(results).toEqual([
        { ok: false, available: 40n },
        { ok: true, balanceBefore: 40n, balance: 0n, repeated: false },
      ]);
    });

    it('lets a charge see money that was received while it waited for the lock', async () => {
      const organisation = await treasury.organisation(10n);
      const results = await whileLocked(
        (transaction) => topUp(transaction, [item(organisation, 90n)]),
        () => charge(treasury.database, 'message', [item(organisation, 100n)]),
      );
      expect(results).toEqual([{ ok: true, balanceBefore: 100n, balance: 0n, repeated: false }]);
    });

    it('pays once for a duplicate that was committed meanwhile, and still pays for the next item', async () => {
      const organisation = await treasury.organisation(100n);
      const duplicate = item(organisation, 60n);
      const results = await whileLocked(
        (transaction) => charge(transaction, 'message', [duplicate]),
        () => charge(treasury.database, 'message', [duplicate, item(organisation, 40n)]),
      );
      expect(results).toEqual([
        { ok: true, balanceBefore: 100n, balance: 40n, repeated: true },
        { ok: true, balanceBefore: 40n, balance: 0n, repeated: false },
      ]);
    });

    it('lets a purchase be posted or voided, whichever comes first', async () => {
      const organisation = await treasury.organisation(100n);
      const purchase = item(organisation, 60n);
      await reserve(treasury.database, 'airtime', [purchase]);
      const late = await whileLocked(
        (transaction) => voidReservation(transaction, 'airtime', [purchase]),
        () => post(treasury.database, 'airtime', [purchase]),
      );
      expect(late).toEqual([{ moved: false, reason: 'voided' }]);
      expect(await treasury.balances(organisation)).toEqual({ available: 100n, reserved: 0n });
    });

    it('lets a waiting decision see what was committed meanwhile', async () => {
      const organisation = await treasury.organisation(100n);
      const purchase = item(organisation, 60n);
      const seen = await whileLocked(
        (transaction) => reserve(transaction, 'airtime', [purchase]),
        () =>
          treasury.database.transaction(async (transaction) => {
            await lockWallets(transaction, [organisation]);
            return transaction.query(
              sql`SELECT kind FROM ledger_movement WHERE subject_id = ${purchase.subjectId}`,
            );
          }),
      );
      expect(seen).toEqual([{ kind: 'reserve' }]);
    });
  });

  it('does not delay other organisations', async () => {
    const [locked, one, two] = [
      await treasury.organisation(100n),
      await treasury.organisation(100n),
      await treasury.organisation(100n),
    ];
    const shared = isolateLockedWallets((members: readonly LedgerItem[]) =>
      charge(treasury.database, 'message', members),
    );
    const members = [item(one, 1n), item(locked, 1n), item(two, 1n), item(locked, 2n), item(one, 2n)];
    const results = await treasury.database.transaction(async (transaction) => {
      await lockWallets(transaction, [locked]);
      return shared(members);
    });
    expect(results.map((result) => (result instanceof Error ? sqlState(result) : result.ok))).toEqual([
      true,
      '55P03',
      true,
      '55P03',
      true,
    ]);
    expect(await shared(members)).toMatchObject([
      { ok: true, repeated: true },
      { ok: true, repeated: false },
      { ok: true, repeated: true },
      { ok: true, repeated: false },
      { ok: true, repeated: true },
    ]);
  });
});
