/** What is served on these is reached as `localhost` from this machine. */
const here = ['127.0.0.1', '::1', '0.0.0.0', '::'];

/** Where a browser on this machine finds what listens on `host`. */
export function urlOf(host: string, port: number): string {
  if (here.includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
