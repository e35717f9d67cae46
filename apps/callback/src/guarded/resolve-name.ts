import { lookup, Resolver } from 'node:dns/promises';

/** All addresses of a name, of both families; none when it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/**
 * Asks the name servers themselves: the system's own lookup occupies one of few threads while it waits, so that a
 * handful of consumers whose name servers are silent would hold everybody up. It would read local tables, too.
 */
export function askNameServers(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** As other programs of this machine see it, with `localhost` and its neighbours: for local work. */
export const askSystem: ResolveName = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);
