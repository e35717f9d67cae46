import { type Database, LedgerTransactionKind, type RowOf, sql, statement, t } from '@gangan/database';
import {
  accountsRule,
  balanceRule,
  chainRule,
  type LedgerRule,
  reservedSumRule,
  rules,
  transactionRules,
} from './ledger-rules.js';
import {
  type AccountSlice,
  accountScan,
  entryScan,
  type OrganisationSlice,
  organisationScan,
  type Scan,
  type Slice,
  type TransactionSlice,
  transactionScan,
} from './ledger-slices.js';

export interface LedgerFinding {
  readonly rule: string;
  /** The id of the account, transaction, subject or organisation; `message` says which. */
  readonly id: string;
  readonly organisationId: string;
  readonly message: string;
}

export interface LedgerReport {
  /** There are no findings; there may be warnings. */
  readonly clean: boolean;
  /** At most 100 for each rule: repair them, then check again. */
  readonly findings: readonly LedgerFinding[];
  /** Past faults that cannot be repaired any more. */
  readonly warnings: readonly LedgerFinding[];
  /** Only live organisations: the others have play money. */
  readonly totals: readonly LedgerTotal[];
}

/** How many transactions of a kind there are, and how much they moved. */
export type LedgerTotal = RowOf<typeof readTotals>;

export interface CheckProgress {
  readonly rows: number;
  /** As far as the statistics of the database tell; 0 if they are missing. */
  readonly estimatedRows: number;
}

export interface CheckOptions {
  /** Rows that one statement reads. */
  readonly sliceRows?: number;
  /** Called after every slice; no transaction is open then. */
  readonly onProgress?: (progress: CheckProgress) => void | Promise<void>;
}

/** A rule that is broken once is often broken everywhere. */
const maxPerRule = 100;

const readTotals = statement(
  {
    kind: t.enumOf<LedgerTransactionKind>('ledger_transaction_kind'),
    transactions: t.bigint,
    kobo: t.bigint,
  },
  (slice: TransactionSlice) => sql`
    SELECT kind, count(DISTINCT moved.id) AS transactions, sum(amount)::bigint AS kobo
    FROM (${transactionScan.rowsOf(slice)}) moved
    JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    JOIN ledger_entry ON transaction_id = moved.id AND amount > 0
    GROUP BY kind ORDER BY kind`,
);

/** Accounts whose newest entry states another balance. */
const findUnequal = statement(
  { id: t.uuid },
  (slice: AccountSlice) => sql`
    SELECT account.id FROM (${accountScan.rowsOf(slice)}) account
    WHERE balance <> coalesce((
      SELECT balance_after FROM ledger_entry WHERE account_id = account.id ORDER BY transaction_id DESC LIMIT 1), 0)`,
);

/** Stored accounts with an entry of one of these transactions. */
const findAccounts = statement(
  { id: t.uuid },
  (transactionIds: readonly string[]) => sql`
    SELECT DISTINCT account.id FROM ledger_entry JOIN ledger_account account ON account.id = account_id
    WHERE transaction_id = ANY (${transactionIds}::uuid[]) AND balance IS NOT NULL`,
);

/** Organisations that have reserved, or have ever done so. */
const findReserving = statement(
  { id: t.uuid },
  (slice: OrganisationSlice) => sql`
    SELECT organisation.id FROM (${organisationScan.rowsOf(slice)}) organisation
    JOIN ledger_account account ON account.organisation_id = organisation.id AND account.kind = 'reserved'
    WHERE balance <> 0 OR EXISTS (SELECT FROM ledger_entry WHERE account_id = account.id)`,
);

const estimateRows = statement(
  { rows: t.float },
  (tables: readonly string[]) => sql`
    SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows FROM pg_class
    WHERE oid = ANY (${tables}::text[]::regclass[])`,
);

/**
 * Checks every rule against the whole ledger, which may be in use, slice by slice: no statement reads more than
 * `sliceRows` rows, or those of one organisation, and no transaction spans two of them.
 */
export const checkLedger = (database: Database, options: CheckOptions = {}): Promise<LedgerReport> =>
  new LedgerCheck(database, options).run();

class LedgerCheck {
  private readonly found = new Map<string, LedgerFinding[]>();
  private readonly totals = new Map<LedgerTransactionKind, LedgerTotal>();
  /** Accounts whose entries have to be added up. */
  private readonly suspects = new Set<string>();
  private rows = 0;
  private estimatedRows = 0;

  constructor(
    private readonly database: Database,
    private readonly options: CheckOptions,
  ) {}

  async run(): Promise<LedgerReport> {
    const tables = [accountScan, entryScan, transactionScan, organisationScan].map(({ table }) => table);
    const [estimate] = await this.database.run(estimateRows, tables);
    this.estimatedRows = estimate?.rows ?? 0;
    await this.checkBalances();
    await this.scan(transactionScan, async (slice) => {
      for (const rule of transactionRules) await this.check(rule, slice);
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
   * An account whose newest entry states its balance, and whose entries follow from one another, holds the sum of its
   * entries. The others are added up. The accounts come first: what is booked later is checked with the entries only.
   */
  private async checkBalances(): Promise<void> {
    await this.scan(accountScan, async (slice) => {
      for (const { id } of await this.database.run(findUnequal, slice)) this.suspects.add(id);
    });
    await this.scan(entryScan, async (slice) => {
      const ids = await this.check(chainRule, slice);
      if (ids.length === 0) return;
      for (const { id } of await this.database.run(findAccounts, ids)) this.suspects.add(id);
    });
    for (const id of this.suspects) await this.check(balanceRule, id);
  }

  private async scan<K>(table: Scan<K>, check: (slice: Slice<K>) => Promise<void>): Promise<void> {
    const { sliceRows = 10_000, onProgress } = this.options;
    let after = table.start;
    for (;;) {
      const [next] = await this.database.run(table.nextSlice, after, sliceRows);
      if (!next) return;
      await check({ after, last: next.key });
      after = next.key;
      this.rows += next.rows;
      await onProgress?.({ rows: this.rows, estimatedRows: this.estimatedRows });
    }
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
      totals: Object.values(LedgerTransactionKind).flatMap((kind) => this.totals.get(kind) ?? []),
    };
  }
}
