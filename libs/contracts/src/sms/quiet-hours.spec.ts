import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nationalQuietHours } from './national-quiet-hours.js';
import { areEndless, formatQuietHours, parseQuietHours, type QuietHours, quietUntil } from './quiet-hours.js';

const hoursOf = (text: string): QuietHours => {
  const hours = parseQuietHours(text);
  if (!hours) throw new Error(text);
  return hours;
};
const until = (text: string, now: string): string | undefined =>
  quietUntil([hoursOf(text)], new Date(now))?.toISOString();

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

  it.each([
    ['between 20:00 and 08:00', '2026-11-17T22:00:00Z', '2026-11-18T07:00:00.000Z'],
    ['at 20:00', '2026-11-17T19:00:00Z', '2026-11-18T07:00:00.000Z'],
    ['a moment before 20:00', '2026-11-17T18:59:59.999Z', undefined],
    ['at 08:00', '2026-11-18T07:00:00Z', undefined],
  ])('are set by Nigeria for promotional SMS: %s', (_, now, end) => {
    const hours = nationalQuietHours('+2348031234567');
    expect(hours && quietUntil([hours], new Date(now))?.toISOString()).toBe(end);
    expect(nationalQuietHours('+23348031234567')).toBeUndefined();
  });

  it.each([
    ['adjoin', '08:00-09:30 Africa/Lagos', '2026-11-18T08:30:00.000Z'],
    ['begin before the others end', '00:00-12:00 UTC', '2026-11-18T12:00:00.000Z'],
    ['lie within the others', '23:00-05:00 Africa/Lagos', '2026-11-18T07:00:00.000Z'],
    ['begin after the others end', '08:01-12:00 Africa/Lagos', '2026-11-18T07:00:00.000Z'],
  ])('end together with others that %s', (_, own, end) => {
    const all = ['20:00-08:00 Africa/Lagos', own].map(hoursOf);
    const now = new Date('2026-11-17T23:30:00Z');
    for (const hours of [all, all.toReversed()]) expect(quietUntil(hours, now)?.toISOString()).toBe(end);
    expect(areEndless(all, now)).toBe(false);
  });

  it('are endless if together they leave no minute, on any day of the year', () => {
    const night = '20:00-08:00 Africa/Lagos';
    const endless = (...hours: string[]) => areEndless(hours.map(hoursOf), new Date('2026-01-15T00:00:00Z'));
    expect(endless(night, '08:00-20:00 Africa/Lagos')).toBe(true);
    expect(endless(night, '07:00-19:00 UTC')).toBe(true);
    // In summer they are 08:00-20:00 in Lagos.
    expect(endless(night, '09:00-21:00 Europe/Berlin')).toBe(true);
    expect(endless(night, '07:59-19:59 Africa/Lagos')).toBe(false);
    expect(endless(night)).toBe(false);
  });

  it('end where none of them holds, never before now and never later than necessary', () => {
    const zones = fc.constantFrom(
      'Africa/Lagos',
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
    );
    const minute = fc.integer({ min: 0, max: 1_439 });
    const hours = fc.record({ from: minute, to: minute, zone: zones }).filter(({ from, to }) => from !== to);
    const lagos = hoursOf('20:00-08:00 Africa/Lagos');
    const adjoining = minute.map((to) => ({
      from: lagos.to,
      to: to === lagos.to ? 0 : to,
      zone: lagos.zone,
    }));
    const range = { min: new Date('2026-01-01T00:00:00Z'), max: new Date('2028-01-01T00:00:00Z') };
    const time = fc.date({ ...range, noInvalidDate: true });
    fc.assert(
      fc.property(fc.oneof(hours, adjoining), time, (own, now) => {
        const all = [lagos, own];
        const end = quietUntil(all, now);
        const waitMs = (end?.getTime() ?? 0) - now.getTime();
        fc.pre(waitMs < 2 * 86_400_000);
        const isQuiet = (at: Date): boolean => all.some((each) => quietUntil([each], at) !== undefined);
        expect(isQuiet(now)).toBe(end !== undefined);
        if (!end) return;
        expect(waitMs).toBeGreaterThan(0);
        expect(isQuiet(end)).toBe(false);
        expect(isQuiet(new Date(end.getTime() - 1))).toBe(true);
        for (let at = now.getTime(); at < end.getTime(); at += waitMs / 10)
          expect(isQuiet(new Date(at))).toBe(true);
      }),
      { numRuns: 100 },
    );
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
        expect(quietUntil([hours], now)).toEqual(end === first ? undefined : new Date(end));
        expect(end - first).toBeLessThan(27 * 3_600_000);
      }),
      { numRuns: 200 },
    );
  });
});
