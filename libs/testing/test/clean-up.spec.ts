import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CleanUp, cleanUpCommand } from '../src/clean-up.js';
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

    const command = JSON.stringify(cleanUpCommand(folder, [pidFile]));
    const test = spawn(process.execPath, ['-e', testProcess, command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(test.stdout, 'data');
    expect(server.exitCode).toBeNull();
    test.kill('SIGKILL');

    await serverEnded;
    await until('the folder is removed', () => !existsSync(folder));
    expect(existsSync(folder)).toBe(false);
  });

  it('signals all servers before it waits for the first one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-clean-up-'));
    const ended: string[] = [];
    const servers = {
      slow: `trap '' INT; echo ready; while :; do sleep 0.1; done`,
      fast: 'echo ready; exec sleep 600',
    };
    const pidFiles = await Promise.all(
      Object.entries(servers).map(async ([name, script]) => {
        const server = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
        server.once('exit', () => ended.push(name));
        await once(server.stdout, 'data');
        await writeFile(join(folder, name), `${server.pid ?? ''}\n`);
        return join(folder, name);
      }),
    );
    await new CleanUp(folder, pidFiles).now();
    await until('both have ended', () => ended.length === 2);
    expect(ended).toEqual(['fast', 'slow']);
  });
});
