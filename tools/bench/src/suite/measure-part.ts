import { Resources } from '@gangan/testing';
import { missingFor } from './requirements.js';
import type { Figures, OpenPart, Outcome, Pair, Part, Scenario, SuiteContext } from './scenario.js';

const significantDigits = 5;
/** A process that was idle for this long is slow again at first. */
const coldAfterMs = 30_000;

/** Measures the scenarios of a part with these names. An error does not stop the other parts. */
export async function measurePart(
  part: Part,
  names: readonly string[],
  context: SuiteContext,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const possible: Scenario[] = [];
  for (const scenario of part.scenarios.filter(({ name }) => names.includes(name))) {
    const skipped = missingFor([...(part.needs ?? []), ...(scenario.needs ?? [])]);
    if (skipped === undefined) possible.push(scenario);
    else outcomes.set(scenario.name, { skipped });
  }
  if (possible.length === 0) return outcomes;
  const resources = new Resources();
  context.resources.atEnd(() => resources.close());
  try {
    const open = await part.open(resources, context);
    const rounds = await measureRounds(part, open, possible, context);
    await open.verify?.();
    for (const scenario of possible)
      outcomes.set(scenario.name, { pairs: rounds.map((round) => pairOf(scenario, round)) });
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    context.print(`${part.title} failed: ${failed}`);
    for (const { name } of possible) outcomes.set(name, { failed });
  } finally {
    await resources.close();
  }
  return outcomes;
}

type Round = ReadonlyMap<string, Figures>;

/**
 * Measures all points in turn, in every second round in reverse, so that noise and drift affect all equally. Before it, each
 * is measured at least once, until its server is warm: code is slow until V8 has compiled it, and again after a pause.
 */
async function measureRounds(
  part: Part,
  open: OpenPart,
  scenarios: readonly Scenario[],
  context: SuiteContext,
): Promise<Round[]> {
  const { title, rounds: count = context.rounds } = part;
  const points = [
    ...new Set(scenarios.flatMap(({ of, beside }) => (beside === undefined ? of : [of, beside]))),
  ];
  const servers = new Map<string, { readonly handled: number; readonly at: number }>();
  const serverOf = (point: string) => servers.get(nameOfServer(point)) ?? { handled: 0, at: 0 };
  const measure = async (point: string, phase: string, seconds: number): Promise<Figures> => {
    const figures = await open.measure(point, { ...context, seconds });
    // Without the number of requests, one measurement is enough for the whole run.
    const { handled = Infinity } = figures;
    const at = handled === Infinity ? Infinity : performance.now();
    servers.set(nameOfServer(point), { handled: serverOf(point).handled + handled, at });
    context.print(`${title}, ${phase}, ${point}: ${describeFigures(figures)}`);
    return figures;
  };
  for (const point of part.rounds === 1 ? [] : points)
    do await measure(point, 'warming up', context.seconds);
    while (serverOf(point).handled < context.warmUp);
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    const figures = new Map<string, Figures>();
    for (const point of round % 2 === 1 ? points : points.toReversed()) {
      if (servers.size > 0 && performance.now() - serverOf(point).at > coldAfterMs)
        await measure(point, 'warming up again', 1);
      figures.set(point, await measure(point, `round ${round}/${count}`, context.seconds));
    }
    rounds.push(figures);
  }
  return rounds;
}

const nameOfServer = (point: string): string => point.split(',', 1)[0] ?? '';

const describeFigures = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toLocaleString('en', { maximumSignificantDigits: 4 })}`)
    .join(', ');

function pairOf({ of, beside, figure }: Scenario, round: Round): Pair {
  const read = (point: string): number =>
    Number((round.get(point)?.[figure] ?? NaN).toPrecision(significantDigits));
  return { value: read(of), ...(beside !== undefined && { beside: read(beside) }) };
}
