import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConsumersResult, ConsumersTask } from './consumers-task.js';

/** The HTTP servers of all hosts, in one process. It ends with the bench, which handles Ctrl-C. */
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (task: ConsumersTask) => {
  void perform(task).then((result) => process.send?.(result));
});

let milliseconds: number[] = [];

async function perform(task: ConsumersTask): Promise<ConsumersResult> {
  if (task.do === 'open') {
    const listener = task.kind === 'healthy' ? receive : hang;
    const address = task.kind === 'dead' ? '0.0.0.0' : '127.0.0.1';
    const urls = await Promise.all(Array.from({ length: task.count }, () => open(listener, address)));
    return { done: 'opened', urls };
  }
  const latencies = milliseconds;
  milliseconds = [];
  return { done: 'latencies', milliseconds: latencies };
}

async function open(listener: RequestListener, address: string): Promise<string> {
  const server = createServer(listener).listen(0, address);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const receive: RequestListener = (request, response) => {
  const arrived = Date.now();
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const { timestamp } = JSON.parse(body) as { timestamp: string };
    milliseconds.push(arrived - Date.parse(timestamp));
    response.end();
  });
};

const hang: RequestListener = (request) => {
  request.resume();
};
