import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { announceReady, answerQuestions, portOf } from '../processes/script.js';

/** `dead`: accepts connections on every address of this machine and never responds. */
export type ConsumerKind = 'healthy' | 'hanging' | 'dead';

export interface OpenConsumers {
  readonly kind: ConsumerKind;
  readonly count: number;
}

let milliseconds: number[] = [];

/**
 * The HTTP servers of all hosts, in one process. It opens some and returns their URLs, or returns the latencies since the
 * last call, from the event to the arrival at a healthy consumer.
 */
answerQuestions((question: OpenConsumers | 'latencies') => {
  if (question !== 'latencies')
    return Promise.all(Array.from({ length: question.count }, () => open(question.kind)));
  const latencies = milliseconds;
  milliseconds = [];
  return latencies;
});
announceReady();

async function open(kind: ConsumerKind): Promise<string> {
  const server = createServer(kind === 'healthy' ? receive : hang);
  server.listen(0, kind === 'dead' ? '0.0.0.0' : '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server)}/`;
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
