import { type Command, InvalidArgumentError } from 'commander';
import type { AdminSession } from '../session/session.js';
import { findOrganisation } from '../organisations/find-organisation.js';
import { type Signer, signersOf } from './callback.repository.js';
import { Listener, type Posted } from './listener.js';
import { verify } from './verify.js';

interface Wish {
  readonly port: number;
  readonly secret?: string[];
  readonly count?: number;
}

const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };

export function addListenCommand(group: Command, session: AdminSession): void {
  group
    .command('listen')
    .description('print callbacks that arrive at a port of this machine, and whether they are genuine')
    .argument('[organisation]', 'whose they must be; anybody’s unless given')
    .option('--port <number>', 'where to listen; 0 takes a free one', wholeNumber(0, 65_535), 4_000)
    .option(
      '--secret <whsec_…>',
      'verify with this one instead of those in the database; may be repeated',
      also,
    )
    .option('--count <number>', 'end after so many genuine ones', wholeNumber(1, 1_000_000))
    .addHelpText(
      'after',
      `
Genuine ones are answered with 204, others with 401.

Examples:
  pnpm admin callbacks listen
  pnpm admin callbacks listen demo/test --port 4000
  pnpm admin callbacks listen --secret whsec_… --count 1 --json`,
    )
    .action(async (organisation: string | undefined, { port, secret, count = Infinity }: Wish) => {
      const signers = secret ? () => Promise.resolve(secret.map(given)) : await stored(organisation);
      const listener = await Listener.open(port, count, async (posted) => show(await signers(), posted));
      session.remark(`Listening: send callbacks to ${listener.url} and end with Ctrl-C.`);
      await listener.ended();
    });

  /** Asked for each callback anew: secrets may be rotated meanwhile. */
  async function stored(organisation: string | undefined): Promise<() => Promise<Signer[]>> {
    const database = await session.database();
    const whose = organisation === undefined ? undefined : await findOrganisation(database, organisation);
    return () => signersOf(database, whose?.id);
  }

  function show(signers: readonly Signer[], posted: Posted): boolean {
    const judgement = verify(signers, posted);
    if (!judgement.genuine) {
      session.remark(`Refused ${posted.headers['webhook-id'] ?? 'a request'}: ${judgement.reason}.`);
      return false;
    }
    const { organisation, content } = judgement;
    const id = posted.headers['webhook-id'] ?? '';
    session.done(`${id} of ${organisation}\n${JSON.stringify(content, null, 2)}\n`, {
      id,
      organisation,
      body: posted.body,
    });
    return true;
  }
}

const also = (secret: string, earlier: string[] = []): string[] => [...earlier, secret];

const given = (secret: string): Signer => ({ organisation: 'whoever has the secret', secret });
