/** How the simulator plays one top-up: what it says when told, and what it says when asked. */
export interface Script {
  readonly told: 'success' | 'failed' | 'unknown';
  readonly asked: 'success' | 'failed' | 'unknown';
}

const usual: Script = { told: 'success', asked: 'success' };

/** Of the numbers +234 700 000 xxxx, by their last four digits. Everybody else is topped up at once. */
const scripts: Readonly<Record<string, Script>> = {
  '0002': { told: 'failed', asked: 'failed' },
  '0005': { told: 'unknown', asked: 'success' },
  '0006': { told: 'unknown', asked: 'failed' },
  '0007': { told: 'unknown', asked: 'unknown' },
};

export function scriptOf(recipient: string): Script {
  const [, last = ''] = /^\+234700000(\d{4})$/.exec(recipient) ?? [];
  return scripts[last] ?? usual;
}
