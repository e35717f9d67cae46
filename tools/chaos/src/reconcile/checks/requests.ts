import { isStored } from '../../traffic/carry-out.js';
import { smartlistNumbers } from '../../traffic/prepare-customers.js';
import type { ClientAnswer } from '../../traffic/requests.js';
import { type Created, countUnanswered, createdBy, firstAnswers, isVerification } from '../answers.js';
import { type Check, type Found, byId, groupBy } from '../check.js';
import type { Facts } from '../facts.js';

/** All inputs are valid, so only 200 is final, or 402 without money. The check of OTPs compares verifications. */
function isExpected(answer: ClientAnswer, { organisations }: Facts): boolean {
  const { path, intent } = answer.request;
  if (isVerification(answer) || answer.status === 200) return true;
  return answer.status === 402 && paid.has(path) && organisations[intent.organisation]?.runsOut === true;
}

const paid = new Set(['/sms/send', '/otp/request_token', '/airtime/buy']);

/**
 * If the answer could not be stored, the repetition is carried out: that of a PATCH shows the row as it is then, and a 402
 * the balance.
 */
const mayDiffer = ({ request, status }: ClientAnswer): boolean =>
  request.method === 'PATCH' || status === 402;

/** Every request has one final answer, which a repeated request gets too. */
export const answered: Check = {
  name: 'answered',
  promise: 'every request gets a final answer, and its repetition the same one',
  *find(facts) {
    for (const [key, group] of groupBy(facts.answers, (answer) => answer.key)) {
      const [first, ...repeated] = group;
      if (first?.status === 0) yield [key, `no final answer in ${first.attempts} attempts`];
      else if (first && !isExpected(first, facts))
        yield [key, `unexpected answer ${first.status} ${first.text.slice(0, 200)}`];
      for (const { status, text } of repeated)
        if (status !== 0 && first && (status !== first.status || (text !== first.text && !mayDiffer(first))))
          yield [key, `${first.status} at first, then ${status} ${text.slice(0, 200)}`];
    }
    yield* differentLostAnswers(facts);
  },
};

/** A request whose answer is lost gets the same answer when it is repeated. */
function* differentLostAnswers({ answers, lostAnswers }: Facts): Found {
  const finals = new Map(firstAnswers(answers).map((answer) => [answer.key, answer]));
  for (const { key, status, text } of lostAnswers) {
    const final = finals.get(key);
    if (!final || final.status === 0 || !isStored({ status }) || text.includes('"in_progress"')) continue;
    if (final.status !== status || (final.text !== text && !mayDiffer(final)))
      yield [
        key,
        `${status} ${text.slice(0, 200)} was lost, then ${final.status} ${final.text.slice(0, 200)}`,
      ];
  }
}

/** For runs without faults: no client has to repeat a request. */
export const firstAttempt: Check = {
  name: 'first-attempt',
  promise: 'every request is answered at its first attempt: no 5xx, 429 or broken connection',
  *find({ answers }) {
    for (const { key, retriedAfter } of answers)
      for (const result of retriedAfter) yield [key, `the client got ${result}`];
  },
};

/** Every accepted request has left what it promised. */
export const acknowledged: Check = {
  name: 'acknowledged',
  promise: 'nothing acknowledged is missing',
  *find(facts) {
    const rows = {
      message: byId(facts.messages),
      otp: byId(facts.otps),
      purchase: byId(facts.purchases),
      contact: byId(facts.contacts),
    };
    const recipients = recipientsOf(facts);
    for (const answer of firstAnswers(facts.answers)) {
      const created = createdBy(answer);
      if (!created) continue;
      const { what, id } = created;
      if (!rows[what].has(id)) yield [answer.key, `the ${what} ${id} is missing`];
      else if (what === 'message' || what === 'otp') {
        const [expected, found] = [expectedRecipients(answer), recipients.get(id) ?? []];
        if (expected.toSorted().join() !== found.toSorted().join())
          yield [answer.key, `${what} ${id} has the deliveries ${found.join() || 'none'}`];
      }
    }
    yield* lostCells(facts);
  },
};

