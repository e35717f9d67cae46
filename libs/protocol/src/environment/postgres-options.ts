/** Session settings for a connection to Postgres. An `options` parameter of the URL is kept, before them. */
export function withPostgresOptions(url: string, settings: Readonly<Record<string, string>>) {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options');
  parsed.searchParams.delete('options');
  const added = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    connectionString: parsed.toString(),
    options: [...(given ? [given] : []), ...added].join(' '),
  };
}
