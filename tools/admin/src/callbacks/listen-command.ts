import type { Command } from 'commander';
import { Webhook } from 'standardwebhooks';
import { wholeNumber } from '../session/arguments.js';
import { findOrganisation } from '@gangan/management';
import { addCommand, type AdminSession } from '../session/session.js';
import { findSigners, type Signer } from './callback.repository.js';
import { openPort, receive, type Received } from './listener.js';

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
      const { server, url } = await openPort(port);
      session.remark(`Listening: send callbacks to ${url}; stop with Ctrl-C.`);
      await receive(server, count, async (received) => show(await signers(), received));
    });

  /** Read for each callback, as secrets may be rotated in between. */
  async function storedSigners(organisation: string | undefined): Promise<() => Promise<Signer[]>> {
    const [database, sealer] = [await session.database(), await session.sealer()];
    const owner = organisation === undefined ? undefined : await findOrganisation(database, organisation);
    const reported = new Set<string>();
    return () =>
      findSigners(database, sealer, owner?.id, (secretId, label) => {
        if (reported.has(secretId)) return;
        reported.add(secretId);
        session.remark(
          `Warning: a secret of ${label} cannot be opened, so callbacks signed with it are refused. Check DATA_MASTER_KEY.`,
        );
      });
  }

  function show(signers: readonly Signer[], received: Received): boolean {
    const id = received.headers['webhook-id'];
    const result = verify(signers, received);
    if ('reason' in result) {
      session.remark(`Refused ${id ?? 'a request'}: ${result.reason}.`);
      return false;
    }
    const { organisation, content } = result;
    const text = `${id ?? ''} of ${organisation}\n${JSON.stringify(content, null, 2)}\n`;
    session.done(text, { id: id ?? '', organisation, body: received.body });
    return true;
  }
}

type Verified = { readonly organisation: string; readonly content: unknown } | { readonly reason: string };

function verify(signers: readonly Signer[], { headers, body }: Received): Verified {
  let reason = 'no secret to verify it with';
  for (const { organisation, secret } of signers) {
    try {
      return { organisation, content: new Webhook(secret).verify(body, headers) };
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  return { reason };
}
