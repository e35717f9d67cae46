import { sql, sqlState, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  charge,
  checkLedger,
  lockWallets,
  type LedgerItem,
  post,
  refund,
  reserve,
  isolateLockedWallets,
  voidReservation,
} from '../src/index.js';
import { Treasury } from './support/treasury.js';

describe('a wallet that somebody holds', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open();
  }, 60_000);
  afterAll(() => treasury.close());
  afterEach(async () => {
    expect(await checkLedger(treasury.database)).toMatchObject({ findings: [], warnings: [] });
  });

  const wish = (organisationId: string, kobo: bigint): LedgerItem => ({
    subjectId: newId(),
    organisationId,
    kobo,
  });

  /** Does something, and keeps its transaction open until somebody waits for it; then `other` gives its answer. */
  const whileHeld = async <T>(
    first: (transaction: Statements) => Promise<unknown>,
    other: () => Promise<T>,
  ): Promise<T> => {
    let waiting: Promise<T> | undefined;
    await treasury.database.transaction(async (transaction) => {
      await first(transaction);
      waiting = other();
      waiting.catch(() => undefined);
      await untilSomebodyWaits();
    });
    return waiting as Promise<T>;
  };

  const untilSomebodyWaits = async (): Promise<void> => {
    for (;;) {
      const waiting = await treasury.database.query(sql`SELECT pid FROM pg_locks WHERE NOT granted`);
      if (waiting.length > 0) return;
    }
  };

  it('is read again when it is free: what was spent meanwhile is gone', async () => {
    const organisation = await treasury.organisation(100n);
    const answers = await whileHeld(
      (transaction) => charge(transaction, [wish(organisation, 60n)]),
      () => charge(treasury.database, [wish(organisation, 50n), wish(organisation, 40n)]),
    );
    expect(answers).toEqual([
      { ok: false, available: 0n },
      { ok: true, balanceBefore: 40n, balance: 0n, repeated: false },
    ]);
  });

  it('is read again when it is free: what came in meanwhile can be spent', async () => {
    const organisation = await treasury.organisation(10n);
    const answers = await whileHeld(
      (transaction) => refund(transaction, [wish(organisation, 90n)]),
      () => charge(treasury.database, [wish(organisation, 100n)]),
    );
    expect(answers).toEqual([{ ok: true, balanceBefore: 100n, balance: 0n, repeated: false }]);
  });

  it('pays once for a twin that was committed meanwhile, and leaves its neighbour what it needs', async () => {
    const organisation = await treasury.organisation(100n);
    const twin = wish(organisation, 60n);
    const answers = await whileHeld(
      (transaction) => charge(transaction, [twin]),
      () => charge(treasury.database, [twin, wish(organisation, 40n)]),
    );
    expect(answers).toEqual([
      { ok: true, balanceBefore: 100n, balance: 40n, repeated: true },
      { ok: true, balanceBefore: 40n, balance: 0n, repeated: false },
    ]);
  });

  it('lets a purchase be posted or voided, whichever comes first', async () => {
    const organisation = await treasury.organisation(100n);
    const purchase = wish(organisation, 60n);
    await reserve(treasury.database, [purchase]);
    const late = await whileHeld(
      (transaction) => voidReservation(transaction, [purchase]),
      () => post(treasury.database, [purchase]),
    );
    expect(late).toEqual([{ moved: false, because: 'voided' }]);
    expect(await treasury.balances(organisation)).toEqual({ available: 100n, reserved: 0n });
  });

  it('lets a decision see what was decided while it waited', async () => {
    const organisation = await treasury.organisation(100n);
    const purchase = wish(organisation, 60n);
    const seen = await whileHeld(
      (transaction) => reserve(transaction, [purchase]),
      () =>
        treasury.database.transaction(async (transaction) => {
          await lockWallets(transaction, [organisation]);
          return transaction.query(
            sql`SELECT kind FROM ledger_transaction WHERE subject_id = ${purchase.subjectId}`,
          );
        }),
    );
    expect(seen).toEqual([{ kind: 'reserve' }]);
  });

  it('holds no strangers', async () => {
    const [held, one, two] = [
      await treasury.organisation(100n),
      await treasury.organisation(100n),
      await treasury.organisation(100n),
    ];
    const shared = isolateLockedWallets((members: readonly LedgerItem[]) =>
      charge(treasury.database, members),
    );
    const members = [wish(one, 1n), wish(held, 1n), wish(two, 1n), wish(held, 2n), wish(one, 2n)];
    const answers = await treasury.database.transaction(async (transaction) => {
      await lockWallets(transaction, [held]);
      return shared(members);
    });
    expect(answers.map((answer) => (answer instanceof Error ? sqlState(answer) : answer.ok))).toEqual([
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
