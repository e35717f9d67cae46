import { type Health, type HealthReport, report } from './health.js';

/** Checks that are the same for all apps of a process. */
const processChecks = new Set(['event_loop']);

/** The health of a process: it is healthy if all its apps are. With several apps, a check has the name of its app before it. */
export class ProcessHealth {
  constructor(private readonly apps: ReadonlyMap<string, Health>) {}

  live(): HealthReport {
    return this.merge([...this.apps.values()].map((health) => health.live()));
  }

  async ready(): Promise<HealthReport> {
    return this.merge(await Promise.all([...this.apps.values()].map((health) => health.ready())));
  }

  private merge(reports: readonly HealthReport[]): HealthReport {
    const names = [...this.apps.keys()];
    const nameOf = (app: string | undefined, check: string): string =>
      names.length === 1 || processChecks.has(check) ? check : `${app}.${check}`;
    const checks = reports.flatMap((own, index) =>
      Object.entries(own.checks).map(([check, result]) => [nameOf(names[index], check), result] as const),
    );
    return report(Object.fromEntries(checks));
  }
}
