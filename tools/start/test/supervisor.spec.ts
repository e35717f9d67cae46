import { isAlive } from '@gangan/embedded-postgres';
import { until } from '@gangan/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Supervisor } from '../src/apps/supervisor.js';
import { tempFolder } from './temp-folder.js';

const script = fileURLToPath(new URL('./fake/app.mjs', import.meta.url));

describe('the supervisor', () => {
  const path = tempFolder();
  let said: string[] = [];
  let supervisor: Supervisor | undefined;
  const supervise = (...behaviours: string[]): Supervisor => {
    said = [];
    supervisor = new Supervisor(
      behaviours.map((behaviour, index) => ({
        name: `app${index}`,
        role: index === 0 ? 'gateway' : 'worker',
        script,
        env: { ...process.env, FAKE: behaviour, FAKE_MARK: path('mark'), FAKE_OWN: `OWN_${index}` },
        logFile: path(`app${index}.log`),
      })),
      path('running.json'),
      (line) => said.push(line),
      { intervalMs: 50, maxFailures: 3 },
    );
    return supervisor;
  };
  const pids = (): number[] =>
    Object.values(
      JSON.parse(readFileSync(path('running.json'), 'utf8')) as Record<string, { pid: number }>,
    ).map(({ pid }) => pid);

  afterEach(async () => {
    supervisor?.kill();
    await supervisor?.stop();
    rmSync(path('mark'), { force: true });
  });

  it('returns when all apps are ready, and stops them all', async () => {
    const started = supervise('well', 'well', 'well');
    await started.start();
    const running = pids();
    expect(running).toHaveLength(3);
    expect(running.every(isAlive)).toBe(true);
    await started.stop();
    expect(running.some(isAlive)).toBe(false);
    expect(pids()).toEqual([]);
    expect(readFileSync(path('app1.log'), 'utf8')).toContain('behaving as well');
  });

  it('reports an app that was killed and restarts it', async () => {
    await supervise('well', 'well').start();
    const [, victim] = pids();
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
    await until('the app is ready again', () => said.some((line) => line.includes('ready again')));
    expect(said).toEqual(['app1 ended (signal SIGKILL); starting it again in 0.25 s', 'app1 is ready again']);
    expect(pids()).not.toContain(victim);
    expect(pids().every(isAlive)).toBe(true);
  });

  it.each([
    ['unhealthy once', 'handlers: slow'],
    ['hung once', 'its health check gets no answer'],
  ])('restarts an app that is %s', async (behaviour, fault) => {
    // Alone: it could be restarted before another app is ready.
    await supervise(behaviour).start();
    const [victim = 0] = pids();
    await until('the app is ready again', () => said.some((line) => line.includes('ready again')));
    expect(said).toEqual([
      `app0 is unhealthy (${fault}); restarting it`,
      'app0 ended (code 0); starting it again in 0.25 s',
      'app0 is ready again',
    ]);
    expect(isAlive(victim)).toBe(false);
  });

  it('leaves a healthy app alone', async () => {
    writeFileSync(path('mark'), '');
    await supervise('unhealthy once').start();
    const running = pids();
    await pause(1_000);
    expect(said).toEqual([]);
    expect(pids()).toEqual(running);
  });

  it('restarts an app that ends during its start', async () => {
    await supervise('well', 'dies once').start();
    expect(said).toEqual(['app1 ended (code 4); starting it again in 0.25 s']);
  });

  it('shows the last output of an app that does not recover', async () => {
    await supervise('well', 'well until marked').start();
    const [, victim] = pids();
    writeFileSync(path('mark'), '');
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
    await until('two lines are printed', () => said.length === 2);
    expect(said[1]).toBe(
      'app1 ended (code 5); starting it again in 0.5 s. Last log lines:\n    behaving as well until marked',
    );
  });

  it('gives up on an app that cannot start, with its last output', async () => {
    await expect(supervise('well', 'dies').start()).rejects.toThrow(
      'app1 does not start (code 3). Last log lines:\n    behaving as dies\n    the sky is falling',
    );
  });

  it('schedules one restart when the process cannot be created', async () => {
    const { execPath } = process;
    process.execPath = path('no-such-program');
    try {
      await expect(supervise('well').start()).rejects.toThrow(/^app0 does not start \(spawn .* ENOENT\)/);
    } finally {
      process.execPath = execPath;
    }
    expect(said).toEqual([
      expect.stringMatching(/^app0 ended \(spawn .* ENOENT\); starting it again in 0\.25 s$/),
      expect.stringMatching(/^app0 ended \(spawn .* ENOENT\); starting it again in 0\.5 s$/),
    ]);
  });

  it('does not restart an app with invalid variables, and reports the faults of all apps once', async () => {
    await expect(supervise('misconfigured', 'well', 'misconfigured').start()).rejects.toThrow(
      /^3 environment variables need your attention:\n\n {2}LOG_LEVEL is odd\n\n {2}OWN_\d is odd\n\n {2}OWN_\d is odd$/,
    );
    expect(said).toEqual([]);
  });

  it('can be stopped while it starts', async () => {
    const starting = supervise('well', 'dies');
    const outcome = starting.start().catch((error: unknown) => String(error));
    await starting.stop();
    expect(await outcome).toContain('Stopped before it was ready');
    expect(pids()).toEqual([]);
  });

  it('kills all apps at once when it is asked twice to stop', async () => {
    const stubborn = supervise('well', 'stubborn');
    await stubborn.start();
    const running = pids();
    const stopped = stubborn.stop();
    stubborn.kill();
    await stopped;
    expect(running.some(isAlive)).toBe(false);
  });
});
