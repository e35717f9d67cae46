import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatQuietHours, parseQuietHours, type QuietHours, quietUntil } from './quiet-hours.js';

const hoursOf = (text: string): QuietHours => {
  const hours = parseQuietHours(text);
  if (!hours) throw new Error(text);
  return hours;
};
const until = (text: string, now: string): string | undefined =>
  quietUntil(hoursOf(text), new Date(now))?.toISOString();

describe('quiet hours', () => {
  it.each([
    ['2026-11-17T20:59:59.999Z', undefined],
    ['2026-11-17T21:00:00.000Z', '2026-11-18T06:00:00.000Z'],
    ['2026-11-18T02:17:33.123Z', '2026-11-18T06:00:00.000Z'],
    ['2026-11-18T05:59:59.999Z', '2026-11-18T06:00:00.000Z'],
    ['2026-11-18T06:00:00.000Z', undefined],
  ])('from 22:00 to 07:00 in Lagos, at %s, end at %s', (now, end) => {
    expect(until('22:00-07:00 Africa/Lagos', now)).toBe(end);
  });

  it.each([
    // Clocks go from 02:00 to 03:00 at 01:00 UTC.
    [
      'the night of summer time is shorter',
      '22:00-07:00 Europe/Berlin',
      '2026-03-28T22:00:00Z',
      '2026-03-29T05:00:00.000Z',
    ],
    ['the end is skipped', '01:00-02:30 Europe/Berlin', '2026-03-29T00:10:00Z', '2026-03-29T01:00:00.000Z'],
    // Clocks go from 03:00 to 02:00 at 01:00 UTC.
    [
      'the night of winter time is longer',
      '22:00-07:00 Europe/Berlin',
      '2026-10-24T21:00:00Z',
      '2026-10-25T06:00:00.000Z',
    ],
    ['the end comes twice', '22:00-02:30 Europe/Berlin', '2026-10-24T23:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['they begin again', '22:00-02:30 Europe/Berlin', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00.000Z'],
    [
      'they end when they would begin again',
      '22:00-03:00 Europe/Berlin',
      '2026-10-25T00:30:00Z',
      '2026-10-25T02:00:00.000Z',
    ],
  ])('are correct if %s', (_, hours, now, end) => {
    expect(until(hours, now)).toBe(end);
  });

  it.each([
    ...[
      '',
      '22:00-07:00',
      '22:00-22:00 Africa/Lagos',
      '24:00-07:00 Africa/Lagos',
      '22:60-07:00 Africa/Lagos',
    ],
    ...['22-7 Africa/Lagos', '22:00-07:00 Africa/Atlantis', '22:00 - 07:00 Africa/Lagos'],
  ])('cannot be %j', (text) => {
    expect(parseQuietHours(text)).toBeUndefined();
  });

  it('end at the first minute after them in any time zone, even when its clocks change', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const minute = fc.integer({ min: 0, max: 1_439 });
    const time = fc.date({
      ...{
        min: new Date('2000-01-01T00:00:00Z'),
        max: new Date('2037-12-31T00:00:00Z'),
        noInvalidDate: true,
      },
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minute, minute, time, (given, from, to, now) => {
        fc.pre(from !== to);
        const hours = hoursOf(formatQuietHours({ from, to, zone: given }));
        expect(hours).toMatchObject({ from, to });
        const clock = new Intl.DateTimeFormat('en-GB', {
          ...{ timeZone: given, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
        });
        const isQuiet = (at: number): boolean => {
          const [hour = 0, past = 0] = clock.format(at).split(':').map(Number);
          const local = hour * 60 + past;
          return from < to ? local >= from && local < to : local >= from || local < to;
        };
        const first = Math.floor(now.getTime() / 60_000) * 60_000;
        let end = first;
        while (isQuiet(end)) end += 60_000;
        expect(quietUntil(hours, now)).toEqual(end === first ? undefined : new Date(end));
        expect(end - first).toBeLessThan(27 * 3_600_000);
      }),
      { numRuns: 200 },
    );
  });
});
