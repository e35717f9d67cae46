import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

const characterType = 18;

/**
 * Prisma's adapter, extended for the schema engine: it rejects the one-byte type "char", in which the catalogue keeps
 * the type of a constraint or an index.
 */
export function engineAdapter(pool: pg.Pool): ReturnType<typeof bindMigrationAwareSqlAdapterFactory> {
  const factory = new PrismaPg(pool);
  return bindMigrationAwareSqlAdapterFactory({
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => withCharacters(await factory.connect(), pool),
    connectToShadowDb: () => factory.connectToShadowDb(),
  });
}

function withCharacters(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  const characterColumns = new WeakMap<object, number[]>();
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryArrayResult | unknown[]>;
  Object.assign(pool, {
    query: async (...args: unknown[]) => {
      const result = await query(...args);
      if (Array.isArray(result)) return result;
      const found = result.fields.filter((field) => field.dataTypeID === characterType);
      for (const field of found) field.dataTypeID = pg.types.builtins.TEXT;
      characterColumns.set(
        result.rows,
        found.map((field) => result.fields.indexOf(field)),
      );
      return result;
    },
  });
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    queryRaw: async (...args: Parameters<typeof queryRaw>) => {
      const result = await queryRaw(...args);
      for (const column of characterColumns.get(result.rows) ?? []) {
        result.columnTypes[column] = ColumnTypeEnum.Character;
      }
      return result;
    },
  });
}
