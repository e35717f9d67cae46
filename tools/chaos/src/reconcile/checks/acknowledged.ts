import { smartlistNumbers } from '../../traffic/prepare-customers.js';
import type { ClientAnswer } from '../../traffic/requests.js';
import { createdBy, firstAnswers } from '../answers.js';
import { byId, type Check, groupBy } from '../check.js';
import type { Facts } from '../facts.js';

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
      if (!rows[what].has(id)) yield { subject: answer.key, message: `the ${what} ${id} is missing` };
      else if (what === 'message' || what === 'otp') {
        const [expected, found] = [expectedRecipients(answer), recipients.get(id) ?? []];
        if (expected.toSorted().join() !== found.toSorted().join())
          yield {
            subject: answer.key,
            message: `${what} ${id} has the deliveries ${found.join() || 'none'}`,
          };
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
function* lostCells({ answers, contacts }: Facts) {
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
        yield { subject: id, message: `${cell} was acknowledged, ${found[column] ?? 'nothing'} is stored` };
  }
}

const isNewContact = (answer: ClientAnswer): boolean => createdBy(answer)?.what === 'contact';

const contactOf = (answer: ClientAnswer): string =>
  createdBy(answer)?.id ?? answer.request.path.split('/').at(-1) ?? '';
