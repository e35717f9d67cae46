import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { engineAdapter } from './engine-adapter.js';
import { migrationNames, migrationsFolder } from './prisma-folder.js';

/** Nothing in the database belongs to anybody else. */
export const wholeSchema = { externalTables: [], externalEnums: [] };

export interface OpenEngine {
  readonly engine: SchemaEngine;
  /** The engine's only connection: what is locked here is locked for the engine. */
  readonly connection: pg.Pool;
}

/** Prisma's schema engine as WebAssembly, so that nothing has to be downloaded; loaded only by whoever migrates. */
export async function withSchemaEngine<T>(url: string, work: (open: OpenEngine) => Promise<T>): Promise<T> {
  const connection = new pg.Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'gangan migrations',
  });
  connection.on('error', () => undefined);
  try {
    await connection.query('SELECT 1');
    const Engine = await (loaded ??= loadEngine());
    const engine = await Engine.new({ datamodels: undefined }, () => undefined, engineAdapter(connection));
    try {
      return await work({ engine, connection });
    } finally {
      engine.free();
    }
  } finally {
    await connection.end();
  }
}

/** Node has it; its types do not. */
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

/** Once per process: the bindings know one instance only. */
let loaded: Promise<typeof SchemaEngine> | undefined;

async function loadEngine(): Promise<typeof SchemaEngine> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(script.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(code, {
    './schema_engine_bg.js': withIdleTimers(bindings),
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  // Where the engine writes its last words before it panics.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: () => undefined } });
  return bindings.SchemaEngine;
}

/** The engine never clears the timer of its lock: it must not keep a finished process alive for ten seconds. */
function withIdleTimers(bindings: object): object {
  const imports = Object.entries(bindings).map(([name, binding]: [string, unknown]) => {
    if (!name.startsWith('__wbg_setTimeout_')) return [name, binding] as const;
    const setTimer = binding as (...given: unknown[]) => NodeJS.Timeout;
    return [name, (...given: unknown[]) => setTimer(...given).unref()] as const;
  });
  return Object.fromEntries(imports);
}

export async function migrationList(): Promise<MigrationList> {
  const baseDir = migrationsFolder();
  const names = await migrationNames();
  return {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(baseDir, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(join(baseDir, name, 'migration.sql'), 'utf8'),
          },
        },
      })),
    ),
  };
}