const recipientsOf = ({ deliveries }: Facts): Map<string, string[]> =>
  new Map(
    [...groupBy(deliveries, ({ messageId, otpId }) => messageId ?? otpId ?? '')].map(([id, group]) => [
      id,
      group.map(({ recipient }) => recipient),
    ]),
  );

function expectedRecipients({ request: { intent } }: ClientAnswer): readonly string[] {
  switch (intent.kind) {
    case 'sms':
      return intent.recipients;
    case 'otp':
      return [intent.recipient];
    case 'smartlist':
      return smartlistNumbers;
    case 'airtime':
    case 'contact':
    case 'lookup':
    case 'balance':
      return [];
  }
}

/** The last acknowledged value of each cell is stored, also of those that a contact was created with. */
function* lostCells({ answers, contacts }: Facts): Found {
  const rows = byId(contacts);
  const writes = firstAnswers(answers).filter(
    (answer) => answer.status === 200 && (answer.request.method === 'PATCH' || isNewContact(answer)),
  );
  for (const [id, group] of groupBy(writes, contactOf)) {
    const cells = group.map(({ request }) => (request.body as { columns: Record<string, string> }).columns);
    const expected = Object.assign({}, ...cells) as Record<string, string>;
    const found = rows.get(id)?.cells ?? {};
    for (const [column, cell] of Object.entries(expected))
      if (found[column] !== cell)
        yield [id, `${cell} was acknowledged, ${found[column] ?? 'nothing'} is stored`];
  }
}

const isNewContact = (answer: ClientAnswer): boolean => createdBy(answer)?.what === 'contact';

const contactOf = (answer: ClientAnswer): string =>
  createdBy(answer)?.id ?? answer.request.path.split('/').at(-1) ?? '';

/** Rows that the preparation of the traffic has created. */
const isPrepared = (cells: Readonly<Record<string, string>>): boolean =>
  Object.values(cells).some((cell) => cell.startsWith('Listed'));

/** Every row belongs to one accepted request. */
export const executedOnce: Check = {
  name: 'executed-once',
  promise: 'no intent is executed twice',
  *find(facts) {
    const claimed = firstAnswers(facts.answers).flatMap((answer) => {
      const created = createdBy(answer);
      return created ? [{ ...created, key: answer.key }] : [];
    });
    const owners = groupBy(claimed, ({ what, id }) => `${what} ${id}`);
    for (const [row, group] of owners)
      if (group.length > 1) yield [group.map(({ key }) => key).join(), `both were answered with the ${row}`];
    const unowned = [...rowsOf(facts)].filter(([what, id]) => !owners.has(`${what} ${id}`));
    for (const [what, group] of groupBy(unowned, ([created]) => created))
      for (const [, id] of group.slice(countUnanswered(firstAnswers(facts.answers), what)))
        yield [id, `this ${what} is stored, and no client was answered with it`];
  },
};

function* rowsOf(facts: Facts): Iterable<[Created, string]> {
  for (const { id } of facts.messages) yield ['message', id];
  for (const { id } of facts.otps) yield ['otp', id];
  for (const { id } of facts.purchases) yield ['purchase', id];
  for (const { id, cells } of facts.contacts) if (!isPrepared(cells)) yield ['contact', id];
}

/** Lookups and balances belong to the number and the organisation that were asked for. */
export const reads: Check = {
  name: 'reads',
  promise: 'every lookup is that of its number, and no balance is impossible',
  *find({ answers, organisations }) {
    for (const { key, status, body, text, request } of answers) {
      const { intent } = request;
      if (status !== 200) continue;
      if (intent.kind === 'lookup' && (body as { msisdn?: string }).msisdn !== intent.phone)
        yield [key, `${intent.phone} was looked up, and the answer is ${text}`];
      const startKobo = organisations[intent.organisation]?.startKobo ?? 0n;
      if (intent.kind === 'balance' && !isPossible(body as { available_balance?: number }, startKobo))
        yield [key, `the balance is ${text}, after ${startKobo} kobo at the start`];
    }
  },
};

/** Money is only spent during a run. */
const isPossible = ({ available_balance: naira = NaN }, startKobo: bigint): boolean =>
  naira >= 0 && naira * 100 <= Number(startKobo);
