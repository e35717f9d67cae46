import { describe, expect, it } from '@jest/globals';
import { redisAvailable } from '@gangan/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly printed: string;
  /** The files left in its temporary folder. */
  readonly left: readonly string[];
}

/** Runs the built bench as a user does. */
async function bench(
  args: string,
  watch: (printed: string, bench: ChildProcess) => void = () => undefined,
): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'gangan-bench-'));
  // Under root, Postgres runs as another user, who needs access.
  await chmod(folder, 0o755);
  try {
    const child = spawn(process.execPath, [script, ...args.split(' ')], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    const keep = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      watch(printed, child);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, printed, left: await leftIn(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A server that was interrupted is removed by its guard process, some time later. */
async function leftIn(folder: string): Promise<string[]> {
  for (let looks = 0; looks < 600; looks += 1) {
    if ((await readdir(folder)).length === 0) return [];
    await pause(100);
  }
  return readdir(folder);
}

describe('pnpm bench', () => {
  it('measures every way, checks the results, and leaves nothing', async () => {
    // The next test measures on Postgres.
    const on = redisAvailable ? 'redis' : 'redis,postgres';
    const { code, printed, left } = await bench(
      `transport --on ${on} --seconds 0.2 --rounds 1 --connections 8`,
    );
    if (redisAvailable) expect(printed).toContain('The queue on Redis');
    else expect(printed).toContain('REDIS HALF OF THIS BENCH IS SKIPPED');
    expect(printed).toMatch(/this transport ÷ one job per request: \S+ × at 8/);
    expect({ code, left }).toEqual({ code: 0, left: [] });
  });

  it('stops on Ctrl-C and leaves nothing', async () => {
    let asked = false;
    const { code, left } =
      await bench('transport --on postgres --only transport --seconds 0.2', (printed, child) => {
        if (asked || !printed.includes('round 1/3')) return;
        asked = true;
        child.kill('SIGINT');
      });
    expect({ code, left }).toEqual({ code: 130, left: [] });
  });

  it('prints the help for an unknown bench', async () => {
    const { code, printed } = await bench('trnsport');
    expect(code).toBe(2);
    expect(printed).toContain('Unknown bench "trnsport"');
    expect(printed).toContain('--connections');
  });
});
