import { Database } from '@gangan/database';
import { TcpProxy } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { SendingFixture } from '../support/sending-fixture.js';

const fixture = SendingFixture.use();

it.each([
  ['of plain messages', 'Hello', '08031234567'],
  ['of other messages', 'Hello', '08031234567,08031234568'],
])(
  'the outcome %s is unknown if their statement was committed, its reply was lost, and the database stays unavailable',
  async (_name, content, recipients) => {
    const proxy = await TcpProxy.open(Number(new URL(fixture.url).port));
    const database = new Database({ url: proxy.urlOf(fixture.url), poolSize: 2 });
    try {
      const service = await fixture.service({ database });
      const organisationId = await fixture.organisation();
      await fixture.warmUp(service, organisationId);
      let closed: Promise<void> | undefined;
      proxy.loseAnswers(
        (request) => request.includes('charge_message'),
        () => {
          closed ??= proxy.close();
        },
      );
      const members = [1, 2].map(() => ({
        request: { recipients, content },
        context: fixture.contextOf(organisationId),
      }));
      const answers = await fixture.sendTogether(service, members);
      await closed;
      for (const [index, answer] of answers.entries()) {
        expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'outcome_unknown' } });
        const { operationId } = members[index]?.context ?? { operationId: '' };
        expect(await fixture.traces(operationId)).toMatchObject({ messages: 1, charges: 1 });
      }
    } finally {
      await database.close();
    }
  },
);
