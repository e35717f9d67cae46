import { describe, expect, it } from '@jest/globals';
import { ratioAt, type SmsMeasurement, smsReport, type SmsWay } from './sms-report.js';

const measured = (way: SmsWay, round: number, perSecond: number): SmsMeasurement => ({
  way,
  round,
  perSecond,
  recipients: 1_000,
  p50: 1.25,
  p99: 20,
});
const rounds = [
  measured('direct', 1, 10),
  measured('accepting', 1, 20),
  measured('direct', 2, 100),
  measured('accepting', 2, 120),
  measured('direct', 3, 20),
  measured('accepting', 3, 30),
];

describe('the report of messages', () => {
  it('compares within each round', () => {
    expect(ratioAt(rounds, 1_000, 'accepting')).toBe(1.5);
  });

  it('shows medians of requests and recipients per second', () => {
    const [, direct, accepting, , ratio] = smsReport(rounds, [1_000]);
    expect(direct).toMatch(/^1,000 recipients a request, direct SQL, no queue +20\.0 +20,000 +1\.3 +20\.0$/);
    expect(accepting).toMatch(/paused +30\.0 +30,000/);
    expect(ratio).toBe('the system, delivery paused ÷ direct SQL, no queue: 1.50 × at 1,000');
  });
});
