import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

interface Build {
  readonly isBuilt: (tool: string, root: string) => boolean;
  readonly recordBuild: (tool: string, startedAt: number, root: string) => void;
}
const url = new URL('../build.mjs', import.meta.url).href;
const { isBuilt, recordBuild } = (await import(url)) as Build;

describe('the check before a tool runs', () => {
  let root: string;
  const write = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'text');
  };
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'gangan-build-'));
    for (const path of ['package.json', 'libs/queue/src/index.ts', 'prisma/schema.prisma']) write(path);
    for (const path of ['tools/admin/dist/main.js', 'tools/bundle/dist/shared.js', 'apps/otp/dist/main.js'])
      write(path);
    // Longer than a tick of the clock of the file system.
    await pause(20);
    recordBuild('admin', Date.now(), root);
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('finds nothing to build while nothing changes but tests and what a build writes', () => {
    expect(isBuilt('admin', root)).toBe(true);
    for (const path of ['libs/queue/src/index.spec.ts', 'libs/queue/test/a.ts', 'libs/queue/dist/index.js'])
      write(path);
    write('libs/database/src/generated/client.ts');
    expect(isBuilt('admin', root)).toBe(true);
  });

  it.each<[string, () => void]>([
    ['another tool', () => undefined],
    [
      'a changed source',
      () => {
        write('libs/queue/src/index.ts');
      },
    ],
    [
      'a new source',
      () => {
        write('apps/otp/src/main.ts');
      },
    ],
    [
      'a changed migration',
      () => {
        write('prisma/migrations/1/migration.sql');
      },
    ],
    [
      'other dependencies',
      () => {
        write('pnpm-lock.yaml');
      },
    ],
    [
      'a deleted source',
      () => {
        rmSync(join(root, 'prisma/schema.prisma'));
      },
    ],
    [
      'a moved folder',
      () => {
        renameSync(join(root, 'libs/queue'), join(root, 'libs/line'));
      },
    ],
    [
      'a deleted build',
      () => {
        rmSync(join(root, 'tools/admin/dist/main.js'));
      },
    ],
    [
      'a deleted build of an app',
      () => {
        rmSync(join(root, 'apps/otp/dist'), { recursive: true });
      },
    ],
    [
      'deleted shared code',
      () => {
        rmSync(join(root, 'tools/bundle/dist'), { recursive: true });
      },
    ],
    [
      'a source that was copied with its old time',
      () => {
        write('libs/queue/src/index.ts');
        utimesSync(join(root, 'libs/queue/src/index.ts'), 1, 1);
      },
    ],
    [
      'a record of the future',
      () => {
        recordBuild('admin', Date.now() + 60_000, root);
      },
    ],
  ])('builds after %s', async (what, change) => {
    await pause(20);
    change();
    expect(isBuilt(what === 'another tool' ? 'chaos' : 'admin', root)).toBe(false);
  });
});
