import { AppError, LogInterval, noLiveProvider, unavailable } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { noObserver } from '../observer.js';
import { MemberRunner } from './member-runner.js';

describe('MemberRunner', () => {
  it('logs errors that only an operator can remove once a minute, and other errors from 500 on each time', () => {
    const lines: object[] = [];
    const error = (details: object): void => void lines.push(details);
    const logger = { info: error, warn: error, error };
    const runner = new MemberRunner(() => null, logger, noObserver, new LogInterval());
    const failed = unavailable();
    for (const each of [noLiveProvider('airtime'), noLiveProvider('airtime'), failed, failed])
      runner.report('airtime.buy', each);
    runner.report('airtime.buy', new AppError('duplicate', 409, 'It exists'));
    const reason = expect.stringContaining('No airtime provider is configured');
    expect(lines).toEqual([
      { contract: 'airtime.buy', requests: 1, reason },
      { contract: 'airtime.buy', err: failed },
      { contract: 'airtime.buy', err: failed },
    ]);
  });
});
