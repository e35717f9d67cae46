import { type Database, LedgerMovementKind, type RowOf, sql, statement, t } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import {
  type AccountSlice,
  accountsRule,
  balanceRule,
  chainRule,
  kindsOf,
  lastMovement,
  type LedgerRule,
  movementRules,
  newestBalance,
  reservedSumRule,
  rules,
  type StoredKind,
} from './ledger-rules.js';
import {
  accountScan,
  type MovementSlice,
  movementScan,
  type OrganisationSlice,
  organisationScan,
  type Scan,
  type Slice,
} from './ledger-slices.js';

export interface LedgerFinding {
  readonly rule: string;
  /** The id of the account, movement, subject or organisation; `message` says which. */
  readonly id: string;
  readonly organisationId: string;
  readonly message: string;
}

export interface LedgerReport {
  /** True if there are no findings; there may be warnings. */
  readonly clean: boolean;
  /** At most 100 for each rule: repair them, then check again. */
  readonly findings: readonly LedgerFinding[];
  /** Past faults that cannot be repaired any more. */
  readonly warnings: readonly LedgerFinding[];
  /** The totals of live organisations only, because the others have play money. */
  readonly totals: readonly LedgerTotal[];
}

/** How many movements of a kind there are, and how much they moved. */
export type LedgerTotal = RowOf<typeof readTotals>;

export interface CheckProgress {
  readonly rows: number;
  /** The number of rows by the statistics of the database; 0 if they are missing. */
  readonly estimatedRows: number;
}

export interface CheckOptions {
  /** The number of rows that one statement reads. */
  readonly sliceRows?: number;
  /** Called after every slice; no transaction is open then. */
  readonly onProgress?: (progress: CheckProgress) => void | Promise<void>;
}

/** The findings of one rule are limited, because a rule that is broken once is often broken everywhere. */
const maxPerRule = 100;

const readTotals = statement(
  {
    kind: t.enumOf<LedgerMovementKind>('ledger_movement_kind'),
    transactions: t.bigint,
    kobo: t.bigint,
  },
  (slice: MovementSlice) => sql`
    SELECT kind, count(*) AS transactions, sum(kobo)::bigint AS kobo
    FROM (${movementScan.rowsOf(slice)}) moved
    JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    GROUP BY kind ORDER BY kind`,
);

/** Finds the accounts whose balances are stored. */
const findStored = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    kind: t.enumOf<StoredKind>('ledger_account_kind'),
    /** True if the newest movement of the account states another balance. */
    isUnequal: t.bool,
  },
  (slice: Slice<typeof accountScan.start>) => sql`
    SELECT id, organisation_id AS "organisationId", kind, balance <> coalesce((${newestBalance}), 0) AS "isUnequal"
    FROM (${accountScan.rowsOf(slice)}) account WHERE balance IS NOT NULL ORDER BY id`,
);

type StoredAccount = RowOf<typeof findStored>;

/** Finds the organisations that have, or ever had, a reservation. */
const findReserving = statement(
  { id: t.uuid },
  (slice: OrganisationSlice) => sql`
    SELECT organisation.id FROM (${organisationScan.rowsOf(slice)}) organisation
    JOIN ledger_account account ON account.organisation_id = organisation.id AND account.kind = 'reserved'
    WHERE balance <> 0 OR EXISTS (
      SELECT FROM ledger_movement WHERE organisation_id = organisation.id AND kind = 'reserve')`,
);

const estimateRows = statement(
  { rows: t.float },
  (table: string) => sql`
    SELECT greatest(reltuples, 0)::float8 AS rows FROM pg_class WHERE oid = ${table}::text::regclass`,
);

/**
 * Checks every rule against the whole ledger, which may be in use, slice by slice: no statement reads more than
 * `sliceRows` rows, or those of one organisation, and no transaction spans two of them.
 */
export const checkLedger = (database: Database, options: CheckOptions = {}): Promise<LedgerReport> =>
  new LedgerCheck(database, options).run();

