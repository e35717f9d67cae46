import { Pool } from 'undici';
import { announceReady, answerQuestions } from '../processes/script.js';

export interface RawPosts {
  readonly url: string;
  readonly bodies: readonly string[];
}

/** So many at a time. */
const connections = 16;

/** Posts bodies to one host with undici and nothing else. Returns the milliseconds. */
answerQuestions(async ({ url, bodies }: RawPosts) => {
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
});
announceReady();
