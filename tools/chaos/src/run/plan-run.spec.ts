import { readOptions } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { chaosOptions } from '../options.js';
import { planRun } from './plan-run.js';

const plan = (...args: string[]) => planRun(1, 'postgres', readOptions(chaosOptions, args));

describe('the plan of a run', () => {
  it('accepts repeated requests while faults are injected', () => {
    expect(plan()).toMatchObject({ behindLoadBalancer: false, rampSeconds: 0, checks: [] });
  });

  it('leaves out faults that the queue cannot have', () => {
    expect(plan('--faults', 'flush-redis,kill-process').skipped).toEqual([
      { fault: 'flush-redis', reason: 'the queue runs on postgres' },
    ]);
  });

  it('requires that no request is repeated during restarts behind a load balancer', () => {
    const { behindLoadBalancer, checks, skipped } = plan('--plan', 'rolling-restart');
    expect(behindLoadBalancer).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(['first-attempt']);
    expect(skipped).toEqual([]);
  });
});
