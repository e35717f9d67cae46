import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { isInstalled } from '@gangan/testing';
import { projectFile } from '../scripts.js';
import type { LoadResult, LoadTask } from './run-load.js';

const script = fileURLToPath(projectFile('tools/bench/src/load/wrk.lua'));
const timeout = '30s';

interface WrkSummary {
  readonly seconds: number;
  readonly requests: number;
  readonly refused: number;
  readonly broken: number;
  readonly p50: number;
}

export const wrkInstalled = isInstalled('wrk');

/** wrk knows only whole seconds. */
export const wrkCanRun = ({ seconds }: LoadTask): boolean => wrkInstalled && Number.isInteger(seconds);

/** One thread and no warm-up. `signal` ends it after an interrupt. */
export async function runWrk(task: LoadTask, signal: AbortSignal): Promise<LoadResult> {
  const { port, connections, seconds, requests } = task;
  const child = spawn(
    'wrk',
    [
      ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
      ...['--timeout', timeout, '--script', script, `http://127.0.0.1:${port}`],
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], signal },
  );
  child.stdin.end(requests.map((request) => `${Buffer.byteLength(request)}\n${request}`).join(''));
  const [said, printed] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
  const summary = /^\{.*\}$/m.exec(said)?.[0];
  if (summary === undefined) throw new Error(`wrk failed: ${said || printed}`);
  return toResult(JSON.parse(summary) as WrkSummary, connections);
}

function toResult(summary: WrkSummary, connections: number): LoadResult {
  const { seconds, requests, refused, broken, p50 } = summary;
  return {
    succeeded: requests - refused,
    // wrk does not tell the statuses from 400 apart.
    others: { ...(refused > 0 && { 400: refused }), ...(broken > 0 && { 0: broken }) },
    unanswered: connections,
    perSecond: (requests - refused) / seconds,
    p50,
  };
}
