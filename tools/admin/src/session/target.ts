/** Which system a command acts on, without passwords. */
export function describeTarget(databaseUrl: string, redisUrl?: string): string {
  const database = `Database: ${placeOf(databaseUrl, '5432')}`;
  return redisUrl === undefined ? database : `${database}; queues: Redis ${placeOf(redisUrl, '6379')}`;
}

/** `gangan at db.internal:5432 as ada` */
function placeOf(given: string, defaultPort: string): string {
  const url = URL.parse(given);
  if (!url) return 'at an address that cannot be read';
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = (url.searchParams.get('port') ?? url.port) || defaultPort;
  const user = decodeURIComponent(url.username) || url.searchParams.get('user');
  const name = decodeURIComponent(url.pathname.slice(1));
  return `${name && `${name} `}at ${host}:${port}${user ? ` as ${user}` : ''}`;
}
