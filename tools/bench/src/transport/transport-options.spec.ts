import { describe, expect, it } from '@jest/globals';
import { readOptions, UsageError } from '@gangan/testing';
import { transportOptions } from './transport-options.js';

describe('options', () => {
  it('have defaults', () => {
    expect(readOptions(transportOptions, [])).toEqual({
      seconds: 2,
      rounds: 3,
      connections: [1, 64, 256],
      only: ['fastify', 'direct', 'one-job', 'transport', 'in-process'],
      on: ['postgres', 'redis'],
      tuning: {},
      assert: false,
    });
  });

  it('select benches and set their size', () => {
    const args =
      '--seconds 0.5 --connections 8 --only transport,direct --on postgres --tuning inFlightJobs=2 --assert';
    expect(readOptions(transportOptions, args.split(' '))).toMatchObject({
      seconds: 0.5,
      connections: [8],
      only: ['direct', 'transport'],
      on: ['postgres'],
      tuning: { inFlightJobs: 2 },
      assert: true,
    });
  });

  it.each([
    '--seconds 0',
    '--seconds soon',
    '--seconds Infinity',
    '--connections 8,',
    '--connections 1.5',
    '--only carrier-pigeon',
    '--on kafka',
    '--tuning speed=11',
    '--tuning inFlightJobs',
    '--faster',
    'please',
  ])('refuse %s', (args) => {
    expect(() => readOptions(transportOptions, args.split(' '))).toThrow(UsageError);
  });
});
