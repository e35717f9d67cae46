import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { faketimeLibrary } from './availability.js';
import { clockEnvironment, clockOffsetOf, wrongClockEffect } from './clock.js';

/** How far the clock of a new process is off, as it reports it. */
async function offsetWith(env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  try {
    const [message] = (await once(child, 'message')) as [unknown];
    return clockOffsetOf(message);
  } finally {
    child.kill('SIGKILL');
  }
}

const withFaketime = faketimeLibrary() === undefined ? it.skip : it;

describe('a wrong clock', () => {
  withFaketime.each(['+10m', '-10m'] as const)('takes effect with the library: %s', async (clock) => {
    const offsetMs = await offsetWith(clockEnvironment(clock));
    expect(wrongClockEffect(clock, offsetMs)).toMatch(
      clock === '+10m' ? /^the clock was \d+ s fast$/ : /^the clock was \d+ s slow$/,
    );
  });

  it('has no effect if the library cannot be loaded', async () => {
    const env = { ...clockEnvironment('+10m'), LD_PRELOAD: '/does/not/exist.so' };
    expect(wrongClockEffect('+10m', await offsetWith(env))).toBeUndefined();
  });

  it.each<['+10m' | '-10m', number | undefined]>([
    ['+10m', undefined],
    ['+10m', -600_000],
    ['-10m', 600_000],
    ['-10m', 0],
  ])('of %s has no effect if the clock is %s ms off', (clock, offsetMs) => {
    expect(wrongClockEffect(clock, offsetMs)).toBeUndefined();
  });

  it('is reported by nothing but its message', () => {
    expect(clockOffsetOf({ type: 'ready' })).toBeUndefined();
    expect(clockOffsetOf(undefined)).toBeUndefined();
  });
});
