import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../logging/logger.js';
import { Shutdown } from './shutdown.js';

describe('Shutdown', () => {
  const logger = createLogger({ app: 'test', level: 'silent' }, { write: () => undefined });
  let events: string[];
  let ended: Promise<void>;
  let shutdown: Shutdown;

  beforeEach(() => {
    events = [];
    ended = new Promise((resolve) => {
      const requested = () => events.push('requested');
      const exit = (code: number) => {
        events.push(`exit ${code}`);
        resolve();
      };
      shutdown = new Shutdown(logger, requested, exit);
    });
  });

  const closing = (what: string) => () => {
    events.push(what);
    return Promise.resolve();
  };

  it('reports the request, closes in reverse order, then exits with 0', async () => {
    shutdown.closes('queues', closing('queues'));
    shutdown.closes('app', closing('app'));
    expect(shutdown.isRequested).toBe(false);
    shutdown.request('SIGTERM');
    expect(shutdown.isRequested).toBe(true);
    await ended;
    expect(events).toEqual(['requested', 'app', 'queues', 'exit 0']);
  });

  it('closes the others if one cannot be closed', async () => {
    shutdown.closes('queues', closing('queues'));
    shutdown.closes('app', () => Promise.reject(new Error('stuck')));
    shutdown.request('SIGTERM');
    await ended;
    expect(events).toEqual(['requested', 'queues', 'exit 0']);
  });

  it('closes all apps at the same time, each in reverse order, and then what the process has opened', async () => {
    const [otp, lookup] = [shutdown.ofApp('otp', logger), shutdown.ofApp('lookup', logger)];
    let closeOtp: () => void = () => undefined;
    const lookupCloses = new Promise<void>((resolve) => {
      closeOtp = resolve;
    });
    shutdown.closes('port', closing('port'));
    otp.closes('queues', closing('otp queues'));
    otp.closes('app', () => lookupCloses.then(closing('otp app')));
    lookup.closes('app', () => {
      closeOtp();
      return closing('lookup app')();
    });
    expect(otp.isRequested).toBe(false);
    shutdown.request('SIGTERM');
    expect(otp.isRequested).toBe(true);
    await ended;
    expect(events).toEqual(['requested', 'lookup app', 'otp app', 'otp queues', 'port', 'exit 0']);
  });

  it('treats a signal and its echo from the supervisor as one request', async () => {
    shutdown.closes('app', closing('app'));
    shutdown.request('SIGINT');
    shutdown.request('SIGTERM');
    shutdown.request('the supervisor is gone');
    await ended;
    expect(events).toEqual(['requested', 'app', 'exit 0']);
  });

  it('exits at once when it is asked again', async () => {
    shutdown.closes('app', () => new Promise(() => undefined));
    shutdown.request('SIGINT');
    shutdown.request('SIGINT');
    await ended;
    expect(events).toEqual(['requested', 'exit 1']);
  });
});
