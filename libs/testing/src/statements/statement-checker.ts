import pg from 'pg';
import {
  findPartialIndexes,
  hasOpenRows,
  openRowReads,
  type PartialIndex,
  type PlanNode,
} from './open-rows.js';

interface Column {
  readonly postgres: readonly string[];
}

/** A statement or command as `@gangan/database` registers it. */
export interface DeclaredStatement {
  readonly shape?: Readonly<Record<string, Column>> | undefined;
  readonly build: (...args: never) => { readonly text: string };
  readonly samples?: readonly (readonly unknown[])[];
  readonly declared: Error;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

const scans = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan']);

/** These tables have few rows, however much is sent. */
const smallTables = new Set([
  'airtime_route',
  'audit_chain',
  'callback_endpoint_secret',
  'callback_host',
  'callback_secret',
  'lease_holder',
  'price',
  'provider',
  'provider_health',
  'provider_template',
  'route',
  'route_target',
  'sender_registration',
]);

/** Compares declared statements with what Postgres says about them, without executing them. */
export class StatementChecker {
  private constructor(
    private readonly client: pg.Client,
    private readonly typeNames: ReadonlyMap<number, string>,
    private readonly partialIndexes: ReadonlySet<string>,
    private readonly openRowsIndexes: readonly PartialIndex[],
  ) {}

  /** @param url of a migrated database */
  static async connect(url: string): Promise<StatementChecker> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ oid: number; name: string }>(
      'SELECT oid::int, typname::text AS name FROM pg_type',
    );
    const partial = await findPartialIndexes(client);
    return new StatementChecker(
      client,
      new Map(rows.map(({ oid, name }) => [oid, name])),
      new Set(partial.map(({ name }) => name)),
      partial.filter((index) => hasOpenRows(index) && !smallTables.has(index.table)),
    );
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** What is wrong with the statement, for each of its samples; empty if nothing is. */
  async faultsOf(statement: DeclaredStatement): Promise<string[]> {
    const faults: string[] = [];
    const { shape } = statement;
    for (const { text } of textsOf(statement)) {
      try {
        const columns = await this.describe(text);
        if (shape) faults.push(...this.compare(shape, columns));
      } catch (error) {
        faults.push(`${error instanceof Error ? error.message : String(error)}, in:${text}`);
      }
    }
    return [...new Set(faults)];
  }

  /**
   * The privileges that the role lacks for the statement; empty if it lacks none. Postgres plans it, which checks the
   * privileges, and executes nothing. It cannot plan ANALYZE, which is left out.
   */
  async denialsOf(statement: DeclaredStatement, role: string): Promise<string[]> {
    const denials: string[] = [];
    await this.client.query(`SET ROLE ${role}`);
    try {
      for (const { text } of textsOf(statement).filter(canBePlanned))
        await this.client.query(`EXPLAIN (GENERIC_PLAN) ${text}`).catch((error: unknown) => {
          denials.push(`${(error as Error).message}, in:${text}`);
        });
    } finally {
      await this.client.query('RESET ROLE');
    }
    return [...new Set(denials)];
  }

