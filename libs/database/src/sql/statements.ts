import pg from 'pg';
import type { Command, RowOf, Shape, Sql, Statement } from './statement.js';

/** Anything that runs declared statements: a `Database`, or a transaction. */
export type SqlRunner = Pick<Statements, 'run'>;

/** Runs statements on one connection or pool. Each text is prepared once per connection. */
export class Statements {
  constructor(private readonly connection: Pick<pg.ClientBase, 'query'>) {}

  /** The rows of a statement, or the number of rows that a command changed. */
  run<Args extends readonly unknown[], S extends Shape>(
    statement: Statement<Args, S>,
    ...args: Args
  ): Promise<RowOf<Statement<Args, S>>[]>;
  run<Args extends readonly unknown[]>(command: Command<Args>, ...args: Args): Promise<number>;
  async run<Args extends readonly unknown[]>(
    { shape, build }: Statement<Args, Shape> | Command<Args>,
    ...args: Args
  ): Promise<object[] | number> {
    const { rows, rowCount } = await this.send(build(...args));
    return shape ? rows : (rowCount ?? 0);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await this.send<Row>(statement)).rows;
  }

  async execute(statement: Sql): Promise<number> {
    return (await this.send(statement)).rowCount ?? 0;
  }

  private send<Row extends object>({ text, values }: Sql): Promise<pg.QueryResult<Row>> {
    return this.connection.query<Row>({ name: nameOf(text), text, values, types });
  }
}

/** Commits when `work` returns, rolls back when it throws. The opening statements are sent with BEGIN. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (transaction: Statements) => Promise<T>,
  opening: readonly string[] = [],
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const breaks = (error: Error): void => {
    broken = error;
  };
  client.on('error', breaks);
  try {
    await client.query(['BEGIN', ...opening].join('; '));
    const result = await work(new Statements(client));
    const { command } = await client.query('COMMIT');
    // After a failed statement Postgres answers COMMIT with ROLLBACK, which the driver does not report as an error.
    if (command !== 'COMMIT') {
      throw new Error(
        'The transaction was rolled back: a statement in it failed, and its error was not passed on.',
      );
    }
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(breaks);
    throw error;
  } finally {
    client.removeListener('error', breaks);
    client.release(broken);
  }
}

const maxPrepared = 500;
const names = new Map<string, string>();

/** The number of names is bounded, so that texts that never repeat do not accumulate in every connection. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxPrepared) return known;
  const name = `statement_${names.size}`;
  names.set(text, name);
  return name;
}

type Parser = (value: string) => unknown;

const parsers = new Map<number, Parser>([
  [pg.types.builtins.INT8, BigInt],
  [pg.types.builtins.DATE, (value) => value],
]);

const builtIn = pg.types.getTypeParser as (oid: number, format?: string) => Parser;

const types = {
  getTypeParser: (oid: number, format?: string): Parser => parsers.get(oid) ?? builtIn(oid, format),
} as pg.CustomTypesConfig;
