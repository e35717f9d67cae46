import type { Answer, Question } from '@gangan/testing';

type Ask = (question: Question) => Promise<Answer>;

/** Makes something of the kind that a path names, and gives its id. */
export type Seed = (ask: Ask) => Promise<string>;

/** By the path of the description. A route with an id that is missing here fails the tenant matrix, which asks for it. */
const seeds: Readonly<Record<string, Seed>> = {
  '/airtime/{id}': (ask) =>
    made(ask, '/airtime/buy', { network: 'MTN', amount: 100, recipient: '08031234567' }),
};

export function seedOf(path: string): Seed {
  const seed = seeds[path];
  if (seed) return seed;
  throw new Error(
    `${path} takes an id, and nothing says how to make one: add a row to seeds in test/tenants/seeds.ts that makes such a thing over HTTP and gives its id`,
  );
}

async function made(ask: Ask, path: string, body: object): Promise<string> {
  const answer = await ask({ method: 'POST', path, body });
  if (answer.status !== 200) throw new Error(`POST ${path} answered ${JSON.stringify(answer.body)}`);
  return (answer.body as { readonly id: string }).id;
}
