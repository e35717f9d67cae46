// Builds the package: `index.js` for import, `index.cjs` for require, and declarations, which both share.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist/types', { recursive: true });
const options = {
  ...{ entryPoints: ['src/index.ts'], bundle: true, target: 'es2022' },
  // A module of Node in the source fails the build.
  platform: 'browser',
  // The two files are nearly equal. If both fit into the window of gzip, the package contains the code only once.
  minify: true,
};
await Promise.all([
  build({ ...options, format: 'esm', outfile: 'dist/index.js' }),
  build({ ...options, format: 'cjs', outfile: 'dist/index.cjs' }),
]);
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
process.exitCode = status ?? 1;

/** One file instead of 25: it exports what `index.ts` does, and all names of the source differ. */
const files = readdirSync('dist/separate', { recursive: true }).filter((name) => name.endsWith('.d.ts'));
const declarations = files
  .toSorted((one, other) => (one === 'index.d.ts') - (other === 'index.d.ts'))
  .map((name) => readFileSync(`dist/separate/${name}`, 'utf8'))
  .map((text) =>
    text.replaceAll(/^import .*?;\n/gms, '').replaceAll(/^export (?=declare|type [\w$]|interface)/gm, ''),
  )
  .join('')
  .replaceAll(/^(export (?:type )?\{.*?\}) from '.*?';/gms, '$1;')
  .replaceAll(/^ {4,}/gm, (spaces) => '\t'.repeat(spaces.length / 4));
rmSync('dist/separate', { recursive: true });
writeFileSync('dist/types/index.d.ts', declarations);
// Both kinds of modules can import declarations of CommonJS.
writeFileSync('dist/types/package.json', '{ "type": "commonjs" }\n');
for (const name of ['index.d.ts', 'index.d.cts'])
  writeFileSync(`dist/${name}`, "export * from './types/index.js';\n");
