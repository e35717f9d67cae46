import { Agent, request as httpRequest } from 'node:http';
import { constants, setPriority } from 'node:os';
import { atRate } from '../load/at-rate.js';
import type { Answers, AttackerOrder, AttackOrder, RepeatOrder } from './attacker-order.js';
import { attackOf, type Flood } from './attacks.js';
import { HeldConnections } from './held-connections.js';
import type { HttpRequest } from './requests/http-request.js';

/** Not the address of the other organisation. */
const localAddress = '127.0.0.2';
/** Requests in flight of an attack: a client has only so many connections. */
const maxInFlight = 100;
/** When the cost of a request is measured, few are in flight: none waits until it is too late. */
const repeatedInFlight = 2;
/** Also if they take long: the cost of a few says little. */
const leastRepeated = 10;

// An attacker has machines of its own: its processor time must not be missing from the system.
setPriority(constants.priority.PRIORITY_LOW);

const newAgent = (): Agent => new Agent({ keepAlive: true, localAddress });
let agent = newAgent();
let held: HeldConnections | undefined;
let answers: Record<string, number> = {};
let round = 0;
/** Of all requests of the process. */
let sent = 0;

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (order: AttackerOrder) => {
  round += 1;
  const own = round;
  if (order.do === 'stop') {
    stop();
    return;
  }
  answers = {};
  if (order.do === 'attack') void attack(order, () => round !== own);
  else void repeat(order).then(respond);
});

const respond = (): void => {
  process.send?.(answers satisfies Answers);
};

const count = (answer: string, times = 1): void => {
  answers[answer] = (answers[answer] ?? 0) + times;
};

/** Ends what is in flight. */
function stop(): void {
  agent.destroy();
  agent = newAgent();
  const open = held?.close() ?? 0;
  if (open > 0) count('open', open);
  held = undefined;
  respond();
}

async function attack(order: AttackOrder, isOver: () => boolean): Promise<void> {
  const chosen = attackOf(order.attack);
  if (chosen.kind === 'flood') await flood(chosen, order, isOver);
  else if (chosen.kind === 'hold') {
    held = new HeldConnections(chosen, order, count);
    await held.keep(isOver);
  }
}

async function flood({ hostile }: Flood, order: AttackOrder, isOver: () => boolean): Promise<void> {
  let inFlight = 0;
  await atRate(order.amount, isOver, () => {
    if (inFlight >= maxInFlight) return;
    inFlight += 1;
    void exchange(order.port, hostile(order.access, (sent += 1))).then(() => {
      inFlight -= 1;
    });
  });
}

/** One request after the other on each of a few connections. */
async function repeat({ attack: name, which, port, access, seconds }: RepeatOrder): Promise<void> {
  const chosen = attackOf(name);
  if (chosen.kind !== 'flood') return;
  const until = performance.now() + seconds * 1_000;
  let made = 0;
  const isOver = (): boolean =>
    chosen.sample === undefined ? made >= leastRepeated && performance.now() >= until : made >= chosen.sample;
  const send = async (): Promise<void> => {
    while (!isOver()) {
      made += 1;
      await exchange(port, chosen[which](access, (sent += 1)));
    }
  };
  await Promise.all(Array.from({ length: repeatedInFlight }, send));
}

/** Resolves when the response was read, or the connection is closed. */
function exchange(port: number, { method, path, headers = {}, body }: HttpRequest): Promise<void> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    let answer = 'none';
    const request = httpRequest(
      { port, host: '127.0.0.1', agent, method, path, headers: { ...headers, ...length } },
      (response) => {
        answer = String(response.statusCode);
        response.resume();
      },
    );
    request.on('error', () => undefined);
    request.on('close', () => {
      count(answer);
      resolve();
    });
    request.end(body);
  });
}
