const unixSeconds = /^\d{9,10}$/;
const unixMilliseconds = /^\d{12,13}$/;
const isoTime =
  /^(?<day>\d{4}-\d{2}-\d{2})[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?<offset>Z|[+-]\d{2}:?\d{2})?$/i;

/** Reads a time as providers write it; UTC without an offset. `undefined` if it is in another notation. */
export function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (unixSeconds.test(text)) return new Date(Number(text) * 1_000);
  if (unixMilliseconds.test(text)) return new Date(Number(text));
  const { day, time, offset = 'Z' } = isoTime.exec(text)?.groups ?? {};
  if (day === undefined || time === undefined) return undefined;
  const parsed = new Date(`${day}T${time}${offset.toUpperCase().replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(parsed.getTime()) ? undefined : parsed;
}
