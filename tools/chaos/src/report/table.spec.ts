import { describe, expect, it } from '@jest/globals';
import { emptyResult } from '../../test/support/empty-result.js';
import { resultLines } from './table.js';

describe('the printed result', () => {
  it('has the times of requests during outages', () => {
    const outages = [
      { beganMs: 0, endedMs: 1, waitsMs: [100, 9_000], failed: 1, servedAfterMs: 700 },
      { beganMs: 2, endedMs: 3, waitsMs: [300], failed: 0 },
    ];
    expect(resultLines({ ...emptyResult, outages })).toContain(
      '  While Postgres was down and until 5.0 s after its return (2 crashes), 3 requests took 0.3 s (median) to 9.0 s, ' +
        '1 of them more than 2.0 s; 1 failed. The first request succeeded 0.7 s after the return, at the latest.',
    );
  });

  it.each([
    [[700, undefined], ' The first request succeeded 0.7 s after the return, at the latest.'],
    [[700, Infinity], ' After a return no request succeeded.'],
    [[undefined], ''],
  ])('has the time until the first success after outages: %j', (times, sentence) => {
    const outages = times.map((servedAfterMs) => ({
      beganMs: 0,
      endedMs: 1,
      waitsMs: [],
      failed: 0,
      ...(servedAfterMs !== undefined && { servedAfterMs }),
    }));
    expect(resultLines({ ...emptyResult, outages }).join('\n')).toContain(
      `${times.length === 1 ? '1 crash' : '2 crashes'}), no request was made.${sentence}\n`,
    );
  });

  it('has the processes that hung and the callbacks that were resent, if there are any', () => {
    const lines = [
      '  1 process ended itself because of a hang',
      '  2 callbacks were resent on request: they had failed twice and were due in more than 15 s',
    ];
    expect(resultLines(emptyResult)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/hang|resent/)]),
    );
    expect(resultLines({ ...emptyResult, watchdogExits: 1, resentCallbacks: 2 })).toEqual(
      expect.arrayContaining(lines),
    );
  });

  it('names the kinds of faults that never had an effect', () => {
    const fault = (name: string, effect?: string) => ({
      fault: name,
      effect,
      target: '',
      beganMs: 0,
      endedMs: 1,
      began: new Date(0),
      ended: new Date(1),
    });
    const faults = [
      fault('cut-postgres'),
      fault('kill-process', 'killed'),
      fault('kill-process'),
      fault('cut-postgres'),
    ];
    const lines = resultLines({ ...emptyResult, faults });
    expect(lines).toContain('  without effect: 2 × cut-postgres, 1 × kill-process');
    expect(lines).toContain('  kinds that never had an effect: cut-postgres');
    expect(resultLines({ ...emptyResult, faults: faults.slice(1, 3) }).join('\n')).not.toContain(
      'never had an effect',
    );
  });
});
