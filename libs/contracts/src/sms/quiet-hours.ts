/** Hours of the day in which some messages are not sent, in minutes of a time zone: `to` is the first after them. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
  readonly zone: string;
}

const minuteMs = 60_000;
const minutesPerDay = 1_440;
/** Quiet hours that leave no minute of the day never end. */
const maxQuietMs = 2 * minutesPerDay * minuteMs;
const notation = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d) (\S{1,64})$/;

/** Reads quiet hours such as `22:00-07:00 Africa/Lagos`. Undefined if they are not valid, or have no or every minute. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute, given = ''] = notation.exec(text) ?? [];
  const [from, to] = [minuteOf(fromHour, fromMinute), minuteOf(toHour, toMinute)];
  const zone = canonicalZone(given);
  return zone === undefined || from === to ? undefined : { from, to, zone };
}

export const formatQuietHours = ({ from, to, zone }: QuietHours): string =>
  `${formatMinute(from)}-${formatMinute(to)} ${zone}`;

/** The clock that quiet hours are compared with. Tests set it. */
export const systemClock = { now: (): Date => new Date() };

/**
 * The first time after `now` that is in none of the quiet hours; undefined if `now` is in none. If they have not ended
 * after two days, a later time at which one of them ends.
 */
export function quietUntil(all: readonly QuietHours[], now: Date): Date | undefined {
  let end: Date | undefined;
  for (let next = now; next.getTime() - now.getTime() < maxQuietMs;) {
    const later = all.map((hours) => endOf(hours, next)).find((found) => found !== undefined);
    if (!later) break;
    end = next = later;
  }
  return end;
}

/** Whether quiet hours leave no minute of the day, on any day of a year: the clocks of their zones may change. */
export const areEndless = (all: readonly QuietHours[], now = systemClock.now()): boolean =>
  Array.from({ length: 366 }, (_, day) => new Date(now.getTime() + day * minutesPerDay * minuteMs)).some(
    (time) => (quietUntil(all, time)?.getTime() ?? 0) - time.getTime() >= maxQuietMs,
  );

/**
 * The first time after `now` that is not in the quiet hours; undefined if `now` is not. A change of the clock may end them,
 * if it skips their end, or begin them again.
 */
function endOf({ from, to, zone }: QuietHours, now: Date): Date | undefined {
  const isQuiet = (minute: number): boolean =>
    modulo(minute - from, minutesPerDay) < modulo(to - from, minutesPerDay);
  const clock = wallClock(zone);
  const start = Math.floor(now.getTime() / minuteMs);
  let minute = start;
  for (let local = clock(minute); isQuiet(local); local = clock(minute)) {
    const end = minute + modulo(to - local, minutesPerDay);
    const offset = local - minute;
    minute = clock(end) - end === offset ? end : firstChange(clock, minute, end, offset);
  }
  return minute === start ? undefined : new Date(minute * minuteMs);
}

/** The minutes on the clocks of a time zone, counted as if they were in UTC, of a number of minutes since 1970. */
type WallClock = (minute: number) => number;

/** The first minute after `before`, at the latest `last`, at which the clocks have another offset. */
function firstChange(clock: WallClock, before: number, last: number, offset: number): number {
  let [low, high] = [before, last];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (clock(middle) - middle === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** A formatter takes long to make. There are some hundred zones. */
const clocks = new Map<string, WallClock>();

function wallClock(zone: string): WallClock {
  const known = clocks.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  });
  const clock: WallClock = (minute) => {
    const parts = format.formatToParts(minute * minuteMs);
    const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    return (
      Date.UTC(value('year'), value('month') - 1, value('day'), value('hour'), value('minute')) / minuteMs
    );
  };
  clocks.set(zone, clock);
  return clock;
}

function canonicalZone(given: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const minuteOf = (hour = '', minute = ''): number => Number(hour) * 60 + Number(minute);

const formatMinute = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
