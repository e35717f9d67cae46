import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Bundler {
  readonly bundle: (entryPoints: Record<string, string>, shared: string) => Promise<unknown>;
}

const root = new URL('../../../../', import.meta.url);
const tests = fileURLToPath(new URL('..', import.meta.url));
const inRepository = (path: string): string => relative(fileURLToPath(root), path);

let built: Promise<string> | undefined;

/** Bundles the apps of these tests as a build bundles an app, once per process; gives the folder they are in. */
export const buildApps = (): Promise<string> => (built ??= build());

async function build(): Promise<string> {
  await mkdir(join(tests, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(tests, 'dist', 'apps-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const names = (await readdir(join(tests, 'apps'))).map((file) => file.replace(/\.ts$/, ''));
  const entryPoints = names.map((name) => [
    inRepository(join(folder, name)),
    inRepository(join(tests, 'apps', `${name}.ts`)),
  ]);
  const { bundle } = (await import(new URL('tools/bundle/bundle.mjs', root).href)) as Bundler;
  await bundle(Object.fromEntries(entryPoints) as Record<string, string>, inRepository(folder));
  return folder;
}
