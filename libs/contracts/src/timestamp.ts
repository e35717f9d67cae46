/** Formats a time as in every response: `2026-11-15T09:30:00.123000+00:00`. */
export const formatTimestamp = (time: Date): string => time.toISOString().replace('Z', '000+00:00');

const notation =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:T(?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?<offset>Z|[+ -]\d{2}:\d{2})?)?$/;

/** Reads a date or a time; UTC by default. A `+` that is not encoded in a query arrives as a space. */
export function parseTimestamp(given: string): Date | undefined {
  const { day, time = '00:00', offset = 'Z' } = notation.exec(given)?.groups ?? {};
  if (day === undefined || !isDay(day)) return undefined;
  const parsed = new Date(`${day}T${time}${offset.replace(' ', '+')}`);
  return Number.isNaN(parsed.getTime()) ? undefined : parsed;
}

/** `Date` reads 30 February as 2 March. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
};
