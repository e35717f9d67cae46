const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The delay in milliseconds that the header `Retry-After` asks for; `undefined` if it is neither seconds nor an HTTP date. */
export function parseRetryAfter(header: string, now: Date): number | undefined {
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const at = httpDate.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
