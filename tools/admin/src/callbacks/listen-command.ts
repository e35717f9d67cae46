import { findSigners, type Signer } from '@gangan/management';
import { describeError } from '@gangan/protocol';
import type { Command } from 'commander';
import { Webhook } from 'standardwebhooks';
import { wholeNumber } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { receive } from './listener.js';

interface Options {
  readonly port: number;
  readonly secret?: string[];
  readonly count?: number;
}

const append = (secret: string, earlier: string[] = []): string[] => [...earlier, secret];

export function addListenCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'listen',
    'print callbacks that arrive at a port of this machine, and verify their signatures',
    ['', 'demo/test --port 4000', '--secret whsec_… --count 1 --json'],
    'Callbacks with a valid signature get a 204 response, others 401.',
  )
    .argument('[organisation]', 'whose signature is required (default: any)')
    .option('--port <number>', 'port to listen on; 0 selects a free one', wholeNumber(0, 65_535), 4_000)
    .option(
      '--secret <whsec_…>',
      'verify with this secret instead of those in the database; repeatable',
      append,
    )
    .option('--count <number>', 'stop after this many valid callbacks', wholeNumber(1, 1_000_000))
    .action(async (organisation: string | undefined, { port, secret, count = Infinity }: Options) => {
      const given = secret?.map((each) => ({ organisation: 'the given secret', secret: each }));
      const signers = given ? () => Promise.resolve(given) : await storedSigners(organisation);
      const onOpen = (url: string) => {
        session.remark(`Listening: send callbacks to ${url}; stop with Ctrl-C.`);
      };
      await receive(port, count, onOpen, async (headers, body) => show(await signers(), headers, body));
    });

  /** Read for each callback, as secrets may be rotated in between. */
  async function storedSigners(given: string | undefined): Promise<() => Promise<Signer[]>> {
    const owner = given === undefined ? undefined : await session.organisation(given);
    const [database, sealer] = [await session.database(), await session.sealer()];
    const reported = new Set<string>();
    return async () => {
      const signers = await findSigners(database, sealer, owner);
      for (const { organisation, secret } of signers) {
        if (secret !== undefined || reported.has(organisation)) continue;
        reported.add(organisation);
        session.remark(
          `Warning: a secret of ${organisation} cannot be opened, so callbacks signed with it are refused. Check DATA_MASTER_KEY.`,
        );
      }
      return signers;
    };
  }

  /** @returns whether the signature of one of them is valid */
  function show(signers: readonly Signer[], headers: Record<string, string>, body: string): boolean {
    const id = headers['webhook-id'] ?? '';
    let reason = 'no secret to verify it with';
    for (const { organisation, secret } of signers) {
      if (secret === undefined) continue;
      try {
        const content = new Webhook(secret).verify(body, headers);
        const text = `${id} of ${organisation}\n${JSON.stringify(content, null, 2)}\n`;
        session.done(text, { id, organisation, body });
        return true;
      } catch (error) {
        reason = describeError(error);
      }
    }
    session.remark(`Refused ${id || 'a request'}: ${reason}.`);
    return false;
  }
}
