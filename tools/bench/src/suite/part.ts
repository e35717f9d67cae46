import { Resources } from '../processes/resources.js';
import type { Figures, Group, Outcome, Pair, Point, Scenario, SuiteContext } from './scenario.js';
import type { Requirement } from './requirements.js';

const significantDigits = 5;
/** A process that was idle for this long is slow again at first. */
const coldAfterMs = 30_000;

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

export function part<Run>(group: Group<Run>, rows: readonly ScenarioRow<Run>[]): Part {
  const { title: groupTitle, needs = [], long = false } = group;
  return {
    title: groupTitle,
    scenarios: rows.map(({ name, title, unit, bar, limit, beside, needs: own = [] }) => ({
      name,
      title,
      unit,
      limit,
      bar,
      long,
      needs: [...needs, ...own],
      ...(beside && { comparedWith: beside.title }),
    })),
    measure: async (names, context) => {
      const chosen = rows.filter(({ name }) => names.has(name));
      const resources = new Resources();
      context.resources.atEnd(() => resources.close());
      try {
        const run = await group.open(resources, context);
        const rounds = await measureRounds(group, run, pointsOf(chosen), context);
        await group.verify?.(run);
        return new Map(chosen.map((row) => [row.name, { pairs: rounds.map((round) => pairOf(row, round)) }]));
      } finally {
        await resources.close();
      }
    },
  };
}

type Round = ReadonlyMap<string, Figures>;

/** Each point once, however many scenarios use it. */
const pointsOf = <Run>(rows: readonly ScenarioRow<Run>[]): Point<Run>[] => {
  const points = rows.flatMap(({ of, beside }) => (beside ? [of, beside] : [of]));
  return [...new Map(points.map((point) => [point.title, point])).values()];
};

/**
 * Measures all points in turn, in every second round in reverse, so that noise and drift affect all equally. Before it, each
 * is measured until its processes are warm: code is slow until V8 has compiled it, and again after a pause.
 */
async function measureRounds<Run>(
  { title, rounds: ownRounds, warmsUp = true }: Group<Run>,
  run: Run,
  points: readonly Point<Run>[],
  context: SuiteContext,
): Promise<Round[]> {
  const count = ownRounds ?? context.rounds;
  const warmth = new Warmth(context.warmUp);
  const measure = async (point: Point<Run>, part: string, seconds: number): Promise<Figures> => {
    const measured = await point.measure(run, { ...context, seconds });
    warmth.add(point, measured);
    context.print(`${title}, ${part}, ${point.title}: ${describeFigures(measured)}`);
    return measured;
  };
  const warmUp = async (point: Point<Run>): Promise<void> => {
    while (!warmth.isEnough(point)) await measure(point, 'warming up', context.seconds);
    if (warmth.isIdle(point)) await measure(point, 'warming up again', 1);
  };
  if (warmsUp) for (const point of points) await warmUp(point);
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    const figures = new Map<string, Figures>();
    for (const point of round % 2 === 1 ? points : points.toReversed()) {
      if (warmsUp) await warmUp(point);
      figures.set(point.title, await measure(point, `round ${round}/${count}`, context.seconds));
    }
    rounds.push(figures);
  }
  return rounds;
}

/** How many requests the processes of points have handled, and when the last. */
class Warmth {
  private readonly processes = new Map<string, { readonly handled: number; readonly at: number }>();

  constructor(private readonly enough: number) {}

  isEnough(point: Point<never>): boolean {
    const { handled = -1 } = this.processes.get(nameOf(point)) ?? {};
    return handled >= this.enough * (point.processes?.copies ?? 1);
  }

  isIdle(point: Point<never>): boolean {
    const { at = -Infinity } = this.processes.get(nameOf(point)) ?? {};
    return performance.now() - at > coldAfterMs;
  }

  /** Without the number of requests, one measurement is enough for the whole run. */
  add(point: Point<never>, { handled }: Figures): void {
    const { handled: before = 0 } = this.processes.get(nameOf(point)) ?? {};
    const at = handled === undefined ? Infinity : performance.now();
    this.processes.set(nameOf(point), { handled: before + (handled ?? Infinity), at });
  }
}

const nameOf = ({ processes, title }: Point<never>): string => processes?.name ?? title;

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
