import { describe, expect, it } from '@jest/globals';
import type { Variant } from '../ways/variants.js';
import type { Measurement } from './measurement.js';
import { report, shortfall } from './report.js';

const oneJob = { way: 'one-job', broker: 'redis' } as const;
const transport = { way: 'transport', broker: 'redis' } as const;

const measured = (variant: Variant, perSecond: number): Measurement => ({
  variant,
  connections: 64,
  round: 1,
  perSecond,
  succeeded: 10,
  others: {},
  unanswered: 0,
  p50: 1.26,
  p99: 12.3,
  gatewayCpu: 100,
  workerCpu: 50,
});

describe('report', () => {
  it('has a table per broker and the ratios of the transport', () => {
    const measurements = [measured(oneJob, 1_000), measured(transport, 4_500)];
    expect(report(measurements, [oneJob, transport], [64])).toEqual([
      '',
      'The queue on Redis',
      '                                              64 connections',
      '                          req/s  p50 ms  p99 ms       CPU µs',
      'one job per request       1,000     1.3      12       100+50',
      'this transport            4,500     1.3      12       100+50',
      'this transport ÷ one job per request: 4.50 × at 64',
    ]);
  });
});

describe('shortfall', () => {
  it('is absent if the transport is three times as fast', () => {
    expect(shortfall([measured(oneJob, 1_000), measured(transport, 3_000)])).toBeUndefined();
  });

  it('shows the ratio, or that it was not measured', () => {
    expect(shortfall([measured(oneJob, 1_000), measured(transport, 2_900)])).toContain('it is 2.90 ×');
    expect(shortfall([measured(transport, 2_900)])).toContain('not measured');
  });
});
