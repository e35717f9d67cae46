import { describe, expect, it } from '@jest/globals';
import { ratioAt, type SmsMeasurement, smsReport, type SmsScenario, type SmsWay } from './sms-report.js';

const scenario: SmsScenario = { recipients: 1_000, organisations: 50 };
const measured = (way: SmsWay, round: number, perSecond: number): SmsMeasurement => ({
  way,
  round,
  perSecond,
  ...scenario,
  p50: 1.25,
  p99: 20,
});
const rounds = [
  measured('direct', 1, 10),
  measured('delivering', 1, 20),
  measured('direct', 2, 100),
  measured('delivering', 2, 120),
  measured('direct', 3, 20),
  measured('delivering', 3, 30),
];

describe('the report of messages', () => {
  it('compares within each round', () => {
    expect(ratioAt(rounds, scenario)).toBe(1.5);
  });

  it('shows medians of requests and recipients per second', () => {
    const [, direct, delivering, , ratio] = smsReport(rounds, [scenario]);
    expect(direct).toMatch(
      /^1,000 recipients a request, 50 organisations, direct SQL, no queue +20\.0 +20,000 +1\.3 +20\.0$/,
    );
    expect(delivering).toMatch(/delivers +30\.0 +30,000/);
    expect(ratio).toBe('1,000 recipients a request, 50 organisations: 1.50 ×');
  });
});
