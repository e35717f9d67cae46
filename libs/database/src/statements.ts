import pg from 'pg';
import { Prisma } from './generated/client.js';

export type Sql = Prisma.Sql;

/** Writes a statement: sql`… ${value} …`. A value is always a parameter; a statement inside another is spliced in. */
export const sql = Prisma.sql;

/** Statements written by hand. Each is prepared once per connection, so name the columns: no `SELECT *`. */
export class Statements {
  constructor(private readonly runner: Pick<pg.ClientBase, 'query'>) {}

  /** `bigint` columns are BigInt, times are Date, `numeric` and `date` are text. */
  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await this.run<Row>(statement)).rows;
  }

  /** How many rows were changed. */
  async execute(statement: Sql): Promise<number> {
    return (await this.run(statement)).rowCount ?? 0;
  }

  private run<Row extends object>({ text, values }: Sql): Promise<pg.QueryResult<Row>> {
    return this.runner.query<Row>({ name: nameOf(text), text, values, types });
  }
}

/** Begins, works, commits; or undoes everything when `work` throws. What it opens with costs no further round trip. */
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
    // After a failed statement Postgres answers COMMIT with ROLLBACK, which is no error to the driver.
    if (command !== 'COMMIT') {
      throw new Error(
        'The transaction was undone: a statement in it failed, and its error was not passed on.',
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

const mostPrepared = 500;
const names = new Map<string, string>();

/** Bounded: a statement whose text never repeats must not pile up in every connection. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostPrepared) return known;
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
