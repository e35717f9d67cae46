import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, transformFile } from '@swc/core';

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const tests = fileOf('..');

/** Compiles the apps of these tests as a build compiles an app; gives the folder they are in. */
export async function buildApps(): Promise<string> {
  await mkdir(join(tests, 'dist'), { recursive: true });
  const built = await mkdtemp(join(tests, 'dist', 'apps-'));
  const { jsc, module } = JSON.parse(await readFile(fileOf('../../../../.swcrc'), 'utf8')) as Options;
  const apps = (await readdir(join(tests, 'apps'))).map((name) => join('apps', name));
  for (const file of [...apps, join('support', 'contracts.ts')]) {
    const { code } = await transformFile(join(tests, file), { jsc, module, swcrc: false } as Options);
    const target = join(built, file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
  return join(built, 'apps');
}
