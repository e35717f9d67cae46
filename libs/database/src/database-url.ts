const schemes = ['postgresql:', 'postgres:'];

/** What is wrong with a `DATABASE_URL`, to be read after its name. */
export function databaseUrlFault(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && schemes.includes(parsed.protocol) && parsed.host !== '') return undefined;
  return `must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
}
