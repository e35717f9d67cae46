import { describe, expect, it } from '@jest/globals';
import { processesOf } from './processes.js';

const environmentOf = (app: string): NodeJS.ProcessEnv => ({
  PATH: '/bin',
  DATABASE_URL: `postgresql://${app}`,
});
const logOf = (name: string): string => `/logs/${name}.log`;

describe('the processes of the system', () => {
  it('are one per app', () => {
    const processes = processesOf(false, environmentOf, logOf, {});
    expect(processes.map(({ name }) => name)).toEqual([
      'gateway',
      'messaging',
      'otp',
      'airtime',
      'lookup',
      'contacts',
      'callback',
    ]);
    expect(processes[2]).toMatchObject({
      role: 'worker',
      script: expect.stringMatching(/apps\/otp\/dist\/main\.js$/),
      env: { PATH: '/bin', DATABASE_URL: 'postgresql://otp' },
      logFile: '/logs/otp.log',
    });
  });

  it('are two in compact mode, in which each worker keeps its variables', () => {
    const [gateway, workers, ...others] = processesOf(true, environmentOf, logOf, {});
    expect(others).toEqual([]);
    expect(gateway).toEqual(processesOf(false, environmentOf, logOf, {})[0]);
    expect(workers).toMatchObject({
      name: 'workers',
      role: 'worker',
      script: expect.stringMatching(/tools\/start\/dist\/workers\.js$/),
      env: {
        PATH: '/bin',
        OTP__DATABASE_URL: 'postgresql://otp',
        LOOKUP__DATABASE_URL: 'postgresql://lookup',
      },
      logFile: '/logs/workers.log',
    });
    expect(workers?.env).not.toHaveProperty('DATABASE_URL');
  });
});
