import { uniqueName, until } from '@gangan/testing';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Bundler {
  readonly bundle: (entryPoints: Record<string, string>, shared: string) => Promise<unknown>;
}

const root = new URL('../../../../', import.meta.url);
const tests = fileURLToPath(new URL('..', import.meta.url));
const inRepository = (path: string): string => relative(fileURLToPath(root), path);

let built: Promise<string> | undefined;

/** Bundles the apps of these tests as a build bundles an app, once per run of Jest; gives the folder they are in. */
export const buildApps = (): Promise<string> => (built ??= buildOnce());

/** The first process of the run bundles them, and removes them when it ends; the others wait for it. */
async function buildOnce(): Promise<string> {
  const folder = join(tests, 'dist', `apps-${process.env['GANGAN_TEST_RUN'] ?? uniqueName()}`);
  const complete = join(folder, 'complete');
  await mkdir(join(tests, 'dist'), { recursive: true });
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await until('another process has bundled the apps', () => existsSync(complete));
    return folder;
  }
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await bundleTo(folder);
  await writeFile(complete, '');
  return folder;
}

async function bundleTo(folder: string): Promise<void> {
  const names = (await readdir(join(tests, 'apps'))).map((file) => file.replace(/\.ts$/, ''));
  const entryPoints = names.map((name) => [
    inRepository(join(folder, name)),
    inRepository(join(tests, 'apps', `${name}.ts`)),
  ]);
  const { bundle } = (await import(new URL('tools/bundle/bundle.mjs', root).href)) as Bundler;
  await bundle(Object.fromEntries(entryPoints) as Record<string, string>, inRepository(folder));
}
