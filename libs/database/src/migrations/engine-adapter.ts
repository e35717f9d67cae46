import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

/** Prisma's own adapter, mended where the schema engine needs it: whole scripts, and one-byte catalogue columns. */
export function engineAdapter(pool: pg.Pool): ReturnType<typeof bindMigrationAwareSqlAdapterFactory> {
  const factory = new PrismaPg(pool);
  const mended: SqlMigrationAwareDriverAdapterFactory = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => withWholeScripts(withCharacters(await factory.connect(), pool), pool),
    connectToShadowDb: () => factory.connectToShadowDb(),
  };
  return bindMigrationAwareSqlAdapterFactory(mended);
}

/**
 * The adapter would cut a script at every semicolon, also inside a function's body. Sent whole it is also one
 * transaction: a migration that fails leaves nothing behind.
 */
function withWholeScripts(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  return Object.assign(adapter, {
    executeScript: async (script: string) => {
      await pool.query(script).catch((error: unknown) => {
        throw error instanceof pg.DatabaseError ? new DriverAdapterError(described(error)) : error;
      });
    },
  });
}

const described = (error: pg.DatabaseError): ConstructorParameters<typeof DriverAdapterError>[0] => ({
  kind: 'postgres',
  code: error.code ?? '',
  severity: error.severity ?? 'ERROR',
  message: error.message,
  detail: error.detail,
  column: error.column,
  hint: error.hint,
});

const characterType = 18;

/** The adapter refuses Postgres's one-byte "char", in which the catalogue keeps what a constraint or an index is. */
function withCharacters(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  const columnsOf = new WeakMap<object, number[]>();
  const disguise = ({ fields, rows }: pg.QueryArrayResult): void => {
    const found = fields.filter((field) => field.dataTypeID === characterType);
    for (const field of found) field.dataTypeID = pg.types.builtins.TEXT;
    columnsOf.set(
      rows,
      found.map((field) => fields.indexOf(field)),
    );
  };
  const query = pool.query.bind(pool) as (...asked: unknown[]) => Promise<pg.QueryArrayResult | unknown[]>;
  Object.assign(pool, {
    query: async (...asked: unknown[]) => {
      const result = await query(...asked);
      if (!Array.isArray(result)) disguise(result);
      return result;
    },
  });
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    queryRaw: async (asked: Parameters<typeof queryRaw>[0]) => {
      const result = await queryRaw(asked);
      for (const column of columnsOf.get(result.rows) ?? []) {
        result.columnTypes[column] = ColumnTypeEnum.Character;
      }
      return result;
    },
  });
}
