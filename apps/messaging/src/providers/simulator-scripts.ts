/** How the simulator plays one message. */
export interface Script {
  /** `lost`: the first time it answers nothing and takes nothing. `dropped`: it takes it, and its answer is lost. */
  readonly told: 'accepted' | 'rejected' | 'lost' | 'dropped';
  readonly report?: 'delivered' | 'undelivered';
  readonly afterMs: number;
}

const usual: Script = { told: 'accepted', report: 'delivered', afterMs: 0 };

/** Of the numbers +234 700 000 xxxx, by their last four digits. Everybody else is sent to, and reached, at once. */
const scripts: Readonly<Record<string, Script>> = {
  '0002': { told: 'rejected', afterMs: 0 },
  '0003': { told: 'accepted', report: 'delivered', afterMs: 5_000 },
  '0004': { told: 'accepted', report: 'undelivered', afterMs: 0 },
  '0005': { told: 'lost', report: 'delivered', afterMs: 0 },
  '0006': { told: 'dropped', report: 'delivered', afterMs: 0 },
  '0007': { told: 'accepted', afterMs: 0 },
};

export function scriptOf(recipient: string): Script {
  const [, last = ''] = /^\+234700000(\d{4})$/.exec(recipient) ?? [];
  return scripts[last] ?? usual;
}
