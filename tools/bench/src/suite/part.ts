import type { Figures, Group, Outcome, Pair, Point, Scenario, SuiteContext } from './scenario.js';
import type { Requirement } from './requirements.js';

const significantDigits = 5;

/** A scenario as the table lists it: one figure of a point, and perhaps the same figure of another. */
export interface ScenarioRow<Run> extends Pick<Scenario, 'name' | 'title' | 'unit' | 'bar' | 'limit'> {
  readonly figure: string;
  readonly of: Point<Run>;
  readonly beside?: Point<Run>;
  readonly needs?: readonly Requirement[];
}

/** The scenarios of a group. */
export interface Part {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
  /** Measures the scenarios with these names. */
  measure(names: ReadonlySet<string>, context: SuiteContext): Promise<ReadonlyMap<string, Outcome>>;
}

export interface PartOptions {
  /** What all its scenarios need. */
  readonly needs?: readonly Requirement[];
  readonly long?: boolean;
}

export function part<Run>(
  group: Group<Run>,
  rows: readonly ScenarioRow<Run>[],
  { needs = [], long = false }: PartOptions = {},
): Part {
  return {
    title: group.title,
    scenarios: rows.map(({ name, title, unit, bar, limit, beside, needs: own = [] }) => ({
      name,
      title,
      unit,
      limit,
      long,
      needs: [...needs, ...own],
      ...(bar && { bar }),
      ...(beside && { comparedWith: beside.title }),
    })),
    measure: (names, context) => {
      const chosen = rows.filter(({ name }) => names.has(name));
      return group.open(context, async (run) => {
        const rounds = await measureRounds(group, run, pointsOf(chosen), context);
        await group.verify?.(run);
        return new Map(chosen.map((row) => [row.name, { pairs: rounds.map((round) => pairOf(row, round)) }]));
      });
    },
  };
}

type Round = ReadonlyMap<string, Figures>;

/** Each point once, however many scenarios use it. */
const pointsOf = <Run>(rows: readonly ScenarioRow<Run>[]): Point<Run>[] => {
  const points = rows.flatMap(({ of, beside }) => (beside ? [of, beside] : [of]));
  return [...new Map(points.map((point) => [point.title, point])).values()];
};

/** Measures all points in turn, in every second round in reverse, so that noise and drift affect all equally. */
async function measureRounds<Run>(
  { title, rounds: ownRounds, warmsUp = true }: Group<Run>,
  run: Run,
  points: readonly Point<Run>[],
  context: SuiteContext,
): Promise<Round[]> {
  const count = ownRounds ?? context.rounds;
  const rounds: Round[] = [];
  for (let round = warmsUp ? 0 : 1; round <= count; round += 1) {
    const figures = new Map<string, Figures>();
    for (const point of round % 2 === 1 ? points : points.toReversed()) {
      const measured = await point.measure(run, context);
      figures.set(point.title, measured);
      const part = round === 0 ? 'warming up' : `round ${round}/${count}`;
      context.print(`${title}, ${part}, ${point.title}: ${describeFigures(measured)}`);
    }
    if (round > 0) rounds.push(figures);
  }
  return rounds;
}

const describeFigures = (figures: Figures): string =>
  Object.entries(figures)
    .filter(([, value]) => Number.isFinite(value))
    .map(([name, value]) => `${name} ${value.toLocaleString('en', { maximumSignificantDigits: 4 })}`)
    .join(', ');

function pairOf<Run>({ of, beside, figure }: ScenarioRow<Run>, round: Round): Pair {
  const read = (point: Point<Run>): number =>
    Number((round.get(point.title)?.[figure] ?? NaN).toPrecision(significantDigits));
  return { value: read(of), ...(beside && { beside: read(beside) }) };
}
