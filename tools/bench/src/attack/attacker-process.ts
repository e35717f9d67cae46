import { constants, setPriority } from 'node:os';
import { Agent } from 'undici';
import { atRate } from '../load/at-rate.js';
import { answerQuestions, announceReady } from '../processes/script.js';
import { attackOf, type Flood } from './attacks.js';
import { HeldConnections } from './held-connections.js';
import type { AttackerOrder, AttackOrder, RepeatOrder } from './orders.js';
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

const newAgent = (): Agent => new Agent({ connect: { localAddress } });
let agent = newAgent();
let held: HeldConnections | undefined;
let answers: Record<string, number> = {};
let order = 0;
/** How many different requests were made. */
let made = 0;

answerQuestions(async (question: AttackerOrder) => {
  order += 1;
  if (question.do === 'stop') return stop();
  answers = {};
  if (question.do === 'repeat') await repeat(question);
  else attack(question);
  return answers;
});
announceReady();

const count = (answer: string, times = 1): void => {
  answers[answer] = (answers[answer] ?? 0) + times;
};

/** Ends what is in flight. */
function stop(): Record<string, number> {
  void agent.destroy();
  agent = newAgent();
  const open = held?.close() ?? 0;
  if (open > 0) count('open', open);
  held = undefined;
  return answers;
}

function attack(question: AttackOrder): void {
  const own = order;
  const isOver = (): boolean => order !== own;
  const chosen = attackOf(question.attack);
  if (chosen.kind === 'flood') flood(chosen, question, isOver);
  else if (chosen.kind === 'hold') {
    held = new HeldConnections(chosen, question, count);
    void held.keep(isOver);
  }
}

/** All requests are made before the first is sent: it would take the processor time of the system that is measured. */
function flood(
  chosen: Flood,
  { which, amount, seconds, access, port }: AttackOrder,
  isOver: () => boolean,
): void {
  const make = chosen[which] ?? chosen.hostile;
  const requests = Array.from({ length: Math.ceil(amount * seconds) }, () => make(access, (made += 1)));
  let inFlight = 0;
  void atRate(amount, isOver, (index) => {
    const request = requests[index % requests.length];
    if (!request || inFlight >= maxInFlight) return;
    inFlight += 1;
    void exchange(port, request).then(() => {
      inFlight -= 1;
    });
  });
}

/** One request after the other on each of a few connections. */
async function repeat({ attack: name, which, port, access, seconds }: RepeatOrder): Promise<void> {
  const chosen = attackOf(name);
  const make = chosen.kind === 'flood' ? chosen[which] : undefined;
  if (chosen.kind !== 'flood' || !make) return;
  const until = performance.now() + seconds * 1_000;
  let sent = 0;
  const isOver = (): boolean =>
    chosen.sample === undefined ? sent >= leastRepeated && performance.now() >= until : sent >= chosen.sample;
  const send = async (): Promise<void> => {
    while (!isOver()) {
      sent += 1;
      await exchange(port, make(access, (made += 1)));
    }
  };
  await Promise.all(Array.from({ length: repeatedInFlight }, send));
}

/** Resolves when the response was read, or the connection is closed. */
async function exchange(port: number, { headers = {}, body = null, ...target }: HttpRequest): Promise<void> {
  const origin = `http://127.0.0.1:${port}`;
  const answer = await agent.request({ origin, headers, body, ...target }).then(
    async (response) => {
      await response.body.arrayBuffer();
      return String(response.statusCode);
    },
    () => 'none',
  );
  count(answer);
}