  /**
   * The tables that the statement may read as a whole, because no index condition bounds what it reads of them; small
   * tables are left out. Joins are planned without nested loops: a join that stays bounded then is bounded however large
   * the planner believes its tables to be.
   */
  async unboundedReadsOf(statement: DeclaredStatement): Promise<string[]> {
    const reads: string[] = [];
    await this.client.query('SET enable_seqscan = off; SET enable_nestloop = off');
    try {
      for (const { text } of textsOf(statement).filter(canBePlanned)) {
        const { rows } = await this.client.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
          `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
        );
        reads.push(...rows.flatMap((row) => this.unboundedReads(row['QUERY PLAN'][0].Plan)));
      }
    } finally {
      await this.client.query('RESET enable_seqscan; RESET enable_nestloop');
    }
    return [...new Set(reads)];
  }

  /** The indexes of open rows that the statement may read as a whole, whatever the statistics are; small tables are left out. */
  async openRowReadsOf(statement: DeclaredStatement): Promise<string[]> {
    const reads: string[] = [];
    for (const { text } of textsOf(statement).filter(canBePlanned))
      for (const index of this.openRowsIndexes) reads.push(...(await openRowReads(this.client, index, text)));
    return [...new Set(reads)];
  }

  private unboundedReads(node: PlanNode): string[] {
    const { 'Relation Name': table, 'Index Name': index, 'Index Cond': condition, Plans: below = [] } = node;
    const isBounded = condition !== undefined || (index !== undefined && this.partialIndexes.has(index));
    const own =
      table === undefined || isBounded || smallTables.has(table) || !scans.has(node['Node Type'])
        ? []
        : [table];
    return [...own, ...below.flatMap((child) => this.unboundedReads(child))];
  }

  private compare(shape: Readonly<Record<string, Column>>, columns: readonly Field[]): string[] {
    const returned = new Map(columns.map(({ name, dataTypeID }) => [name, dataTypeID]));
    const faults = columns.length > returned.size ? ['it returns two columns of the same name'] : [];
    for (const [name, { postgres }] of Object.entries(shape)) {
      const type = this.typeNames.get(returned.get(name) ?? 0);
      if (!returned.has(name)) faults.push(`it does not return the column ${name}`);
      else if (type === undefined || !postgres.includes(type))
        faults.push(`${name} is declared as ${postgres.join(' or ')}, and is ${type ?? 'unknown'}`);
    }
    const undeclared = [...returned.keys()].filter((name) => !(name in shape));
    return [...faults, ...undeclared.map((name) => `it returns ${name}, which its shape does not declare`)];
  }

  /** Parse and Describe of the wire protocol: the server plans no execution, and reports the columns. */
  private describe(text: string): Promise<readonly Field[]> {
    return new Promise((resolve, reject) => {
      let fields: readonly Field[] = [];
      let failure: Error | undefined;
      this.client.query({
        submit: (connection) => {
          connection.parse({ name: '', text, types: [] }, true);
          connection.describe({ type: 'S', name: '' }, true);
          connection.sync();
        },
        handleRowDescription: (message: { fields: readonly Field[] }) => ({ fields } = message),
        handleParseComplete: () => undefined,
        handleError: (error: Error) => {
          failure = error;
          reject(error);
        },
        handleReadyForQuery: () => {
          if (!failure) resolve(fields);
        },
      } as pg.Submittable);
    });
  }
}

const canBePlanned = ({ text }: { text: string }): boolean => !/^\s*(ANALYZE|SET)\b/.test(text);

/** The statement as built for each of its samples. */
const textsOf = ({ build, samples }: DeclaredStatement): { text: string }[] =>
  (samples ?? [Array.from({ length: 9 }, () => placeholder)]).map((args) => build(...(args as never)));

/**
 * Stands for any argument of a statement's builder, of which only the SQL text matters: every property and every call
 * gives it again, it iterates as one element, and becomes 1 or a text where those are needed.
 */
const placeholder: unknown = new Proxy(() => undefined, {
  get: (_, property) => special.get(property) ?? (absent.has(property) ? undefined : placeholder),
  apply: () => placeholder,
});

const one = (apply: (element: unknown, index: number) => unknown): unknown[] => [apply(placeholder, 0)];

const special = new Map<string | symbol, unknown>([
  ['length', 1],
  ['size', 1],
  ['map', one],
  ['flatMap', (apply: typeof one) => one(apply as never).flat()],
  ['entries', () => [[0, placeholder]]],
  ['toString', () => 'placeholder'],
  ['toJSON', () => 'placeholder'],
  [Symbol.iterator, () => [placeholder].values()],
  [Symbol.toPrimitive, (hint: string) => (hint === 'string' ? 'placeholder' : 1)],
]);

/** A placeholder with a `then` would be awaited for ever. */
const absent = new Set<string | symbol>(['then', Symbol.toStringTag, Symbol.isConcatSpreadable]);