class LedgerCheck {
  private readonly found = new Map<string, LedgerFinding[]>();
  private readonly totals = new Map<LedgerMovementKind, LedgerTotal>();
  private rows = 0;
  private estimatedRows = 0;

  constructor(
    private readonly database: Database,
    private readonly options: CheckOptions,
  ) {}

  async run(): Promise<LedgerReport> {
    for (const { table } of [accountScan, movementScan, movementScan, organisationScan]) {
      const [estimate] = await this.database.run(estimateRows, table);
      this.estimatedRows += estimate?.rows ?? 0;
    }
    await this.scan(accountScan, async (slice) => {
      for (const account of await this.database.run(findStored, slice)) await this.checkBalance(account);
    });
    await this.scan(movementScan, async (slice) => {
      for (const rule of movementRules) await this.check(rule, slice);
      for (const total of await this.database.run(readTotals, slice)) this.add(total);
    });
    await this.scan(organisationScan, async (slice) => {
      await this.check(accountsRule, slice);
      for (const { id } of await this.database.run(findReserving, slice))
        await this.check(reservedSumRule, id);
    });
    return this.report();
  }

  /**
   * An account whose newest movement states its balance, and whose movements follow from one another, holds the sum of its
   * movements. Otherwise they are added up. The newest is read first: what is booked later only has to follow.
   */
  private async checkBalance({ id, organisationId, kind, isUnequal }: StoredAccount): Promise<void> {
    const { sliceRows: maxRows = 10_000 } = this.options;
    let isSuspect = isUnequal;
    const account = { organisationId, kind, kinds: kindsOf[kind], maxRows };
    let slice: AccountSlice = { ...account, after: accountScan.start.id, last: maxId, before: 0n };
    for (;;) {
      const [last] = await this.database.run(lastMovement, slice);
      if (!last) break;
      const broken = await this.check(chainRule, { ...slice, last: last.id });
      isSuspect ||= broken.length > 0;
      slice = { ...slice, after: last.id, before: last.balance ?? 0n };
      await this.advance(last.rows);
    }
    if (isSuspect) await this.check(balanceRule, id);
  }

  private async scan<K>(table: Scan<K>, check: (slice: Slice<K>) => Promise<void>): Promise<void> {
    const { sliceRows = 10_000 } = this.options;
    let after = table.start;
    for (;;) {
      const [next] = await this.database.run(table.nextSlice, after, sliceRows);
      if (!next) return;
      await check({ after, last: next.key });
      after = next.key;
      await this.advance(next.rows);
    }
  }

  private async advance(rows: number): Promise<void> {
    this.rows += rows;
    await this.options.onProgress?.({ rows: this.rows, estimatedRows: this.estimatedRows });
  }

  /** @returns the ids of what breaks the rule */
  private async check<Part>(rule: LedgerRule<Part>, part: Part): Promise<string[]> {
    const { name, broken, violations } = rule;
    const rows = await this.database.run(violations, part);
    const known = this.found.get(name) ?? [];
    const fresh = rows.map(({ id, organisationId, detail }) => ({
      rule: name,
      id,
      organisationId,
      message: `${id}: ${broken} (${detail})`,
    }));
    this.found.set(name, [...known, ...fresh].slice(0, maxPerRule));
    return rows.map(({ id }) => id);
  }

  private add({ kind, transactions, kobo }: LedgerTotal): void {
    const before = this.totals.get(kind) ?? { transactions: 0n, kobo: 0n };
    this.totals.set(kind, {
      kind,
      transactions: before.transactions + transactions,
      kobo: before.kobo + kobo,
    });
  }

  private report(): LedgerReport {
    const ofLevel = (level: LedgerRule<never>['level']): LedgerFinding[] =>
      rules.filter((rule) => rule.level === level).flatMap(({ name }) => this.found.get(name) ?? []);
    const findings = ofLevel('finding');
    return {
      clean: findings.length === 0,
      findings,
      warnings: ofLevel('warning'),
      totals: Object.values(LedgerMovementKind).flatMap((kind) => this.totals.get(kind) ?? []),
    };
  }
}
