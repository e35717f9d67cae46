import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes.js';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('a process', () => {
  it('is alive while it runs', () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(999_999_999)).toBe(false);
  });

  onLinux('is not alive once it has ended, even if its parent has not read its exit code', async () => {
    // The child outlives the shell: a shell would read its exit code.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const zombie = Number(line.toString('utf8'));
      expect(zombie).toBeGreaterThan(0);
      const deadline = Date.now() + 20_000;
      while (isAlive(zombie) && Date.now() < deadline) await sleep(10);
      expect(isAlive(zombie)).toBe(false);
      expect(() => process.kill(zombie, 0)).not.toThrow();
    } finally {
      parent.kill();
    }
  });
});
