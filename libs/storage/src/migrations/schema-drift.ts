import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { prismaFolder } from '@gangan/database';

/**
 * The SQL that turns the database at `url` into what the schema files describe; empty if they agree. What the schema
 * language cannot express (checks, partial indexes, triggers) is not compared. A development tool: it alone loads
 * Prisma's schema engine, as WebAssembly, so that nothing has to be downloaded.
 */
export async function schemaDrift(url: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: url, max: 1, application_name: 'gangan schema drift' });
  pool.on('error', () => undefined);
  try {
    const Engine = await (loaded ??= loadEngine());
    const engine = await Engine.new({ datamodels: undefined }, () => undefined, engineAdapter(pool));
    const files = await schemaFiles();
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: prismaFolder() },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    engine.free();
    return (stdout ?? '').replace('-- This is an empty migration.', '').trim();
  } finally {
    await pool.end();
  }
}

async function schemaFiles(): Promise<{ path: string; content: string }[]> {
  const folder = prismaFolder();
  const names = await readdir(join(folder, 'models'));
  const paths = [join(folder, 'schema.prisma'), ...names.sort().map((name) => join(folder, 'models', name))];
  return Promise.all(paths.map(async (path) => ({ path, content: await readFile(path, 'utf8') })));
}

/** Node has WebAssembly, but its types do not. */
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

/** The engine is loaded once per process, because its bindings support only one instance. */
let loaded: Promise<typeof SchemaEngine> | undefined;

async function loadEngine(): Promise<typeof SchemaEngine> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(script.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  // The engine writes its message there before it panics.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: () => undefined } });
  return bindings.SchemaEngine;
}

const characterType = 18;

/**
 * Prisma's adapter, extended for the schema engine: it rejects the one-byte type "char", in which the catalogue keeps
 * the type of a constraint or an index.
 */
function engineAdapter(pool: pg.Pool): ReturnType<typeof bindMigrationAwareSqlAdapterFactory> {
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
