import { Pool } from 'undici';

/** Posts bodies to one host with undici and nothing else, so many at a time. */
const connections = 16;

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', ({ url, bodies }: { url: string; bodies: readonly string[] }) => {
  void post(url, bodies).then((milliseconds) => process.send?.({ milliseconds }));
});
process.send?.({ type: 'ready' });

async function post(url: string, bodies: readonly string[]): Promise<number> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections });
  const started = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      const headers = { 'content-type': 'application/json' };
      const response = await pool.request({ path, method: 'POST', body, headers });
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const milliseconds = performance.now() - started;
  await pool.close();
  return milliseconds;
}
