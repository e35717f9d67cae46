import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpCommand } from '../src/clean-up.js';
import { until } from '../src/until.js';

const testProcess = `require('node:child_process').spawn(
  ...JSON.parse(process.argv[1]), { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
console.log('ready');
setInterval(() => {}, 1000);`;

describe('cleaning up', () => {
  it('happens even when the process that started a server is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-clean-up-'));
    const pidFile = join(folder, 'server.pid');
    const server = spawn('sleep', ['600'], { stdio: 'ignore' });
    await writeFile(pidFile, `${server.pid ?? ''}\n`);
    const serverEnded = once(server, 'exit');

    const will = JSON.stringify(cleanUpCommand(folder, [pidFile]));
    const test = spawn(process.execPath, ['-e', testProcess, will], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(test.stdout, 'data');
    expect(server.exitCode).toBeNull();
    test.kill('SIGKILL');

    await serverEnded;
    await until('the folder is removed', () => !existsSync(folder));
    expect(existsSync(folder)).toBe(false);
  });
});
