/** A moment as every answer spells it: `2026-11-15T09:30:00.123000+00:00`. */
export const formatTimestamp = (moment: Date): string => moment.toISOString().replace('Z', '000+00:00');

const spelling =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?<offset>Z|[+ -]\d{2}:\d{2})?)?$/;

/**
 * A moment as people write it: a day, or a day and a time; in UTC unless it says otherwise. A `+` that was not encoded
 * in a query arrives as a space. `undefined` when it is none.
 */
export function parseTimestamp(given: string): Date | undefined {
  const { day, time = '00:00', offset = 'Z' } = spelling.exec(given)?.groups ?? {};
  if (day === undefined || !isDay(day)) return undefined;
  const moment = new Date(`${day}T${time}${offset.replace(' ', '+')}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** `Date` takes 30 February for 2 March. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
};
