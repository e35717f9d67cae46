import { countUnanswered, type Created, createdBy, firstAnswers } from '../answers.js';
import { type Check, groupBy } from '../check.js';
import type { Facts } from '../facts.js';

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
      if (group.length > 1)
        yield { subject: group.map(({ key }) => key).join(), message: `both were answered with the ${row}` };
    const unowned = [...rowsOf(facts)].filter(([what, id]) => !owners.has(`${what} ${id}`));
    for (const [what, group] of groupBy(unowned, ([created]) => created))
      for (const [, id] of group.slice(countUnanswered(firstAnswers(facts.answers), what)))
        yield { subject: id, message: `this ${what} is stored, and no client was answered with it` };
  },
};

function* rowsOf(facts: Facts): Iterable<[Created, string]> {
  for (const { id } of facts.messages) yield ['message', id];
  for (const { id } of facts.otps) yield ['otp', id];
  for (const { id } of facts.purchases) yield ['purchase', id];
  for (const { id, cells } of facts.contacts) if (!isPrepared(cells)) yield ['contact', id];
}
